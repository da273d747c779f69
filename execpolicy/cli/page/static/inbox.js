"use strict";
const SHOWN = 200; // rows; the others are counted
const PAUSE = 300; // milliseconds after another question came up by itself, in which neither key nor click answers it
const state = { rows: [], chosen: null, marked: new Set(), moved: 0, limit: SHOWN, loaded: null, saved: [], busy: false, told: new Set(), heard: "", reported: Promise.resolve() };

function row(one) {
  const item = document.createElement("li");
  const box = document.createElement("input");
  box.type = "checkbox";
  box.checked = state.marked.has(one.id);
  box.setAttribute("aria-label", `Choose ${one.command.slice(0, 80)}`);
  box.dataset.id = one.id;
  box.addEventListener("change", () => toggle(one.id));
  const button = document.createElement("button");
  button.type = "button";
  button.dataset.id = one.id;
  const code = document.createElement("code");
  code.textContent = one.command;
  const about = document.createElement("small");
  const ends = document.createElement("span");
  ends.dataset.ends = one.id;
  ends.textContent = clock(one);
  ends.setAttribute("aria-hidden", "true"); // or the name of the button changes every second
  about.append(`${asker(one)} ${one.session} · ${one.cwd} · `, ends);
  button.append(code, about);
  if (one.id === state.chosen) button.setAttribute("aria-current", "true");
  button.addEventListener("click", () => choose(one.id, false));
  item.append(box, button);
  return item;
}

const asker = (one) => one.agent || one.source;

function sayShown() {
  const at = state.rows.findIndex((one) => one.id === state.chosen);
  say(at < 0 ? "Nothing waits." : `${at + 1} of ${state.rows.length}: ${asker(state.rows[at])} asks: ${state.rows[at].command}`);
}

function clock(one) {
  const left = Math.max(0, Math.round((one.ends - performance.now()) / 1000));
  const two = (number) => String(number).padStart(2, "0");
  const minutes = Math.floor(left / 60);
  return minutes < 60 ? `${minutes}:${two(left % 60)}` : `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(left % 60)}`;
}

// Only what is different is drawn again: a button that is about to be pressed must not be replaced by its like.
const drawn = {};
function changed(name, value) {
  const now = JSON.stringify(value);
  const before = drawn[name];
  drawn[name] = now;
  return now !== before;
}

function draw() {
  byId("count").textContent = String(state.rows.length);
  byId("empty").hidden = state.rows.length > 0;
  document.title = `${state.rows.length ? `(${state.rows.length}) ` : ""}Inbox · execpolicy`;
  if (changed("saved", state.saved)) {
    byId("saved-rules").hidden = state.saved.length === 0;
    byId("saved").replaceChildren(...state.saved.map(savedRow));
  }
  if (changed("rows", [state.rows.map((one) => one.id), state.chosen, [...state.marked], state.limit])) drawRows();
  drawTargets();
}

// For whom the answer is stands beside the answers: it need not be for what is shown.
function drawTargets() {
  const place = byId("targets");
  if (!place) return;
  const others = state.marked.has(state.chosen) ? "" : ", not for this one";
  const said = state.marked.size ? `The answer is for the ${state.marked.size} chosen${others} (Escape: choose none).` : "";
  if (place.textContent !== said) place.textContent = said;
}

function drawRows() {
  const list = byId("questions");
  const { localName, dataset } = document.activeElement;
  list.replaceChildren(...state.rows.slice(0, state.limit).map(row));
  if (state.rows.length > state.limit) {
    const item = document.createElement("li");
    const more = document.createElement("button");
    more.type = "button";
    more.textContent = `${state.rows.length - state.limit} more`;
    more.addEventListener("click", () => { state.limit += SHOWN; draw(); });
    item.append(more);
    list.append(item);
  }
  if (dataset.id) list.querySelector(`${localName}[data-id="${CSS.escape(dataset.id)}"]`)?.focus();
}

function savedRow(one) {
  const item = document.createElement("li");
  const code = document.createElement("code");
  code.textContent = one.lines.join(" · ");
  const undo = document.createElement("button");
  undo.type = "button";
  undo.textContent = "Undo";
  undo.setAttribute("aria-label", `Undo ${one.lines.join(" ")}`);
  undo.addEventListener("click", () => takeBack(one.id));
  item.append(code, ` in ${one.path} `, undo);
  return item;
}

