package codex

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recall/ingest"
	"recall/ingest/ingesttest"
)

func parseBytes(t testing.TB, raw []byte) *ingest.Session {
	t.Helper()
	return ingesttest.Bytes(t, Reader{}, ingest.Transcript, ingest.MainName, raw)
}

// line is one of a rollout.
func line(kind, payload string) string {
	return `{"timestamp":"2026-03-09T09:00:00.000Z","type":"` + kind + `","payload":` + payload + "}\n"
}

// message is a line of what somebody said.
func message(role, text string) string {
	kind := map[string]string{"user": "input_text", "assistant": "output_text"}[role]
	return line("response_item",
		`{"type":"message","role":"`+role+`","content":[{"type":"`+kind+`","text":"`+text+`"}]}`)
}

// Nothing that the client gives is believed to be whole.
func TestBadLines(t *testing.T) {
	for name, in := range map[string]struct {
		line    string
		skipped int
	}{
		"torn":          {`{"timestamp":"2026-03-09T09:00:00.000Z","type":"resp` + "\n", 1},
		"binary":        {"\x01\x02\xff\xfe\n", 1},
		"deep":          {`{"type":"response_item","payload":` + strings.Repeat(`{"a":[`, 60_000) + "\n", 1},
		"a list":        {"[1,2]\n", 1},
		"two on a line": {strings.TrimSpace(message("user", "first")) + message("user", "second"), 0},
		"NULs":          {"\x00\x00\n", 0},
		"no payload":    {`{"type":"response_item"}` + "\n", 0},
		"odd payload":   {line("response_item", `[1]`) + line("event_msg", `"x"`), 0},
		"odd call": {line("response_item", `{"type":"function_call","name":"shell","call_id":7,`+
			`"arguments":"{\"command\":5"}`) +
			line("response_item", `{"type":"function_call_output","call_id":7,"output":{"a":[]}}`), 0},
		"no call": {line("response_item", `{"type":"function_call_output","call_id":"zz","output":"x"}`), 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := parseBytes(t, []byte(in.line+message("user", "goodbye")))
			ingesttest.Equal(t, "skipped", s.Report.SkippedTotal, in.skipped)
			if last := s.Turns[len(s.Turns)-1]; last.Text != "goodbye" {
				t.Errorf("the line after it: got %+v", last)
			}
		})
	}
}

// What a hook put before the session, as 0.169 writes it, says which payload that continues.
func TestInjectedByHook(t *testing.T) {
	page := "<!-- recall abcd2345 -->\\n" + ingest.PayloadHeading + "\\n- [abcd2345] x\\n<!-- /recall -->"
	s := parseBytes(t, []byte(strings.Replace(message("user", page), `"user"`, `"developer"`, 1)+message("user", "go on")))
	ingesttest.Equal(t, "turns", len(s.Turns), 1)
	ingesttest.Equal(t, "injected", s.Injected, []string{"abcd2345"})
}

