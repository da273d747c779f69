// An agent's side of the policy protocol: it asks before it runs a command. Node 18 or newer, no packages.
//
//     execpolicy arbiter -- node child.mjs touch made

import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { writeSync } from "node:fs";
import { createInterface } from "node:readline";

const prefix = process.env.EXECPOLICY_EVENT_PREFIX ?? "";
const run_id = process.env.EXECPOLICY_RUN_ID;
let patience = 300_000; // milliseconds to wait for a decision, until a ping says better

// One event line, in one write.
function say(type, id, fields) {
  writeSync(1, prefix + JSON.stringify({ v: 1, type, ts: Date.now(), id, run_id, ...fields }) + "\n");
}

// The call's id, and why it must not run; null if it may. Whatever is not clearly a yes is a no.
function ask(tool, args, rationale) {
  const id = `call-${randomBytes(4).toString("hex")}`;
  const nonce = randomBytes(8).toString("hex");
  return new Promise((resolve) => {
    let timer;
    const settle = (whyNot) => {
      clearTimeout(timer);
      resolve({ id, whyNot });
    };
    const wait = () => {
      clearTimeout(timer);
      timer = setTimeout(() => settle("policy timeout"), patience);
    };
    // Standard input is the control channel. What is not understood is passed over.
    createInterface({ input: process.stdin })
      .on("line", (line) => {
        let message;
        try {
          message = JSON.parse(line);
        } catch {
          return;
        }
        if (message?.v !== 1) return;
        if (message.type === "policy.abort") {
          settle("the session is aborted");
        } else if (message.type === "policy.ping") {
          if (Number.isInteger(message.timeout_ms)) patience = message.timeout_ms + 1000; // its own denial comes first
          wait();
          say("policy.ping", String(message.id), { capabilities: ["policy.decision.v1"] });
        } else if (message.type === "policy.decision" && message.id === id) {
          if ((message.request_nonce ?? nonce) === nonce) settle(refusal(message));
        }
      })
      .on("close", () => settle("the policy is gone"));
    wait();
    say("tool.request", id, { tool, args, requires_policy: true, nonce, rationale });
  });
}

// Why a decision does not let this program run its command. It is looked at when it arrives, and the command starts
// at once, so that only one that has expired by then has.
function refusal(decision) {
  if (decision.decision !== "allow") return String(decision.reason);
  if (decision.constraints && Object.keys(decision.constraints).length > 0) {
    return "this program cannot keep to constraints";
  }
  return decision.expires_in_ms === 0 ? "the decision has expired" : null;
}

const argv = process.argv.slice(2);
const { id, whyNot } = await ask("shell", { argv, cwd: process.cwd() }, "the user asked for it");
if (whyNot !== null) {
  say("tool.result", id, { ok: false, error: whyNot });
  console.log(`not run: ${whyNot}`);
  process.exit(1);
}
const { status } = spawnSync(argv[0], argv.slice(1), { stdio: ["ignore", "inherit", "inherit"] });
say("tool.result", id, { ok: status === 0 });
process.exit(status ?? 1);
