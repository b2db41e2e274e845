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
	"github.com/klauspost/compress/zstd"

	"recall/ingest"
)

const (
	samples = "../testdata/samples/09-codex"
	main    = "01a00000-0000-7000-8000-00000000000a"
	fork    = "01a00000-0000-7000-8000-00000000000b"
	agent   = "01a00000-0000-7000-8000-00000000000c"
	paged   = "01a00000-0000-7000-8000-00000000000d"
	oldest  = "01a00000-0000-7000-8000-00000000000e"
)

// parseAll parses every session under path, by id.
func parseAll(t *testing.T, path string) map[ingest.SessionID]*ingest.Session {
	t.Helper()
	found, problems := Reader{}.Find(context.Background(), path, nil)
	for _, p := range problems {
		t.Errorf("find: %s: %s", p.Path, p.Reason)
	}
	out := map[ingest.SessionID]*ingest.Session{}
	for _, f := range found {
		s, err := Reader{}.Parse(context.Background(), f)
		if err != nil {
			t.Fatal(err)
		}
		checkReport(t, s)
		out[s.ID] = s
	}
	return out
}

// checkReport holds that every line is accounted for.
func checkReport(t *testing.T, s *ingest.Session) {
	t.Helper()
	r := s.Report
	if sum := r.Records + r.Duplicates + r.Blank + r.SkippedTotal; r.Lines != sum {
		t.Errorf("%s: got %d lines, want %d: %+v", s.ID, r.Lines, sum, r)
	}
}

func want[T any](t *testing.T, what string, got, want T) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

// copyHome is the samples' folder, to be changed.
func copyHome(t *testing.T) string {
	t.Helper()
	home := filepath.Join(t.TempDir(), ".codex")
	if err := os.CopyFS(home, os.DirFS(samples)); err != nil {
		t.Fatal(err)
	}
	return home
}

func rollouts(t *testing.T, home, end string) string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(home, "sessions", "*", "*", "*", "*"+end+".jsonl"))
	if err != nil || len(all) != 1 {
		t.Fatalf("%s: got %v, %v", end, all, err)
	}
	return all[0]
}

func TestProvenance(t *testing.T) {
	s := parseAll(t, samples)[main]
	want(t, "unknown", s.Report.Unknown, map[string]int{"event future_event": 1, "future_thing": 1,
		"response_item future_item": 1})
	if s.Report.Tail == nil || s.Report.SkippedTotal != 0 {
		t.Errorf("got tail %v and %d skipped, want the half line as the tail", s.Report.Tail, s.Report.SkippedTotal)
	}
	for i := range s.Turns {
		turn := &s.Turns[i]
		for _, theirs := range []string{"Kafka", "environment_context", "Filesystem sandboxing", "turn_aborted",
			"subagent_notification", "IDE setup", "Redis here"} {
			if strings.Contains(turn.Text, theirs) {
				t.Errorf("turn %d says %q, which nobody typed or said: %q", turn.N, theirs, turn.Text)
			}
		}
	}
	if s.Turns[1].Thinking == "" {
		t.Error("the summary of the reasoning is lost")
	}
	want(t, "tokens", s.Usage, ingest.Usage{Input: 8000, Output: 350, CacheRead: 13000})
}

func TestCalls(t *testing.T) {
	s := parseAll(t, samples)[main]
	by := map[string]*ingest.ToolCall{}
	for _, c := range ingest.EachCall(s.Turns) {
		by[c.ID] = c
	}
	want(t, "edited", by["call_a5/1"].Edits, []ingest.Edit{{Old: "\tack(id)\n\tcommit(id)\n", New: "\tcommit(id)\n\tack(id)\n"}})
	want(t, "deleted", by["call_a5/2"].Name+" "+by["call_a5/2"].Path, "delete_file internal/old_ack.go")
	want(t, "refused", by["call_a6"].Verdict, ingest.Rejected)
	want(t, "reason", by["call_a6"].Reason, "Never delete the spool, it holds deliveries that were not sent yet.")
	want(t, "patch that failed", by["call_b2"].Failed, true)
	want(t, "written by a command", by["call_b3"].Failed, false)
	want(t, "ended later", by["call_b4"].Result, "Exit code 2\nsoaking\nerror: spool is full")
	want(t, "commit", by["call_a8"].Commit, "9c8b7a6")
	want(t, "answer", by["call_a4"].Answers[0].Chosen, []string{"SQLite"})
	want(t, "sub-agent's call", s.Subagents[0].Call, "call_b1")
	want(t, "sub-agent's turns", len(s.Subagents[0].Turns), 3)
	var open []string
	for _, task := range s.Tasks {
		if task.Status != "completed" {
			open = append(open, task.Subject)
		}
	}
	want(t, "open tasks", open, []string{"Document the retry limit"})
}

