package cowork

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recall/ingest"
	"recall/ingest/ingesttest"
)

const testID = "local_a0000000-0000-4000-8000-00000000000a"

// A disk is a made-up account folder with one session in it.
type disk struct {
	t       testing.TB
	account string
}

func newDisk(t testing.TB) disk {
	t.Helper()
	return disk{t, filepath.Join(t.TempDir(), sessionsFolder, "org", "ws")}
}

// put writes a file of the account's folder.
func (d disk) put(name, content string) string {
	d.t.Helper()
	path := filepath.Join(d.account, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		d.t.Fatal(err)
	}
	return path
}

func (d disk) audit(lines ...string) {
	d.put(testID+"/audit.jsonl", strings.Join(lines, "\n")+"\n")
}

func (d disk) transcript(name string, lines ...string) {
	d.put(testID+"/.claude/projects/-sessions-p/"+name+".jsonl", strings.Join(lines, "\n")+"\n")
}

func (d disk) record(fields string) {
	d.put(testID+".json", `{"sessionId":"`+testID+`","processName":"p","cwd":"/sessions/p",`+
		`"createdAt":1785747590000`+fields+`}`)
}

// parseSession parses the only session there is.
func (d disk) parseSession() *ingest.Session {
	d.t.Helper()
	found, problems := Reader{}.Find(context.Background(), d.account, nil)
	if len(found) != 1 {
		d.t.Fatalf("%d sessions, problems %v; want one", len(found), problems)
	}
	return ingesttest.Parse(d.t, Reader{}, found[0])
}

// Lines of a log and of a transcript; sec is the time after 10:00.
func heardAt(sec int, fields string) string {
	return fmt.Sprintf(`{%s,"session_id":"c1","parent_tool_use_id":null,`+
		`"_audit_timestamp":"2026-08-03T10:%02d:%02d.000Z"}`, fields, sec/60, sec%60)
}

func heardUser(sec int, uuid, text string) string {
	return heardAt(sec, fmt.Sprintf(`"type":"user","uuid":%q,"message":{"role":"user","content":%q}`, uuid, text))
}

func heardSays(sec int, uuid, id, text string) string {
	return heardAt(sec, fmt.Sprintf(`"type":"assistant","uuid":%q,"message":{"id":%q,"role":"assistant","model":"m",`+
		`"content":[{"type":"text","text":%q}]}`, uuid, id, text))
}

func heardCall(sec int, uuid, id, call, tool, input string) string {
	return heardAt(sec, fmt.Sprintf(`"type":"assistant","uuid":%q,"message":{"id":%q,"role":"assistant","model":"m",`+
		`"content":[{"type":"tool_use","id":%q,"name":%q,"input":%s}]}`, uuid, id, call, tool, input))
}

func lineAt(sec int, uuid, parent, fields string) string {
	p := "null"
	if parent != "" {
		p = fmt.Sprintf("%q", parent)
	}
	return fmt.Sprintf(`{"uuid":%q,"parentUuid":%s,"isSidechain":false,"sessionId":"c1","cwd":"/sessions/p",`+
		`"timestamp":"2026-08-03T10:%02d:%02d.000Z",%s}`, uuid, p, sec/60, sec%60, fields)
}

func lineUser(sec int, uuid, parent, text string) string {
	return lineAt(sec, uuid, parent, fmt.Sprintf(`"type":"user","message":{"role":"user","content":%q}`, text))
}

func lineSays(sec int, uuid, parent, id, text string) string {
	return lineAt(sec, uuid, parent,
		fmt.Sprintf(`"type":"assistant","message":{"id":%q,"role":"assistant","model":"m","content":[{"type":"text",`+
			`"text":%q}]}`, id, text))
}

func lineCall(sec int, uuid, parent, id, call, tool, input string) string {
	return lineAt(sec, uuid, parent,
		fmt.Sprintf(`"type":"assistant","message":{"id":%q,"role":"assistant","model":"m","content":[{"type":"tool_use",`+
			`"id":%q,"name":%q,"input":%s}]}`, id, call, tool, input))
}

func lineResult(sec int, uuid, parent, call, text string) string {
	return lineAt(sec, uuid, parent,
		fmt.Sprintf(`"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":%q,`+
			`"content":%q}]}`, call, text))
}