async function takeBack(id) {
  report(await post("/inbox/undo", { id }));
  await refreshOnce();
}

async function refresh() {
  const answer = await fetch("/inbox/questions");
  if (!answer.ok) return tell((await answer.text()).trim(), true);
  const body = await answer.json();
  const at = state.rows.findIndex((one) => one.id === state.chosen);
  state.rows = body.questions;
  state.saved = body.saved;
  const now = performance.now();
  for (const one of state.rows) one.ends = now + one.seconds_left * 1000;
  const ids = new Set(state.rows.map((one) => one.id));
  for (const id of state.marked) if (!ids.has(id)) state.marked.delete(id);
  notifyNew();
  if (!ids.has(state.chosen)) await choose((state.rows[Math.max(at, 0)] ?? state.rows.at(-1))?.id ?? null, true);
  else draw();
}

function notifyNew() {
  const fresh = state.rows.filter((one) => !state.told.has(one.id));
  const status = byId("status").textContent;
  state.heard = fresh.length === 1 ? fresh[0].id : "";
  if (fresh.length) tell(state.heard ? `${asker(fresh[0])} asks: ${fresh[0].command}` : `${fresh.length} more wait`);
  else if (status.startsWith("the server")) tell("");
  for (const one of fresh) {
    state.told.add(one.id);
    if (document.hidden && "Notification" in window && Notification.permission === "granted")
      new Notification("An agent asks", { body: `${asker(one)}: ${one.command}`.slice(0, 200), tag: "execpolicy" });
  }
}

async function choose(id, itself) {
  state.chosen = id;
  state.loaded = null;
  if (itself) state.moved = performance.now();
  draw();
  const place = byId("question");
  const held = place.contains(document.activeElement); // the element that has the focus goes: it moves to the next question
  if (!itself || state.heard !== id) state.reported.then(sayShown); // the answered question is gone before it is known what became of it
  if (id === null) {
    place.replaceChildren();
    if (held) byId("waiting").focus();
    return;
  }
  place.setAttribute("aria-busy", "true");
  const answer = await fetch(`/inbox/question/${encodeURIComponent(id)}`);
  if (state.chosen !== id) return;
  if (!answer.ok) return refreshOnce();
  place.innerHTML = await answer.text();
  place.setAttribute("aria-busy", "false");
  state.loaded = id;
  state.moved = itself ? performance.now() : state.moved;
  place.querySelectorAll("[data-action]").forEach((each) => each.addEventListener("click", () => actOnSeen(each.dataset.action)));
  place.querySelectorAll("select").forEach((each) => each.addEventListener("change", preview));
  if (held) byId("asked").focus();
  drawTargets();
  tick();
}

function step(by) {
  const at = state.rows.findIndex((one) => one.id === state.chosen);
  const next = state.rows[Math.min(Math.max(at + by, 0), state.rows.length - 1)];
  if (!next || next.id === state.chosen) return;
  while (state.limit <= state.rows.indexOf(next)) state.limit += SHOWN;
  choose(next.id, false);
  document.querySelector("#questions [aria-current]").scrollIntoView({ block: "nearest" });
}

function targets() {
  return state.marked.size ? [...state.marked] : state.loaded ? [state.loaded] : [];
}

// Nobody knows a question by its id.
function named(result, asked) {
  const names = new Map(asked.map((one) => [one.id, one.command.slice(0, 80)]));
  const name = (text) => text.replace(/\w+/g, (word) => names.get(word) ?? word);
  return { failed: result.failed.map(name), done: result.done.map(name) };
}

async function answer(word, more = {}) {
  const ids = word === "always" ? [state.loaded] : targets();
  if (!ids.length || ids[0] === null || state.busy) return;
  state.busy = true;
  if (word === "always") tell("saving the rule");
  const same = state.rows.find((one) => one.id === ids[0])?.same;
  const asked = state.rows.filter((one) => ids.includes(one.id));
  const answered = post("/inbox/answer", { ids, answer: word, ...more });
  state.reported = answered.then((result) => report(named(result, asked)));
  await state.reported;
  const result = await answered;
  state.busy = false;
  state.marked.clear();
  if (word === "always" && result.done.length) // the rule lets them pass from now on: they only have to be answered
    for (const one of state.rows) if (one.same === same && one.id !== ids[0]) state.marked.add(one.id);
  await refreshOnce();
}

