// recall in OpenCode: what was settled, at a session's start and when something goes against it.
// Written by recall setup, removed by recall setup --remove.
import { spawn } from "node:child_process"

const recall = []

// ask calls recall at an event; whatever goes wrong, it has nothing to say.
function ask(event, input) {
  return new Promise((resolve) => {
    const child = spawn(recall[0], [...recall.slice(1), "hook", event, "opencode"], { stdio: ["pipe", "pipe", "ignore"] })
    const timer = setTimeout(() => child.kill(), 15000)
    let said = ""
    child.on("error", () => resolve({}))
    child.stdin.on("error", () => {})
    child.stdout.on("data", (part) => (said += part))
    child.on("close", () => {
      clearTimeout(timer)
      try {
        resolve(JSON.parse(said))
      } catch {
        resolve({})
      }
    })
    child.stdin.end(JSON.stringify(input))
  })
}

// The client's names of arguments as recall has them: filePath is file_path.
const named = (args) =>
  Object.fromEntries(Object.entries(args ?? {}).map(([k, v]) => [k.replace(/[A-Z]/g, (c) => "_" + c.toLowerCase()), v]))

export const Recall = async ({ client, directory }) => {
  const begun = Date.now()
  const sessions = new Map() // what each is told: at its start, and at its last prompt
  const notes = new Map() // what a tool's result is told, by call
  const input = (id, more) => ({ session_id: id, cwd: directory, ...more })
  const context = (answer) => answer.hookSpecificOutput?.additionalContext ?? ""

  // The client's own requests, for a title or a summary, begin with the prompt of an agent that it doesn't show.
  let hidden
  async function isClients(system) {
    try {
      hidden ??= (await client.app.agents()).data.filter((a) => a.hidden && a.prompt)
    } catch {
      return false
    }
    return hidden.some((a) => system[0]?.startsWith(a.prompt))
  }

  async function session(id, source) {
    if (!sessions.has(id)) {
      const made = (await client.session.get({ path: { id } }).catch(() => ({}))).data
      source ??= made?.time?.created < begun ? "compact" : "startup" // the prompt that had it before isn't kept
      sessions.set(id, made?.parentID ? {} : { start: context(await ask("session-start", input(id, { source }))) })
    }
    return sessions.get(id)
  }

  return {
    "chat.message": async ({ sessionID }, { parts }) => {
      const own = await session(sessionID)
      const prompt = parts.filter((p) => p.type === "text" && !p.synthetic).map((p) => p.text).join("\n")
      const answer = await ask("user-prompt-submit", input(sessionID, { prompt }))
      own.note = context(answer)
      if (answer.decision === "block") throw new Error(answer.reason)
    },
    "experimental.chat.system.transform": async ({ sessionID }, { system }) => {
      if (!sessionID || (await isClients(system))) return
      const own = await session(sessionID)
      system.push(...[own.start, own.note].filter(Boolean))
    },
    "tool.execute.before": async ({ tool, sessionID, callID }, { args }) => {
      const answer = await ask("pre-tool-use", input(sessionID, { tool_name: tool, tool_input: named(args) }))
      const said = answer.hookSpecificOutput ?? {}
      if (said.permissionDecision === "deny") throw new Error(said.permissionDecisionReason)
      if (said.additionalContext) notes.set(callID, said.additionalContext)
    },
    "tool.execute.after": async ({ callID }, result) => {
      if (notes.has(callID)) result.output += "\n\n" + notes.get(callID)
      notes.delete(callID)
    },
    "experimental.session.compacting": async ({ sessionID }) => {
      await ask("pre-compact", input(sessionID, { trigger: "auto" }))
      sessions.delete(sessionID)
      await session(sessionID, "compact")
    },
    event: async ({ event }) => {
      if (event.type === "session.idle") await ask("session-end", input(event.properties.sessionID, { reason: "idle" }))
    },
  }
}