// outline is a session in few words.
func outline(s *ingest.Session) []string {
	var list []string
	for _, t := range s.Turns {
		words := string(t.Kind) + ": " + t.Text
		for _, c := range t.Calls {
			words += " [" + c.Name
			if c.Done {
				words += " done"
			}
			if c.Verdict != "" {
				words += " " + string(c.Verdict)
			}
			if c.Reason != "" {
				words += ": " + c.Reason
			}
			words += "]"
		}
		if t.File == "audit.jsonl" {
			words += " (audit)"
		}
		list = append(list, words)
	}
	return list
}

func wantOutline(t *testing.T, s *ingest.Session, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, outline(s)); diff != "" {
		t.Errorf("turns, -want +got:\n%s", diff)
	}
}

func TestAuditOnlyPromptsOnce(t *testing.T) {
	d := newDisk(t)
	d.audit(
		heardUser(0, "a", "yes"),
		heardUser(1, "b", " yes\n"), // the echo, other uuid
		heardSays(2, "c", "m1", "Done."),
		heardUser(3, "d", "yes"), // said again after an answer
		heardAt(4, `"type":"user","uuid":"e","isReplay":true,"message":{"role":"user","content":[{"type":"text",`+
			`"text":"yes"}]}`),
		heardSays(5, "f", "m2", "Done again."),
		heardAt(6, `"type":"user","uuid":"g","isReplay":true,"message":{"role":"user","content":"only echoed"}`),
	)
	s := d.parseSession()
	wantOutline(t, s, "prompt: yes (audit)", "message: Done. (audit)", "prompt: yes (audit)",
		"message: Done again. (audit)", "prompt: only echoed (audit)")
	if diff := cmp.Diff([]string{"a", "b"}, s.Turns[0].Records); diff != "" {
		t.Errorf("records of the first prompt, -want +got:\n%s", diff)
	}
}

func TestAuditOnlyWhole(t *testing.T) {
	d := newDisk(t)
	d.audit(
		heardAt(0, `"type":"system","subtype":"init","cwd":"/sessions/p","claude_code_version":"2.1.220"`),
		`{"type":"user","uuid":"a","session_id":"local_x","message":{"role":"user","content":"Move `+
			`it.","_audit_timestamp":"2026-08-03T10:00:01Z"}}`,
		heardAt(2, `"type":"assistant","uuid":"b","message":{"id":"m1","content":[{"type":"text","text":"I ask."}]}`),
		heardCall(3, "c", "m1", "t1", "AskUserQuestion",
			`{"questions":[{"question":"Where to?","header":"Place","multiSelect":false,"options":[{"label":"Leipzig",`+
				`"description":""},{"label":"Berlin","description":""}]}]}`),
		heardAt(9,
			`"type":"user","uuid":"d","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1",`+
				`"content":"x"}]},"tool_use_result":{"answers":{"Where to?":"Leipzig"}}`),
		heardAt(10, `"type":"system","subtype":"compact_boundary","uuid":"e","compact_metadata":{"trigger":"auto",`+
			`"pre_tokens":9000,"post_tokens":800}`),
		heardSays(11, "f", "m2", "Leipzig."),
		heardAt(12, `"type":"result","subtype":"success","uuid":"g","result":"Leipzig.","total_cost_usd":0.5,`+
			`"modelUsage":{"m":{"inputTokens":10,"outputTokens":20}}`),
		heardSays(13, "h", "m3", "One more."),
		heardAt(14, `"type":"result","subtype":"success","uuid":"i","result":"One `+
			`more.","total_cost_usd":0.75,"modelUsage":{"m":{"inputTokens":15,"outputTokens":30}}`),
		heardAt(14, `"type":"result","subtype":"error_during_execution","uuid":"i2"`), // states no cost
		heardSays(15, "j", "m4", "After a restart."),
		heardAt(16, `"type":"result","subtype":"success","uuid":"k","total_cost_usd":0.25,`+
			`"modelUsage":{"m":{"inputTokens":5,"outputTokens":6}}`),
		heardAt(17, `"type":"brand_new","uuid":"l"`),
		heardAt(18, `"type":"system","subtype":"brand_new","uuid":"m"`),
	)
	s := d.parseSession()
	wantOutline(t, s, "prompt: Move it. (audit)", "message: I ask. [AskUserQuestion done] (audit)",
		"message: Leipzig. (audit)", "message: One more. (audit)", "message: After a restart. (audit)")
	if a := s.Turns[1].Calls[0].Answers; len(a) != 1 || !cmp.Equal(a[0].Chosen, []string{"Leipzig"}) {
		t.Errorf("answers %+v", a)
	}
	if s.Usage.Input != 20 || s.Usage.Output != 36 {
		t.Errorf("usage %+v; want 20 in and 36 out", s.Usage)
	}
	if want := time.Date(2026, 8, 3, 10, 0, 1, 0, time.UTC); !s.Start.Equal(want) {
		t.Errorf("start %v, want %v", s.Start, want)
	}
	want := map[string]int{"audit brand_new": 1, "audit system brand_new": 1}
	if diff := cmp.Diff(want, s.Report.Unknown); diff != "" {
		t.Errorf("unknown, -want +got:\n%s", diff)
	}
	if diff := cmp.Diff([]ingest.SessionID{"local_x", "c1"}, s.Aliases); diff != "" {
		t.Errorf("aliases, -want +got:\n%s", diff)
	}
	if s.Title != "Move it." {
		t.Errorf("title %q, want %q", s.Title, "Move it.")
	}
}

