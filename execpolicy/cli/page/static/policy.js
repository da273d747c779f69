"use strict";
byId("search").addEventListener("input", () => {
  const wanted = byId("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  let found = 0;
  for (const line of document.querySelectorAll(".layer tbody tr")) {
    const text = line.textContent.toLowerCase();
    line.hidden = !wanted.every((word) => text.includes(word));
    if (!line.hidden) found += 1;
  }
  for (const layer of document.querySelectorAll(".layer"))
    if (wanted.length) layer.open = layer.querySelector("tbody tr:not([hidden])") !== null;
  byId("found").textContent = wanted.length ? `${found} ${found === 1 ? "rule" : "rules"}` : "";
});

document.addEventListener("click", async (event) => {
  const button = event.target.closest("button[data-action]");
  if (button?.dataset.action === "fix") {
    const result = await post("/policy/fix", { path: button.dataset.path, code: button.dataset.code });
    report(result);
    if (result.done?.length) byId("lint").lastElementChild.outerHTML = result.html;
  } else if (button?.dataset.action === "switch") {
    const { name, on } = button.dataset;
    const result = await post("/policy/switch", { name, on: on !== "" });
    report(result);
    if (result.done?.length) {
      byId("setup").lastElementChild.outerHTML = result.html;
      document.querySelector(`button[data-name="${name}"]`).focus();
    }
  } else if (button?.dataset.action === "compare") {
    const result = await post("/policy/compare", { before: byId("before").value, after: byId("after").value });
    if (result.html === undefined) report(result);
    else {
      byId("difference").innerHTML = result.html;
      say(firstWords("difference"));
    }
  }
});