// What was refused, stopped and applied, and a plan that the person didn't agree to, as 0.169 writes it; a script's
// prompts are no person's.
func TestOutcomes(t *testing.T) {
	call := func(id, args, output string) string {
		return line("response_item", `{"type":"function_call","name":"exec_command","call_id":"`+id+`","arguments":"`+
			args+`"}`) +
			line("response_item", `{"type":"function_call_output","call_id":"`+id+`","output":"`+output+`"}`)
	}
	started := line("event_msg", `{"type":"task_started","turn_id":"t","collaboration_mode_kind":"plan"}`)
	s := parseBytes(t, []byte(line("session_meta", `{"id":"a","source":"exec"}`)+
		call("asked", `{\"cmd\":\"make deploy\",\"sandbox_permissions\":\"require_escalated\"}`,
			`Wall time: 3.4 seconds\naborted by user`)+message("user", "never on Fridays")+
		call("ran", `{\"cmd\":\"make\"}`, `Wall time: 9 seconds\naborted by user`)+message("user", "go on")+
		call("said", `{\"cmd\":\"tail log\"}`, `Process exited with code 0\nOutput:\naborted by user`)+
		call("patch", `{\"cmd\":\"apply_patch <<'EOF'\\n*** Begin Patch\\n*** Add File: a.py\\n+1\\n*** End Patch\\nEOF\"}`,
			`Wall time: 0 seconds\nOutput:\nExit code: 0\nWall time: 0 seconds\nOutput:\nSuccess. Updated the following files:`)+
		started+message("assistant", "<proposed_plan>\\n# Alerts\\n</proposed_plan>")+started+
		message("user", "by mail only")))
	var got []string
	for _, c := range ingest.EachCall(s.Turns) {
		got = append(got, fmt.Sprint(c.Name, " ", c.Outcome(), " ", c.Reason))
	}
	ingesttest.Equal(t, "outcomes", got, []string{"Bash rejected never on Fridays", "Bash failed ", "Bash ok ",
		"Write ok ", "ExitPlanMode rejected by mail only"})
	ingesttest.Equal(t, "speaker", s.Turns[1].Role, ingest.Program)
	ingesttest.Equal(t, "headless", s.Headless, true)
	s = parseBytes(t, []byte(line("session_meta", `{"id":"a","source":{"subagent":"review"}}`)+message("user", "look")))
	ingesttest.Equal(t, "an agent's", s.Turns[0].Role, ingest.Program)
	beat := `<heartbeat>\n  <automation_id>a-1</automation_id>\n` +
		`  <current_time_iso>2026-10-01T06:00:00Z</current_time_iso>\n` +
		`  <instructions>\nCheck the build.\n  </instructions>\n</heartbeat>\n`
	said := message("user", beat)
	goal := strings.Replace(message("user", `<codex_internal_context source='user_goal'>x</codex_internal_context>`),
		`"role"`, `"internal_chat_message_metadata_passthrough":{"content_item_kinds":["user.goal"]},"role"`, 1)
	marked := strings.Replace(said, `"role"`, `"internal_chat_message_metadata_passthrough":{"content_item_kinds":`+
		`["user.heartbeat"]},"role"`, 1)
	shown := line("event_msg", `{"type":"user_message","message":"`+beat+`"}`)
	s = parseBytes(t, []byte(message("user", "go")+goal+shown+marked+message("assistant", "ok")+said+
		message("user", "on")))
	got = nil
	for _, turn := range s.Turns {
		got = append(got, fmt.Sprint(turn.Role, " ", turn.Kind, " ", turn.Name, " ", turn.Text))
	}
	ingesttest.Equal(t, "woken by a schedule", got, []string{"user prompt  go", "program event wake-up Check the build.",
		"assistant message  ok", "program event wake-up Check the build.", "user prompt  on"})
}

// A picture costs no memory, a line beyond all bounds no other.
func TestGiganticLines(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 300 MB")
	}
	line := func(n int64) io.Reader {
		before, after, _ := strings.Cut(line("response_item", `{"type":"message","role":"user","content":[`+
			`{"type":"input_text","text":"look"},{"type":"input_image","image_url":"…"}]}`), "…")
		return io.MultiReader(strings.NewReader(before), io.LimitReader(endless{}, n), strings.NewReader(after))
	}
	all := io.MultiReader(line(40<<20), line(260<<20), line(3))
	s, err := Reader{}.Parse(context.Background(), ingest.Found{ID: "s", Files: []ingest.File{{Name: ingest.MainName,
		Role: ingest.Transcript, Open: func() (io.ReadCloser, error) { return io.NopCloser(all), nil }}}})
	if err != nil {
		t.Fatal(err)
	}
	ingesttest.Lines(t, s.Report)
	ingesttest.Equal(t, "skipped", s.Report.SkippedTotal, 1)
	ingesttest.Equal(t, "prompts", len(s.Turns), 2)
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'A'
	}
	return len(p), nil
}