func TestJoin(t *testing.T) {
	d := newDisk(t)
	d.record("")
	d.transcript("c1",
		lineUser(60, "u1", "", "First."),
		lineSays(62, "u2", "u1", "m1", "One."),
		lineUser(120, "u3", "u2", "Second."),
		lineCall(122, "u4", "u3", "m2", "t1", "Write", `{"file_path":"/sessions/p/mnt/outputs/x","content":"y"}`),
	)
	d.audit(
		heardUser(0, "a0", "Before all."),
		heardSays(2, "a1", "m0", "Zero."),
		heardUser(59, "a2", "First."), // other uuid, the same words
		heardSays(62, "a3", "m1", "One."),
		heardUser(90, "a4", "Lost in between."),
		heardSays(92, "a5", "mX", "Lost answer."),
		heardUser(121, "u3", "Second."),
		heardCall(122, "u4", "m2", "t1", "Write", `{"file_path":"/sessions/p/mnt/outputs/x","content":"y"}`),
		heardAt(123, `"type":"user","uuid":"a6","message":{"role":"user","content":[{"type":"tool_result",`+
			`"tool_use_id":"t1","content":"ok"}]}`),
		heardSays(124, "a7", "m3", "The transcript ends before this."),
	)
	s := d.parseSession()
	wantOutline(t, s,
		"prompt: Before all. (audit)", "message: Zero. (audit)",
		"prompt: First.", "message: One.",
		"prompt: Lost in between. (audit)", "message: Lost answer. (audit)",
		"prompt: Second.", "message:  [Write done]",
		"message: The transcript ends before this. (audit)")
}

// The same words said twice are two prompts, each with its own partner.
func TestJoinRepeatedWords(t *testing.T) {
	d := newDisk(t)
	d.transcript("c1",
		lineUser(10, "u1", "", "yes"), lineSays(11, "u2", "u1", "m1", "One."),
		lineUser(20, "u3", "u2", "yes"), lineSays(21, "u4", "u3", "m2", "Two."))
	d.audit(heardUser(9, "a1", "yes"), heardSays(11, "a2", "m1", "One."), heardUser(19, "a3", "yes"),
		heardSays(21, "a4", "m2", "Two."),
		heardUser(30, "a5", "yes"))
	wantOutline(t, d.parseSession(), "prompt: yes", "message: One.", "prompt: yes", "message: Two.", "prompt: yes (audit)")
}

