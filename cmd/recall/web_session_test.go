package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"recall/ingest"
)

// writeLarge writes a session of so many turns, half of them prompts, of so many bytes each on the mean.
func writeLarge(tb testing.TB, home string, turns, bytes int) ingest.SessionID {
	var said []string
	for i := range turns / 2 {
		line := fmt.Sprintf("This is what part %d of the program does with its input. ", i)
		said = append(said, fmt.Sprintf("Prompt %d. ", i)+strings.Repeat(line, 2*bytes/len(line)))
	}
	return writeSession(tb, filepath.Join(home, ".claude", "projects", "large"), 1, said...)
}

// All turns of a long session are on its page, or those from one on, each once.
func TestWebLongSession(t *testing.T) {
	t.Parallel()
	onlyWords(t)
	home, recall := asProgram(t)
	page := "/session/" + string(writeLarge(t, home, 300, 1000))
	recall(nil, "sync")
	get := enter(t, startWeb(t, home, filepath.Join(home, "Recall")))
	for path, first := range map[string]int{page: 1, page + "?from=251": 251, page + "?find=part": 1} {
		places := regexp.MustCompile(`<section class="told" id="n(\d+)">`).FindAllStringSubmatch(get(path, nil), -1)
		if len(places) != 301-first {
			t.Fatalf("%s: %d turns", path, len(places))
		}
		for i, place := range places {
			if place[1] != strconv.Itoa(first+i) {
				t.Fatalf("%s: %s is at %d", path, place[1], first+i)
			}
		}
	}
}

// ofRecords writes a transcript of records that lack what all have.
func ofRecords(t *testing.T, home, id string, records ...string) {
	t.Helper()
	writeRecords(t, filepath.Join(home, ".claude", "projects", "-home-ann-app", id+".jsonl"), id, records...)
}

func writeRecords(t *testing.T, path, id string, records ...string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o700))
	var b strings.Builder
	for i, record := range records {
		fmt.Fprintf(&b, `{%s,"sessionId":%q,"timestamp":"2026-04-02T09:%02d:00.000Z","cwd":"/home/ann/app",`+
			`"version":"2.1.200","userType":"external","isSidechain":%t}`+"\n", record, id, i,
			strings.Contains(path, "subagents"))
	}
	must(t, os.WriteFile(path, []byte(b.String()), 0o600))
}

// A session's sub-agents are pages of their own, also one that no call is known of; what was rewound is told from what
// was continued; and what is said there is found.
func TestWebAgentsAndBranches(t *testing.T) {
	t.Parallel()
	home, recall := asProgram(t)
	id := "00000003-0000-4000-8000-000000000001"
	said := func(kind, uuid, parent, content string) string {
		return fmt.Sprintf(`"type":%q,"uuid":%q,"parentUuid":%q,"message":{"id":%q,"type":"message","role":%q,`+
			`"model":"claude-opus-4-8","content":%s}`, kind, uuid, parent, uuid, kind, content)
	}
	call := `[{"type":"tool_use","id":"t1","name":"Task","input":{"description":"Look for tables","prompt":"Look.",` +
		`"subagent_type":"Explore"}}]`
	result := `[{"type":"tool_result","tool_use_id":"t1","content":"done","is_error":false}]`
	records := []string{
		`"type":"user","uuid":"u1","parentUuid":null,"message":{"role":"user","content":"Where do failed jobs go?"}`,
		said("assistant", "a1", "u1", call),
		said("user", "r1", "a1", result) + `,"toolUseResult":{"status":"completed","agentId":"a1"}`,
		said("assistant", "a2", "r1", `[{"type":"text","text":"To dead_jobs."}]`),
		said("user", "u2", "a2", `"Retry them ten times."`),
		said("assistant", "a3", "u2", `[{"type":"text","text":"Ten tries it is."}]`),
		said("user", "u3", "a2", `"Retry them five times."`),
		said("assistant", "a4", "u3", `[{"type":"text","text":"Five tries it is."}]`)}
	ofRecords(t, home, id, records...)
	dir := filepath.Join(home, ".claude", "projects", "-home-ann-app", id, "subagents")
	for _, agent := range []string{"a1", "b2"} {
		writeRecords(t, filepath.Join(dir, "agent-"+agent+".jsonl"), id,
			fmt.Sprintf(`"type":"user","uuid":"s1%[1]s","parentUuid":null,"agentId":%[1]q,"message":{"role":"user",`+
				`"content":"Look for the table of %[1]s."}`, agent),
			said("assistant", "s2"+agent, "s1"+agent, `[{"type":"text","text":"It is dead_jobs, says `+agent+`."}]`)+
				fmt.Sprintf(`,"agentId":%q`, agent))
	}
	recall(nil, "sync")
	get := enter(t, startWeb(t, home, filepath.Join(home, "Recall")))
	page := "/session/" + id
	holds := func(page string, want ...string) {
		t.Helper()
		for _, w := range want {
			if !regexp.MustCompile(w).MatchString(page) {
				t.Errorf("%q isn't in\n%.6000s", w, page)
			}
		}
	}
	whole := get(page, nil)
	holds(whole, `1 sub-agent without a known call`, `agent=b2`,
		`(?s)<summary>(Agent|Task)\b.*<p class="agent"><a href="[^"]*agent=a1">Sub-agent Explore</a>`,
		`(?s)A branch that was abandoned.*ten times.*The branch that was continued.*five times`,
		`class="turn user abandoned"`)
	if strings.Contains(whole, "Look for the table") {
		t.Error("a sub-agent's turns stand among the session's")
	}
	holds(get(page+"?agent=b2", nil), `Look for the table of b2`, `Task given to it`, `Back to the session`)
	holds(get(page+"?turn=s2a1", nil), `says a1`, `Back to the session`)
	holds(get(page+"?find=says+b2", nil), `>[^<]*turn`, `<mark>says b2</mark>`)
	if strings.Contains(get(page+"?agent=nosuch", nil), "Back to the session") {
		t.Error("a sub-agent that isn't there has a page")
	}
}