// What grows keeps the turns that were there, under their ids.
func TestGrowth(t *testing.T) {
	raw, err := os.ReadFile(rollouts(t, samples, main))
	if err != nil {
		t.Fatal(err)
	}
	whole := parseBytes(t, raw)
	at := map[ingest.TurnID]ingest.Turn{}
	for _, turn := range whole.Turns {
		at[turn.ID] = turn
	}
	for end := range raw {
		if raw[end] != '\n' {
			continue
		}
		s := parseBytes(t, raw[:end+1])
		for _, turn := range s.Turns {
			if later, ok := at[turn.ID]; turn.Kind == ingest.Prompt && (!ok || later.Text != turn.Text) && end > 7000 {
				t.Errorf("at byte %d turn %s is %q, later %q", end, turn.ID, turn.Text, later.Text)
			}
		}
	}
}

// A patch takes the time that its size takes, however many files and lines it has.
func TestLargePatches(t *testing.T) {
	hunk := "*** Begin Patch\n*** Update File: a.go\n@@\n" +
		strings.Repeat("-\told line of forty bytes, or about\n+\tnew one\n", 200_000)
	calls := ingest.Patched(hunk + "*** End Patch\n")
	if len(calls) != 1 || len(calls[0].Edits) != 1 || len(calls[0].Edits[0].Old) > ingest.ClipInput+60 {
		t.Errorf("got %d calls, want one with a clipped edit", len(calls))
	}
	s := &ingest.Session{}
	p := newParser(s)
	files := "*** Begin Patch\n" + strings.Repeat("*** Add File: a\n+x\n", 100_000) + "*** End Patch\n"
	p.addCalls(p.message(), "c", ingest.Patched(files)...)
	if last := p.calls["c"][99_999]; last.ID != "c/99999" {
		t.Errorf("got the id %.20q of %d bytes", last.ID, len(last.ID))
	}
}

// What is said again and again takes the time that its size takes.
func TestManyMessages(t *testing.T) {
	const n = 50_000
	var b strings.Builder
	for i := range n {
		b.WriteString(message("user", fmt.Sprintf("do %06d", i)))
	}
	for i := range n {
		b.WriteString(line("event_msg", fmt.Sprintf(`{"type":"user_message","message":"do %06d"}`, i)))
	}
	for i := range n {
		b.WriteString(message("assistant", fmt.Sprintf("did %06d", i)))
	}
	began := time.Now()
	s := parseBytes(t, []byte(b.String()))
	ingesttest.Equal(t, "turns", len(s.Turns), n+1)
	if took := time.Since(began); took > time.Minute {
		t.Errorf("it took %v", took)
	}
}

// FuzzParse holds that every line is kept, known and ignored by name, or reported, and that an end of line after the
// last one changes nothing.
func FuzzParse(f *testing.F) {
	paths, _ := filepath.Glob(filepath.Join(samples, "sessions", "*", "*", "*", "*"))
	more, _ := filepath.Glob(filepath.Join(samples, "archived_sessions", "*"))
	for _, path := range append(paths, more...) {
		raw, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw[:min(len(raw), 6<<10)])
		lines := bytes.SplitAfter(raw, []byte("\n"))
		for i := range lines {
			f.Add(slices.Concat(lines[i:min(i+3, len(lines))]...))
		}
	}
	f.Add([]byte(strings.Repeat(`{"type":"message","role":"user","content":"hi"}{"type":"compacted","payload":{}}`, 4)))
	f.Fuzz(func(t *testing.T, raw []byte) {
		s := parseBytes(t, raw)
		ended := parseBytes(t, append(bytes.Clone(raw), '\n'))
		if d := cmp.Diff(s.Turns, ended.Turns); d != "" && !s.Report.Tail {
			t.Fatalf("with an end of line at the end (-without +with):\n%s", d)
		}
	})
}