func TestClicks(t *testing.T) {
	rm := `{"command":"rm -r x"}`
	ask := func(sec int, id, tool, input string) string {
		return heardAt(sec, fmt.Sprintf(`"type":"system","subtype":"permission_request","uuid":%q,"tool_name":%q,`+
			`"tool_input":%s`, id, tool, input))
	}
	reply := func(sec int, id, tool string, granted bool) string {
		return heardAt(sec, fmt.Sprintf(`"type":"system","subtype":"permission_response","uuid":%q,"tool_name":%q,`+
			`"decision":"d","granted":%v`, id, tool, granted))
	}
	d := newDisk(t)
	d.transcript("c1",
		lineUser(0, "u1", "", "Clean up."),
		lineCall(10, "u2", "u1", "m1", "t1", "Bash", rm),
		lineResult(15, "u3", "u2", "t1", "gone"),
		lineCall(40, "u4", "u3", "m2", "t2", "Bash", rm), // the same once more
		lineUser(60, "u5", "u4", "Keep it, I need it."),
		lineCall(70, "u6", "u5", "m3", "t3", "Write", `{"file_path":"a","content":"b c"}`),
		lineCall(80, "u7", "u6", "m4", "t4", "Edit", `{"file_path":"a"}`),
		lineCall(90, "u8", "u7", "m5", "t5", "Read", `{"file_path":"a"}`),
	)
	d.audit(
		ask(11, "r1", "Bash", rm), reply(13, "r1", "Bash", true),
		ask(41, "r2", "Bash", rm), reply(50, "r2", "Bash", false),
		ask(71, "r3", "Write", `{ "file_path" : "a", "content":"b c" }`), reply(75, "r3", "Write", true),
		// other input, but the only one
		ask(81, "r4", "Edit", `{"file_path":"a","shown":true}`), reply(82, "r4", "Edit", false),
		ask(91, "r5", "Read", `{"file_path":"a"}`), // nobody answered
		heardAt(92,
			`"type":"system","subtype":"permission_denied","tool_name":"Read","tool_use_id":"t5","message":"no"`),
		ask(95, "r6", "mcp__x__send", `{"to":"bob"}`), reply(96, "r6", "mcp__x__send", false),
		// its call stands nowhere
	)
	wantOutline(t, d.parseSession(),
		"prompt: Clean up.",
		"message:  [Bash done approved]",
		"message:  [Bash rejected: Keep it, I need it.]",
		"prompt: Keep it, I need it.",
		"message:  [Write approved]",
		"message:  [Edit rejected]",
		"message:  [Read denied] [mcp__x__send done rejected]")
}

func TestStop(t *testing.T) {
	stop := func(sec int, kind string) string {
		return heardAt(sec, fmt.Sprintf(`"type":"result","subtype":%q,"uuid":"stop%d","is_error":true,`+
			`"terminal_reason":"aborted_tools"`, kind, sec))
	}
	d := newDisk(t)
	d.transcript("c1",
		lineUser(0, "u1", "", "Go."), lineSays(2, "u2", "u1", "m1", "Going."),
		lineAt(5, "u3", "u2", `"type":"user","message":{"role":"user","content":[{"type":"text","text":"[Request `+
			`interrupted by user]"}]}`),
		lineUser(60, "u4", "u3", "Again."), lineSays(62, "u5", "u4", "m2", "Going again."),
		lineUser(120, "u6", "u5", "Last."))
	d.audit(stop(6, "error_during_execution"), stop(70, "success"))
	s := d.parseSession()
	wantOutline(t, s, "prompt: Go.", "message: Going.", "interrupt: [Request interrupted by user]",
		"prompt: Again.", "message: Going again.", "interrupt: [Stopped by the person] (audit)", "prompt: Last.")
}

func TestSeveralTranscripts(t *testing.T) {
	d := newDisk(t)
	d.record(`,"cliSessionId":"b2"`)
	d.transcript("b2", // the current one: a fork of the other, then its own
		lineUser(0, "u1", "", "First."), lineSays(2, "u2", "u1", "m1", "One."),
		lineUser(100, "u5", "u2", "After the restart."), lineSays(102, "u6", "u5", "m3", "Three."))
	d.transcript("z1",
		lineUser(0, "u1", "", "First."), lineSays(2, "u2", "u1", "m1", "One."))
	s := d.parseSession()
	wantOutline(t, s, "prompt: First.", "message: One.", "prompt: After the restart.", "message: Three.")
	if diff := cmp.Diff([]ingest.SessionID{"c1", "z1", "b2"}, s.Aliases); diff != "" {
		t.Errorf("aliases, -want +got:\n%s", diff)
	}
	for _, turn := range s.Turns {
		if turn.Abandoned {
			t.Errorf("%q counts as abandoned", turn.Text)
		}
	}
	if s.Parent != nil || s.Report.Duplicates != 2 {
		t.Errorf("parent %+v, %d duplicates; want none and 2", s.Parent, s.Report.Duplicates)
	}
	if got := s.Turns[2].File; got != "transcripts/b2.jsonl" {
		t.Errorf("file %q, want transcripts/b2.jsonl", got)
	}
}

