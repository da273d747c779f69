"use strict";
// What all pages share. Text of commands is only ever set as text, or as HTML that the server escaped.
const byId = (id) => document.getElementById(id);

const PASSING = 8000; // milliseconds after which a message that asks for nothing goes
let passing = 0;
function tell(text, lasting = false) {
  clearTimeout(passing);
  byId("status").textContent = text;
  if (!lasting) passing = setTimeout(() => tell("", true), PASSING);
}

// What the eye sees by itself, for who hears the page: in few words, and not again while they are the same.
function say(text) {
  if (byId("aloud").textContent !== text) byId("aloud").textContent = text;
}

// The first words of what came up in a place that is too long to be read out whole.
const firstWords = (id) => byId(id).querySelector("p, caption, li")?.textContent ?? "";

async function post(path, body) {
  const key = localStorage.getItem("execpolicy-key") ?? "";
  const headers = { "content-type": "application/json", "x-execpolicy-key": key };
  let answer;
  try {
    answer = await fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
  } catch {
    return { done: [], failed: ["the server is gone: start `execpolicy ui` again"] };
  }
  if (!answer.ok) return { done: [], failed: [(await answer.text()).trim()] };
  return answer.json();
}

function report(result) {
  const texts = [...(result.failed ?? []), ...(result.done ?? [])];
  if (texts.length) tell(texts.length > 3 ? `${texts.slice(0, 3).join("; ")} and ${texts.length - 3} more` : texts.join("; "), Boolean(result.failed?.length));
}

// Calls `work` when nothing happened for a moment; only the newest answer is shown.
function settled(work, pause) {
  let timer = 0;
  let latest = 0;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(async () => {
      const mine = ++latest;
      const show = await work();
      if (mine === latest) show();
    }, pause);
  };
}