function chosenPrefixes() {
  return [...document.querySelectorAll("#always select")].map((each) =>
    each.value === "exact" ? null : JSON.parse(each.dataset.words).slice(0, Number(each.value)));
}

async function preview() {
  const result = await post("/inbox/preview", { id: state.loaded, prefixes: chosenPrefixes() });
  if (result.html !== undefined && byId("preview")) byId("preview").innerHTML = result.html;
  else report(result);
}

// Not what came up under the finger this moment.
function actOnSeen(action) {
  if (state.loaded !== null && performance.now() - state.moved >= PAUSE) act(action);
}

async function act(action) {
  const words = byId("words")?.value ?? "";
  if (action === "answer-once") await answer("once");
  else if (action === "answer-session") await answer("session");
  else if (action === "answer-deny") await answer("deny", { message: words });
  else if (action === "save") await answer("always", { prefixes: chosenPrefixes() });
  else if (action === "answer-always") {
    byId("always").hidden = false;
    (byId("always").querySelector("select") ?? byId("always-title")).focus();
    await preview();
  }
}

function markSame() {
  const chosen = state.rows.find((one) => one.id === state.chosen);
  if (!chosen) return;
  for (const one of state.rows) if (one.same === chosen.same) state.marked.add(one.id);
  tell(`${state.marked.size} chosen`);
  draw();
}

function toggle(id) {
  if (id === null) return;
  state.marked.has(id) ? state.marked.delete(id) : state.marked.add(id);
  tell(`${state.marked.size} chosen`);
  draw();
}

const ANSWERS = { y: "once", s: "session", a: "always", n: "deny" };

document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input[type=text], textarea, select");
  if (event.key === "Enter" && event.target.id === "words") return act("answer-deny");
  if (event.key === "Escape" && typing) return typing.blur();
  if (typing || event.ctrlKey || event.metaKey || event.altKey || event.repeat || !byId("keys").checked) return;
  const key = event.key;
  if (key in ANSWERS) {
    event.preventDefault();
    if (document.querySelector(`[data-action="answer-${ANSWERS[key]}"]`)) actOnSeen(`answer-${ANSWERS[key]}`);
  } else if (key === "j" || key === "ArrowDown") { event.preventDefault(); step(1); }
  else if (key === "k" || key === "ArrowUp") { event.preventDefault(); step(-1); }
  else if (key === "x") toggle(state.chosen);
  else if (key === "Escape") { state.marked.clear(); draw(); }
  else if (key === "l") markSame();
  else if (key === "u" && state.saved.length) takeBack(state.saved[0].id);
  else if (key === "m") { event.preventDefault(); byId("words")?.focus(); }
});

function tick() {
  const rows = new Map(state.rows.map((one) => [one.id, one]));
  for (const each of document.querySelectorAll("[data-ends]")) each.textContent = rows.has(each.dataset.ends) ? clock(rows.get(each.dataset.ends)) : "";
}

byId("notify").addEventListener("click", async () => {
  if (!("Notification" in window)) return tell("this browser has no notifications");
  tell(`notifications: ${await Notification.requestPermission()}`);
});
byId("keys").checked = localStorage.getItem("execpolicy-keys") !== "off";
byId("keys").addEventListener("change", () => localStorage.setItem("execpolicy-keys", byId("keys").checked ? "on" : "off"));
setInterval(tick, 1000);

let refreshing = false;
let again = false;
async function refreshOnce() {
  if (refreshing) { again = true; return; }
  refreshing = true;
  try { await refresh(); } catch { tell("the server is gone: start `execpolicy ui` again", true); }
  refreshing = false;
  if (again) { again = false; refreshOnce(); }
}
const events = new EventSource("/events");
events.addEventListener("message", refreshOnce);
events.addEventListener("error", () => tell("the server is gone, or restarts", true));
refreshOnce();
