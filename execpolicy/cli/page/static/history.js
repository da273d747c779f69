"use strict";
document.querySelector("[data-action=replay]").addEventListener("click", async () => {
  const place = byId("report");
  place.setAttribute("aria-busy", "true");
  tell("deciding …", true);
  const result = await post("/history/replay", { histories: byId("histories").value, rules: byId("other-rules").value });
  place.setAttribute("aria-busy", "false");
  tell("");
  if (result.html === undefined) report(result);
  else {
    place.innerHTML = result.html;
    say(firstWords("report"));
  }
});
