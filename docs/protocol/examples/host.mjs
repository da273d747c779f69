// A host that embeds `execpolicy serve`: it asks before it runs a tool. Node 18 or newer, no packages.
//
//     node host.mjs ls -la

import { spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { createInterface } from "node:readline";
import { createInterface as createPrompt } from "node:readline/promises";

const program = (process.env.EXECPOLICY ?? "execpolicy").split(" ");

class Gatekeeper {
  constructor(...options) {
    const argv = [...program, "serve", "--ask", "host", ...options];
    this.process = spawn(argv[0], argv.slice(1), { stdio: ["pipe", "pipe", "inherit"] });
    this.waiting = new Map();
    this.gone = false;
    this.over = new Promise((resolve) => this.process.on("close", resolve));
    createInterface({ input: this.process.stdout }).on("line", (line) => this.take(line));
    this.process.on("close", () => this.giveUp());
    this.process.on("error", () => this.giveUp());
    this.process.stdin.on("error", () => {});
  }

  // Whatever is not understood is passed over.
  take(line) {
    let message;
    try {
      message = JSON.parse(line);
    } catch {
      return;
    }
    if (message?.v !== 1) return;
    if (message.type === "policy.abort") this.giveUp();
    if (message.type !== "policy.decision") return;
    const waiting = this.waiting.get(message.id);
    if (waiting === undefined || (message.request_nonce ?? waiting.nonce) !== waiting.nonce) return;
    this.waiting.delete(message.id);
    waiting.resolve(message);
  }

  // Whatever is still waiting when the policy goes away is denied.
  giveUp() {
    this.gone = true;
    for (const [id, { resolve }] of this.waiting) {
      resolve({ id, decision: "deny", reason: "the policy is not available" });
    }
    this.waiting.clear();
  }

  send(body) {
    this.process.stdin.write(JSON.stringify({ v: 1, ts: Date.now(), ...body }) + "\n");
  }

  decision(id, nonce) {
    return new Promise((resolve) => {
      this.waiting.set(id, { nonce, resolve });
      if (this.gone) this.giveUp();
    });
  }

  // The policy's decision on one call: allow, deny, or ask, which `answer` is for.
  request(tool, args) {
    const id = `call-${randomBytes(4).toString("hex")}`;
    const nonce = randomBytes(8).toString("hex");
    const decided = this.decision(id, nonce);
    this.send({ type: "tool.request", id, nonce, tool, args, requires_policy: true });
    return decided;
  }

  // The decision after a person has answered: one of the question's `choices`.
  answer(question, choice) {
    const decided = this.decision(question.id, question.request_nonce);
    this.send({ type: "policy.answer", id: question.id, answer: choice });
    return decided;
  }

  report(id, ok) {
    this.send({ type: "tool.result", id, ok });
  }

  close() {
    this.process.stdin.end();
    return this.over;
  }
}

// Whether a call may run at once, by a program that can keep to no constraints.
function mayRun({ decision, constraints, expires_in_ms }) {
  return decision === "allow" && Object.keys(constraints ?? {}).length === 0 && expires_in_ms !== 0;
}

async function person() {
  if (!process.stdin.isTTY) return "unavailable";
  const prompt = createPrompt({ input: process.stdin, output: process.stderr });
  const said = await prompt.question("run it? [y/N] ");
  prompt.close();
  return said.trim().toLowerCase() === "y" ? "once" : "deny";
}

const argv = process.argv.slice(2);
const gatekeeper = new Gatekeeper();
let decision = await gatekeeper.request("shell", { argv, cwd: process.cwd() });
console.log(`${decision.decision}: ${decision.reason}`);
if (decision.decision === "ask") decision = await gatekeeper.answer(decision, await person());
const ok = mayRun(decision) && spawnSync(argv[0], argv.slice(1), { stdio: "inherit" }).status === 0;
gatekeeper.report(decision.id, ok);
await gatekeeper.close();
process.exitCode = ok ? 0 : 1;
