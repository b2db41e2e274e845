package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const (
	movedPrompt = "Move the timetable index to Postgres."
	settledHere = "SQLite for the timetable index, not Postgres"
)

// A start and a prompt are served in Codex and Gemini CLI, by what these send as recorded, in their own events' names.
func TestOtherClientsAreTold(t *testing.T) {
	d := newDesk(t)
	d.says(sessionA, first...)
	d.recall("sync")
	for client, prompts := range map[string]string{"codex": "UserPromptSubmit", "gemini": "BeforeAgent"} {
		for word, more := range map[string]map[string]any{
			"session-start":      {"hook_event_name": "SessionStart", "source": "startup"},
			"user-prompt-submit": {"hook_event_name": prompts, "prompt": movedPrompt},
		} {
			in := map[string]any{"session_id": "of-" + client + "-at-" + word, "transcript_path": nil, "cwd": d.project,
				"timestamp": "2026-11-20T09:00:00.000Z", "model": "m-1", "permission_mode": "default", "turn_id": "1"}
			for k, v := range more {
				in[k] = v
			}
			sent, err := json.Marshal(in)
			must(t, err)
			answer := d.raw(word+" "+client, string(sent))
			if !strings.Contains(answer, `"hookEventName":"`+more["hook_event_name"].(string)+`"`) ||
				!strings.Contains(d.context(answer), settledHere) {
				t.Errorf("%s, %s: %s", client, word, answer)
			}
		}
	}
}

// In OpenCode, the plugin puts both into the system prompt, and gives a sub-agent no page.
func TestOpenCodeIsTold(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("no node to run the plugin with")
	}
	d := newDesk(t)
	d.says(sessionA, first...)
	d.recall("sync")
	install := exec.Command("recall", "setup", "--all", "--only", "hooks", "--client", "opencode")
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	plugin := filepath.Join(d.home, "config", "opencode", "plugins", "recall.mjs")
	must(t, os.Rename(strings.TrimSuffix(plugin, ".mjs")+".js", plugin))
	script := filepath.Join(d.home, "ask.mjs")
	must(t, os.WriteFile(script, []byte(askPlugin), 0o600))
	out, err := exec.Command(node, script, plugin, d.project, movedPrompt).CombinedOutput()
	var told struct{ Session, Agent, Title []string }
	if err != nil || json.Unmarshal(out, &told) != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if len(told.Session) != 2 || !strings.Contains(told.Session[0], "# Earlier work\n") ||
		!strings.Contains(told.Session[1], "Warning from recall") {
		t.Errorf("a session is told %q", told.Session)
	}
	if len(told.Agent) != 1 || !strings.Contains(told.Agent[0], settledHere) {
		t.Errorf("a sub-agent is told %q", told.Agent)
	}
	if len(told.Title) != 1 {
		t.Errorf("the client's own request is told %q", told.Title)
	}
}

// askPlugin calls the plugin as OpenCode does at a prompt: in a session, and in one that a task of it started.
const askPlugin = `
const [, , plugin, directory, prompt] = process.argv
const { Recall } = await import(plugin)
const session = { get: async ({ path }) => ({ data: { time: { created: Date.now() + 1e6 }, parentID: path.id === "ses_b" ? "ses_a" : undefined } }) }
const app = { agents: async () => ({ data: [{ hidden: true, prompt: "Write a title." }, { prompt: "Plan." }] }) }
const on = await Recall({ client: { session, app }, directory })
async function told(sessionID, ...system) {
  await on["chat.message"]({ sessionID }, { parts: [{ type: "text", text: prompt }] })
  await on["experimental.chat.system.transform"]({ sessionID }, { system })
  return system
}
console.log(JSON.stringify({ session: await told("ses_a"), agent: await told("ses_b"), title: await told("ses_a", "Write a title. Be brief.") }))
`
