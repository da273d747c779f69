// A host that embeds `execpolicy serve`: it asks before it runs a tool. Node 18 or newer, no packages.
//
//     node host.mjs ls -la

import { spawn, spawnSync } from "node:child_process";
import { createInterface } from "node:readline";

const program = (process.env.EXECPOLICY ?? "execpolicy").split(" ");

class Gatekeeper {
  constructor(...options) {
    const argv = [...program, "serve", "--ask", "host", ...options];
    this.process = spawn(argv[0], argv.slice(1), { stdio: ["pipe", "pipe", "inherit"] });
    this.waiting = new Map();
    this.number = 0;
    this.over = new Promise((resolve) => this.process.on("close", resolve));
    createInterface({ input: this.process.stdout }).on("line", (line) => {
      const message = JSON.parse(line);
      if (message.type === "policy.decision") {
        this.waiting.get(message.id)?.(message);
        this.waiting.delete(message.id);
      }
    });
    // Whatever is still waiting when the policy goes away is denied.
    this.process.on("close", () => {
      for (const [id, answer] of this.waiting) {
        answer({ id, decision: "deny", reason: "the policy is not available" });
      }
    });
    this.process.on("error", () => {});
    this.process.stdin.on("error", () => {});
  }

  send(body) {
    this.process.stdin.write(JSON.stringify({ v: 1, ts: Date.now(), ...body }) + "\n");
  }

  decide(tool, args) {
    const id = `call-${++this.number}`;
    return new Promise((resolve) => {
      this.waiting.set(id, resolve);
      this.send({ type: "tool.request", id, tool, args, requires_policy: true });
    });
  }

  report(id, ok) {
    this.send({ type: "tool.result", id, ok });
  }

  close() {
    this.process.stdin.end();
    return this.over;
  }
}

const argv = process.argv.slice(2);
const gatekeeper = new Gatekeeper();
const decision = await gatekeeper.decide("shell", { argv });
console.log(`${decision.decision}: ${decision.reason}`);
const ok = decision.decision === "allow" && spawnSync(argv[0], argv.slice(1), { stdio: "inherit" }).status === 0;
gatekeeper.report(decision.id, ok);
await gatekeeper.close();
process.exitCode = ok ? 0 : 1;
