"use strict";
const value = (id) => byId(id).value;

const decide = settled(async () => {
  const body = { script: value("script"), shell: value("shell"), cwd: value("cwd"), rules: value("rules") };
  const result = await post("/try/decide", body);
  return () => (result.html === undefined ? report(result) : (byId("decision").innerHTML = result.html));
}, 120);

const lint = settled(async () => {
  const result = await post("/try/lint", { rules: value("rules") });
  return () => (result.html === undefined ? report(result) : (byId("findings").innerHTML = result.html));
}, 200);

for (const id of ["script", "shell", "cwd", "rules"]) byId(id).addEventListener("input", decide);
byId("rules").addEventListener("input", lint);
decide();