// Two transcripts without a line in common are one conversation after the other.
func TestTranscriptsOfTwoRuns(t *testing.T) {
	d := newDisk(t)
	d.record(`,"cliSessionId":"a9"`)
	d.transcript("a9", lineUser(100, "u5", "", "Later."), lineSays(102, "u6", "u5", "m3", "Three."))
	d.transcript("b1", lineUser(0, "u1", "", "Earlier."), lineSays(2, "u2", "u1", "m1", "One."))
	s := d.parseSession()
	wantOutline(t, s, "prompt: Earlier.", "message: One.", "prompt: Later.", "message: Three.")
	for _, turn := range s.Turns {
		if turn.Abandoned {
			t.Errorf("%q counts as abandoned", turn.Text)
		}
	}
}

func TestSubagentsAndSpilledResults(t *testing.T) {
	d := newDisk(t)
	d.record(`,"cliSessionId":"c1"`)
	d.transcript("c1", lineUser(0, "u1", "", "Go."),
		lineCall(1, "u2", "u1", "m1", "t1", "Bash", `{"command":"ls"}`),
		lineResult(2, "u3", "u2", "t1",
			"<persisted-output>\nOutput too large. Full output saved to: /x/c1/tool-results/b1.txt\n\nPreview\n"+
				"</persisted-output>"))
	side := testID + "/.claude/projects/-sessions-p/c1/"
	d.put(side+"tool-results/b1.txt", "all of it")
	d.put(side+"subagents/agent-a1.jsonl", strings.ReplaceAll(lineUser(1, "s1", "", "Look."), `"isSidechain":false`,
		`"isSidechain":true,"agentId":"a1"`)+"\n")
	d.put(side+"subagents/agent-a1.meta.json", `{"agentType":"Explore"}`)
	d.put(side+"subagents/journal.jsonl", `{"type":"started"}`)
	s := d.parseSession()
	wantOutline(t, s, "prompt: Go.", "message:  [Bash done]")
	if got := s.Turns[1].Calls[0].Spilled; got != "c1/tool-results/b1.txt" {
		t.Errorf("spilled %q, want c1/tool-results/b1.txt", got)
	}
	if len(s.Subagents) != 1 || s.Subagents[0].Type != "Explore" || len(s.Subagents[0].Turns) != 1 {
		t.Errorf("sub-agents %+v", s.Subagents)
	}
}

func TestJoinQueuedTogether(t *testing.T) {
	d := newDisk(t)
	d.transcript("c1", lineUser(10, "u1", "", "Compare the first two offers.\nAnd then the third offer as well."),
		lineSays(11, "u2", "u1", "m1", "One."))
	d.audit(heardUser(9, "a1", "Compare the first two offers."),
		heardUser(10, "a2", "And then the third offer as well."),
		heardSays(11, "a3", "m1", "One."))
	wantOutline(t, d.parseSession(), "prompt: Compare the first two offers.\nAnd then the third offer as well.",
		"message: One.")
}

func TestFailedMessages(t *testing.T) {
	d := newDisk(t)
	d.transcript("c1", lineAt(0, "u1", "",
		`"type":"user","entrypoint":"remote_cowork","message":{"role":"user","content":"Go."}`))
	d.audit(heardUser(0, "u1", "Go."),
		heardAt(1, `"type":"assistant","uuid":"a1","error":"rate_limit","message":{"id":"e1","model":"m",`+
			`"content":[{"type":"text","text":"Too many requests."}]}`))
	s := d.parseSession()
	wantOutline(t, s, "prompt: Go.", "event: Too many requests. (audit)")
}
