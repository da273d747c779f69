// execpolicy in front of every tool of this agent. Written by `execpolicy install`, taken away by `execpolicy uninstall`.
import { spawnSync } from "node:child_process"
import { isatty } from "node:tty"

const COMMAND = ["execpolicy"]
const PATIENCE = 20000 // milliseconds; the hook answers long before
const ALONE = new Set(["run", "serve", "web", "acp", "github", "--auto", "--yolo"])
const person = isatty(0) && isatty(1) && !process.argv.slice(1).some((word) => ALONE.has(word))

function judge(call) {
  const done = spawnSync(COMMAND[0], COMMAND.slice(1), {
    input: JSON.stringify(call), encoding: "utf8", timeout: PATIENCE, killSignal: "SIGKILL", stdio: ["pipe", "pipe", "pipe"],
  })
  const failed = (why) => new Error(`execpolicy failed, so this call is refused (${why}); see \`execpolicy doctor\``)
  if (done.error || done.status !== 0) throw failed(done.error?.message ?? done.stderr?.trim() ?? `status ${done.status}`)
  let answer
  try { answer = JSON.parse(done.stdout) } catch { throw failed("its answer cannot be read") }
  const { decision, reason } = answer ?? {}
  if (answer !== null && typeof answer === "object" && Object.keys(answer).length === 0) return {} // not ours to decide
  if (decision !== "allow" && decision !== "ask" && decision !== "deny") throw failed("its answer has no decision")
  return { decision, reason: String(reason ?? "") }
}

// With a person, the agent asks before every command, and this plugin answers where there is nothing to ask.
function asking(permission) {
  const rules = typeof permission === "string" ? { "*": permission } : { ...permission }
  return { ...rules, bash: "ask" }
}

export const ExecPolicy = async ({ client, directory }) => {
  const allowed = new Map()
  let asks = false
  return {
    config: async (settings) => {
      if (!person) return
      settings.permission = asking(settings.permission)
      for (const agent of Object.values({ ...settings.agent, ...settings.mode }))
        if (agent?.permission !== undefined) agent.permission = asking(agent.permission)
      asks = true
    },
    event: async ({ event }) => {
      if (event.type !== "permission.asked") return
      const { id, sessionID, tool, metadata } = event.properties
      const command = tool && allowed.get(tool.callID)
      if (command === undefined || (metadata?.command ?? command) !== command) return
      allowed.delete(tool.callID)
      await client.postSessionIdPermissionsPermissionId({ path: { id: sessionID, permissionID: id }, body: { response: "once" } })
    },
    "tool.execute.before": async (input, output) => {
      const { decision, reason } = judge({ event: "before", tool: input.tool, args: output.args ?? {}, cwd: directory, person })
      if (decision === "allow") allowed.set(input.callID, output.args?.command ?? "")
      if (decision === "deny") throw new Error(reason)
      if (decision === "ask" && !(asks && input.tool === "bash")) throw new Error(`${reason} (no one can be asked here)`)
    },
  }
}
