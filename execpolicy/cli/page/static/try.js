"use strict";
const value = (id) => byId(id).value;

function show(id, result) {
  if (result.html === undefined) return report(result);
  byId(id).innerHTML = result.html;
  say(`${firstWords("decision")} ${firstWords("findings")}`.trim());
}

const decide = settled(async () => {
  const body = { script: value("script"), shell: value("shell"), cwd: value("cwd"), rules: value("rules") };
  const result = await post("/try/decide", body);
  return () => show("decision", result);
}, 120);

const lint = settled(async () => {
  const result = await post("/try/lint", { rules: value("rules") });
  return () => show("findings", result);
}, 200);

for (const id of ["script", "shell", "cwd", "rules"]) byId(id).addEventListener("input", decide);
byId("rules").addEventListener("input", lint);
decide();