func TestFork(t *testing.T) {
	all := parseAll(t, samples)
	for _, order := range [][]*ingest.Session{{all[main], all[fork]}, {all[fork], all[main]}} {
		ingest.Own(order)
		want(t, "parent", all[fork].Parent, &ingest.Parent{Session: main, How: ingest.HowBranch, Turns: 13})
		for i := range all[main].Turns {
			if all[main].Turns[i].Copied {
				t.Errorf("turn %d of the parent counts as a copy", i+1)
			}
		}
	}
	found, _ := Reader{}.Find(context.Background(), samples, nil)
	keys := map[string]int{}
	for _, f := range found {
		head, err := Reader{}.Head(context.Background(), f)
		if err != nil || head.Empty {
			t.Errorf("%s: got head %+v, %v", f.ID, head, err)
		}
		for _, k := range head.Keys {
			keys[k]++
		}
	}
	shared := 0
	for _, n := range keys {
		shared += n / 2
	}
	want(t, "keys that the fork and its parent share, and no others", shared, 1)
}

// A client that numbers its turns writes forks that are told by the thread that they name, and all said before.
func TestForkOfOldClients(t *testing.T) {
	home := copyHome(t)
	for _, end := range []string{main, fork} {
		path := rollouts(t, home, end)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		old := strings.NewReplacer(`"turn_id":"01a0aaaa-0000-7000-8000-`, `"turn_id":"`, `,"forked_from_id":"`+main+`"`, ``).
			Replace(string(text))
		if err := os.WriteFile(path, []byte(old), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	all := parseAll(t, home)
	ingest.Own([]*ingest.Session{all[fork], all[main]})
	want(t, "parent", all[fork].Parent, &ingest.Parent{Session: main, How: ingest.HowBranch, Turns: 13})
}

func TestPlanIsAgreedTo(t *testing.T) {
	s := parseAll(t, samples)[paged]
	var plans []string
	for _, c := range ingest.EachCall(s.Turns) {
		if c.Plan != nil {
			plans = append(plans, string(c.Verdict)+" "+strings.SplitN(c.Plan.Text, "\n", 2)[0])
		}
	}
	want(t, "plans", plans, []string{"approved # Export orders as CSV"})
	want(t, "what the client said for the person", s.Turns[2].Kind, ingest.Event)
	want(t, "tokens", s.Usage, ingest.Usage{Input: 800, Output: 40, CacheRead: 100})
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

func TestPackedAndPutAway(t *testing.T) {
	home := copyHome(t)
	before := parseAll(t, home)
	path := rollouts(t, home, main)
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	enc, _ := zstd.NewWriter(nil)
	packed := filepath.Join(home, "archived_sessions", filepath.Base(path)+".zst")
	if err := os.WriteFile(packed, enc.EncodeAll(raw, nil), 0o600); err != nil {
		t.Fatal(err)
	}
	both := parseAll(t, home)[main]
	want(t, "lines that both have", both.Report.Duplicates, before[main].Report.Lines-9)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	after := parseAll(t, home)
	for _, s := range []*ingest.Session{both, after[main]} {
		var ids, was []ingest.TurnID
		for i := range s.Turns {
			ids = append(ids, s.Turns[i].ID)
		}
		for i := range before[main].Turns {
			was = append(was, before[main].Turns[i].ID)
		}
		want(t, "turns", ids, was)
	}
	found, _ := Reader{}.Find(context.Background(), home, nil)
	for _, f := range found {
		places, err := Reader{}.Places(f, "")
		if err != nil || Reader.Base(Reader{}, f) == "" {
			t.Errorf("%s: got %v, %v", f.ID, places, err)
		}
		for _, file := range f.Files {
			if filepath.Join(Reader{}.Base(f), places[file.Name]) != file.Path {
				t.Errorf("%s goes to %s, was at %s", file.Name, places[file.Name], file.Path)
			}
		}
	}
}

// A thread that was taken back goes on in another file.
func TestTakenBack(t *testing.T) {
	home := copyHome(t)
	later := `{"timestamp":"2026-09-14T11:00:00.000Z","ordinal":9,"type":"session_meta","payload":{"id":"` + paged +
		`","timestamp":"2026-09-14T11:00:00.000Z","cwd":"/home/ann/shop","cli_version":"0.155.0","history_base":{"thread_id":"` +
		paged + `","end_ordinal_exclusive":9}}}
{"timestamp":"2026-09-14T11:00:05.000Z","ordinal":10,"type":"response_item","payload":{"type":"message","role":"user",` +
		`"content":[{"type":"input_text","text":"Export as JSON instead."}],"internal_chat_message_metadata_passthrough":` +
		`{"content_item_kinds":["user.text"]}}}
`
	name := filepath.Join(home, "archived_sessions", "rollout-2026-09-14T11-00-00-"+paged+"_"+oldest+".jsonl")
	if err := os.WriteFile(name, []byte(later), 0o600); err != nil {
		t.Fatal(err)
	}
	s := parseAll(t, home)[paged]
	var stands []string
	for _, turn := range s.Turns {
		if !turn.Abandoned {
			stands = append(stands, turn.Text)
		}
	}
	want(t, "what stands", stands, []string{"<task>Plan the export of orders as CSV.</task>", "Here is the plan.",
		"Export as JSON instead."})
}

// What is known isn't opened; a sub-agent whose parent is not there is a session of its own, and nobody's.
func TestFind(t *testing.T) {
	home := copyHome(t)
	found, _ := Reader{}.Find(context.Background(), home, nil)
	owner := map[string]ingest.SessionID{}
	var ids []string
	for _, f := range found {
		ids = append(ids, fmt.Sprint(f.ID, " ", len(f.Files)))
		for _, file := range f.Files {
			owner[file.Path] = f.ID
			if err := os.WriteFile(file.Path, bytes.Repeat([]byte("x"), int(file.Size)), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	want(t, "sessions and files", ids, []string{main + " 2", fork + " 1", paged + " 1", oldest + " 1"})
	again, problems := Reader{}.Find(context.Background(), home, func(path string, _ int64, _ time.Time) (ingest.SessionID, bool) {
		return owner[path], owner[path] != ""
	})
	want(t, "problems", problems, nil)
	names := func(all []ingest.Found) (list []string) {
		for _, f := range all {
			for _, file := range f.Files {
				list = append(list, string(f.ID)+" "+file.Name)
			}
		}
		return list
	}
	want(t, "known files", names(again), names(found))

	home = copyHome(t)
	if err := os.Remove(rollouts(t, home, main)); err != nil {
		t.Fatal(err)
	}
	alone := parseAll(t, home)[agent]
	if alone == nil || !alone.Helper || len(alone.Turns) != 3 {
		t.Fatalf("got %+v, want a helper's session", alone)
	}
	one, _ := Reader{}.Find(context.Background(), rollouts(t, home, fork), nil)
	want(t, "a file by itself", names(one), []string{fork + " " + mainName})
	none, _ := Reader{}.Find(context.Background(), filepath.Join(samples, "..", "01-branching"), nil)
	want(t, "another client's", len(none), 0)
}

// Nothing that the client gives is believed to be whole.
func TestBadLines(t *testing.T) {
	fine := `{"timestamp":"2026-03-09T09:00:00.000Z","type":"response_item","payload":{"type":"message","role":"user",` +
		`"content":[{"type":"input_text","text":"hello"}]}}` + "\n"
	for name, in := range map[string]struct {
		line    string
		skipped int
	}{
		"torn":          {`{"timestamp":"2026-03-09T09:00:00.000Z","type":"resp` + "\n", 1},
		"binary":        {"\x01\x02\xff\xfe\n", 1},
		"deep":          {`{"type":"response_item","payload":` + strings.Repeat(`{"a":[`, 60_000) + "\n", 1},
		"a list":        {"[1,2]\n", 1},
		"two on a line": {strings.TrimSpace(strings.Replace(fine, "hello", "first", 1)) + strings.Replace(fine, "hello", "2nd", 1), 0},
		"NULs":          {"\x00\x00\n", 0},
		"no payload":    {`{"type":"response_item"}` + "\n", 0},
		"odd payload":   {`{"type":"response_item","payload":[1]}` + "\n" + `{"type":"event_msg","payload":"x"}` + "\n", 0},
		"odd call": {`{"type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{\"command\":5","call_id":7}}` +
			"\n" + `{"type":"response_item","payload":{"type":"function_call_output","call_id":7,"output":{"a":[]}}}` + "\n", 0},
		"no call": {`{"type":"response_item","payload":{"type":"function_call_output","call_id":"zz","output":"x"}}` + "\n", 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := parseBytes(t, []byte(in.line+strings.Replace(fine, "hello", "goodbye", 1)))
			checkReport(t, s)
			want(t, "skipped", s.Report.SkippedTotal, in.skipped)
			if last := s.Turns[len(s.Turns)-1]; last.Text != "goodbye" {
				t.Errorf("the line after it: got %+v", last)
			}
		})
	}
}

// A picture costs no memory, a line beyond all bounds no other.
func TestGiganticLines(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 300 MB")
	}
	line := func(n int64) io.Reader {
		return io.MultiReader(strings.NewReader(`{"type":"response_item","payload":{"type":"message","role":"user","content":[`+
			`{"type":"input_text","text":"look"},{"type":"input_image","image_url":"`), io.LimitReader(endless{}, n),
			strings.NewReader(`"}]}}`+"\n"))
	}
	all := io.MultiReader(line(40<<20), line(260<<20), line(3))
	s, err := Reader{}.Parse(context.Background(), ingest.Found{ID: "s", Files: []ingest.File{{Name: mainName,
		Role: ingest.Transcript, Open: func() (io.ReadCloser, error) { return io.NopCloser(all), nil }}}})
	if err != nil {
		t.Fatal(err)
	}
	checkReport(t, s)
	want(t, "skipped", s.Report.SkippedTotal, 1)
	want(t, "prompts", len(s.Turns), 2)
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'A'
	}
	return len(p), nil
}

func parseBytes(t testing.TB, raw []byte) *ingest.Session {
	t.Helper()
	s, err := Reader{}.Parse(context.Background(), ingest.Found{ID: "s", Files: []ingest.File{{Name: mainName,
		Role: ingest.Transcript, Size: int64(len(raw)),
		Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(raw)), nil }}}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// FuzzParse holds that every line is kept, known and ignored by name, or reported; that each turn has a name, in clean
// UTF-8; and that an end of line after the last one changes nothing.
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
	f.Add([]byte(strings.Repeat(`{"type":"message","role":"user","content":"hello"}{"type":"compacted","payload":{}}`, 4)))
	f.Fuzz(func(t *testing.T, raw []byte) {
		s := parseBytes(t, raw)
		checkReport(t, s)
		if s.Report.Bytes != int64(len(raw)) {
			t.Fatalf("got %d bytes, want %d", s.Report.Bytes, len(raw))
		}
		ids := map[ingest.TurnID]bool{}
		for i, turn := range s.Turns {
			if turn.N != i+1 || turn.ID == "" || ids[turn.ID] || turn.Role == "" || turn.Kind == "" {
				t.Fatalf("turn %d: got %+v, want number, an id of its own, role and kind", i+1, turn)
			}
			ids[turn.ID] = true
			for _, text := range []string{turn.Text, turn.Thinking} {
				if strings.ToValidUTF8(text, "") != text || strings.Contains(text, "\x00") {
					t.Fatalf("turn %d: got %q, want clean UTF-8", turn.N, text)
				}
			}
			for _, c := range turn.Calls {
				if len(c.Result) > 4*ingest.ClipResult {
					t.Fatalf("turn %d: got a result of %d bytes", turn.N, len(c.Result))
				}
			}
		}
		ended := parseBytes(t, append(bytes.Clone(raw), '\n'))
		if d := cmp.Diff(s.Turns, ended.Turns); d != "" && s.Report.Tail == nil {
			t.Fatalf("with an end of line at the end (-without +with):\n%s", d)
		}
	})
}

// What a person adds to the client's sentence is theirs.
func TestPlanIsAgreedToInOwnWords(t *testing.T) {
	said := func(role, text string) string {
		kind := map[string]string{"user": "input_text", "assistant": "output_text"}[role]
		return `{"timestamp":"2026-03-09T09:00:00.000Z","type":"response_item","payload":{"type":"message","role":"` + role +
			`","content":[{"type":"` + kind + `","text":"` + text + `"}]}}` + "\n"
	}
	for text, kind := range map[string]ingest.TurnKind{
		"Implement the plan.": ingest.Event,
		"Implement the plan. If this thread has no active goal, make": ingest.Event,
		"Implement the plan. But never use floats for money.":         ingest.Prompt,
	} {
		s := parseBytes(t, []byte(said("user", "Plan it.")+
			said("assistant", "<proposed_plan>Stream rows</proposed_plan>")+said("user", text)))
		last := s.Turns[len(s.Turns)-1]
		want(t, text, last.Kind, kind)
		want(t, text, s.Turns[1].Calls[0].Verdict, ingest.Approved)
	}
}

// A patch takes the time that its size takes, however many files and lines it has.
func TestLargePatches(t *testing.T) {
	hunk := "*** Begin Patch\n*** Update File: a.go\n@@\n" + strings.Repeat("-\told line of forty bytes, or about\n+\tnew one\n", 200_000)
	calls := patched(hunk + "*** End Patch\n")
	if len(calls) != 1 || len(calls[0].Edits) != 1 || len(calls[0].Edits[0].Old) > ingest.ClipInput+10 {
		t.Errorf("got %d calls, want one with a clipped edit", len(calls))
	}
	s := &ingest.Session{}
	p := newParser(s)
	p.add(p.message(), "c", patched("*** Begin Patch\n"+strings.Repeat("*** Add File: a\n+x\n", 100_000)+"*** End Patch\n")...)
	if last := p.calls["c"][99_999]; last.ID != "c/99999" {
		t.Errorf("got the id %.20q of %d bytes", last.ID, len(last.ID))
	}
}

// A sub-agent's own sub-agent goes on while it waits: it belongs to the session at the top, also where what is known
// isn't opened. A file is its name's, at the first look as at the next.
func TestFindWhatGrewAlone(t *testing.T) {
	home := copyHome(t)
	nested := "01a00000-0000-7000-8000-0000000000f0"
	path := filepath.Join(home, "sessions", "2026", "03", "09", "rollout-2026-03-09T09-07-00-"+nested+".jsonl")
	meta := `{"timestamp":"2026-03-09T09:07:00.000Z","type":"session_meta","payload":{"id":"` + nested +
		`","cwd":"/home/ann/relay","source":{"subagent":{"thread_spawn":{"parent_thread_id":"` + agent + `","depth":2}}}}}` + "\n"
	odd := filepath.Join(home, "sessions", "rollout-2026-03-09T09-08-00-01a00000-0000-7000-8000-0000000000f1.jsonl")
	for at, text := range map[string]string{path: meta, odd: strings.Replace(meta, nested, "other", 1)} {
		text = strings.Replace(text, agent, map[bool]string{true: "nobody", false: agent}[at == odd], 1)
		if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	owners := func(seen ingest.Seen) map[string]ingest.SessionID {
		found, problems := Reader{}.Find(context.Background(), home, seen)
		want(t, "problems", problems, nil)
		all := map[string]ingest.SessionID{}
		for _, f := range found {
			for _, file := range f.Files {
				all[file.Path] = f.ID
			}
		}
		return all
	}
	first := owners(nil)
	want(t, "a sub-agent's sub-agent's", first[path], main)
	want(t, "again", owners(func(path string, _ int64, _ time.Time) (ingest.SessionID, bool) {
		return first[path], !strings.Contains(path, nested)
	}), first)
}
