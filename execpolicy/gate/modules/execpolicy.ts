// execpolicy in front of every tool of this agent. Written by `execpolicy install`, taken away by `execpolicy uninstall`.
import { spawnSync } from "node:child_process"

const COMMAND = ["execpolicy"]
const PATIENCE = 20000 // milliseconds; the hook answers long before

function judge(call: object): { decision?: string; reason: string } {
  const done = spawnSync(COMMAND[0], COMMAND.slice(1), {
    input: JSON.stringify(call), encoding: "utf8", timeout: PATIENCE, killSignal: "SIGKILL", stdio: ["pipe", "pipe", "pipe"],
  })
  const failed = (why: string) => ({
    decision: "deny", reason: `execpolicy failed, so this call is refused (${why}); see \`execpolicy doctor\``,
  })
  if (done.error || done.status !== 0) return failed(done.error?.message ?? done.stderr?.trim() ?? `status ${done.status}`)
  let answer: any
  try { answer = JSON.parse(done.stdout) } catch { return failed("its answer cannot be read") }
  if (answer !== null && typeof answer === "object" && Object.keys(answer).length === 0) return { reason: "" } // not ours
  if (!["allow", "ask", "deny"].includes(answer?.decision)) return failed("its answer has no decision")
  return { decision: answer.decision, reason: String(answer.reason ?? "") }
}

export default function (pi: any) {
  pi.on("tool_call", async (event: any, ctx: any) => {
    let answer: { decision?: string; reason: string }
    try {
      answer = judge({ event: "before", tool: event.toolName, args: event.input ?? {}, cwd: ctx.cwd, person: ctx.hasUI === true })
    } catch (error) {
      return { block: true, reason: `execpolicy failed, so this call is refused (${error})` }
    }
    const { decision, reason } = answer
    if (decision === undefined || decision === "allow") return
    if (decision === "ask" && ctx.hasUI === true && (await ctx.ui.confirm("execpolicy", reason))) return
    return { block: true, reason }
  })
}
