package gemini

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recall/ingest"
	"recall/ingest/ingesttest"
)

const (
	samples = "../testdata/samples/10-gemini"
	main    = "7c0a0000-0000-4000-8000-0000000000a1"
	old     = "7c0a0000-0000-4000-8000-0000000000c3"
	agent   = "8d0b0000-0000-4000-8000-0000000000b2"
)

// copyHome is the samples' folder, to be changed.
func copyHome(t *testing.T) string {
	t.Helper()
	home := filepath.Join(t.TempDir(), ".gemini")
	if err := os.CopyFS(home, os.DirFS(samples)); err != nil {
		t.Fatal(err)
	}
	return home
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func parseBytes(t testing.TB, raw []byte) *ingest.Session {
	t.Helper()
	return ingesttest.Bytes(t, Reader{}, ingest.Transcript, ingest.MainName, raw)
}

// message is a line of what somebody said.
func message(id, kind, text string) string {
	return fmt.Sprintf(`{"id":%q,"timestamp":"2026-03-09T09:00:00.000Z","type":%q,"content":[{"text":%q}]}`, id, kind,
		text) + "\n"
}

// What a tool prints is no refusal of the person's, whatever it says.
func TestOutputIsNoRefusal(t *testing.T) {
	const call = `{"id":"a","timestamp":"2026-03-09T09:00:00.000Z","type":"gemini","content":"","toolCalls":[{"id":"c",` +
		`"name":"web_fetch","args":{},"status":%q,"result":[{"functionResponse":{"response":{%q:%q}}}]}]}` + "\n"
	for _, tt := range []struct {
		status, key, result string
		want                ingest.Verdict
	}{
		{"success", "output", "How to: User did not allow tool call, User denied execution", ingest.Unasked},
		{"error", "error", "404: User did not allow tool call", ingest.Unasked},
		{"cancelled", "error", "[Operation Cancelled] Reason: User did not allow tool call", ingest.Rejected},
		{"error", "error", "User denied execution.", ingest.Rejected},
	} {
		s := parseBytes(t, []byte(message("u", "user", "read it")+fmt.Sprintf(call, tt.status, tt.key, tt.result)+
			message("v", "user", "never use Kafka for the relay")))
		for _, c := range ingest.EachCall(s.Turns) {
			ingesttest.Equal(t, tt.status+" "+tt.result, c.Verdict, tt.want)
		}
	}
}

// What a hook puts before a prompt isn't the prompt; what the client writes again after a cancelled call was said once.
func TestAddedByTheClient(t *testing.T) {
	again := strings.NewReplacer("09:00:00", "09:05:00")
	s := parseBytes(t, []byte(message("a", "user", "<hook_context>&lt;!-- recall abcd2345 --&gt;</hook_context>\n\nwhat is next?\n"+
		"<hook_context>&lt;!-- recall abcd2346 --&gt;</hook_context>")+
		message("b", "gemini", "the tests")+again.Replace(message("c", "user", "<session_context>\nagain")+
		message("d", "gemini", "the tests"))+message("e", "gemini", "the tests")))
	var got []string
	for _, turn := range s.Turns {
		got = append(got, string(turn.ID)+" "+turn.Text)
	}
	ingesttest.Equal(t, "turns", got, []string{"a what is next?", "b the tests", "e the tests"})
	ingesttest.Equal(t, "carried", s.Carried, []string{"abcd2345", "abcd2346"})
}

// What the client and a hook put around a command's output is not its end.
func TestExitCodeInside(t *testing.T) {
	s := parseBytes(t, []byte(`{"id":"a","timestamp":"2026-11-25T20:31:38.249Z","type":"gemini","content":"","toolCalls":[{"id":"c",`+
		`"name":"run_shell_command","args":{"command":"make"},"status":"success","result":[{"functionResponse":{"response":{`+
		`"output":"<untrusted_context>\nOutput: no rule\nExit Code: 2\nProcess Group PGID: 27701\n</untrusted_context>\n\n`+
		`<hook_context>&lt;!-- recall abcd2345 --&gt;\nWarning\n&lt;!-- /recall --&gt;</hook_context>"}}}]}]}`+"\n"))
	call := s.Turns[0].Calls[0]
	ingesttest.Equal(t, "failed", call.Failed, true)
	ingesttest.Equal(t, "result", call.Result, "Exit code 2\nOutput: no rule\nExit Code: 2\nProcess Group PGID: 27701")
	ingesttest.Equal(t, "carried", s.Carried, []string{"abcd2345"})
}

// What was taken back stays, left; a list that the client wrote anew takes nothing away.
func TestRewindAndHistory(t *testing.T) {
	s := parseBytes(t, []byte(message("a", "user", "yes")+message("b", "gemini", "one")+message("c", "user", "yes")+
		message("d", "gemini", "two")+`{"$rewindTo":"c"}`+"\n"+message("c", "user", "no")+
		`{"$set":{"messages":[`+strings.TrimSpace(message("z", "user", "<state_snapshot>\nall\n</state_snapshot>"))+","+
		strings.TrimSpace(message("y", "user", "yes"))+"]}}\n"+message("e", "gemini", "three")))
	var got []string
	for _, turn := range s.Turns {
		got = append(got, fmt.Sprint(turn.ID, " ", turn.Kind, " ", turn.Text, " ", turn.Abandoned))
	}
	ingesttest.Equal(t, "turns", got, []string{"a prompt yes false", "b message one false", "c prompt yes true",
		"d message two true", "c#2 prompt no false", "z summary all false", "e message three false"})
}

// A session takes the memory of its messages, whatever the client notes of itself after each.
func TestManyChanges(t *testing.T) {
	var b bytes.Buffer
	for i := range 3000 {
		b.WriteString(message(fmt.Sprint("m", i), "user", fmt.Sprint("say ", i)))
		b.WriteString(`{"$set":{"lastUpdated":"2026-03-09T09:00:00.000Z"}}` + "\n")
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	ingesttest.Equal(t, "turns", len(parseBytes(t, b.Bytes()).Turns), 3000)
	runtime.ReadMemStats(&after)
	if took := (after.TotalAlloc - before.TotalAlloc) >> 20; took > 60 {
		t.Errorf("3,000 messages with a change each took %d MB", took)
	}
}

// What older clients put behind a prompt isn't typed; what a person ran themselves is a command.
func TestPutBehind(t *testing.T) {
	s := parseBytes(t, []byte(message("a", "user", "See @a.md\n--- Content from referenced files ---\nKafka")+
		message("b", "user", "I ran the following shell command:\n```sh\nmake lint\n```\n\n"+
			"This produced the following result:\n```\nCommand exited with code 2.\nseats.go:3\n```")))
	ingesttest.Equal(t, "prompt", s.Turns[0].Text, "See @a.md")
	ingesttest.Equal(t, "run", string(s.Turns[1].Kind)+" "+s.Turns[1].Text, "shell make lint")
	ingesttest.Equal(t, "how it ended", s.Turns[1].Calls[0].Outcome(), "failed")
}

// What grows keeps the turns that were there, under their ids.
func TestGrowth(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join(samples, "tmp/relay/chats/session-2026-09-14T10-00-7c0a0000.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	had := 0
	for at := range raw {
		if raw[at] != '\n' {
			continue
		}
		s := parseBytes(t, raw[:at+1])
		if len(s.Turns) < had {
			t.Fatalf("at byte %d: got %d turns, had %d", at, len(s.Turns), had)
		}
		had = len(s.Turns)
	}
	ingesttest.Equal(t, "turns", had, 18)
}

// What is known isn't opened; what a client left as a document goes on in lines; a sub-agent alone is a session; the
// folder is named beside the sessions or in projects.json.
func TestFind(t *testing.T) {
	home := copyHome(t)
	files := func(seen ingest.Seen) (names []string, owner map[string]ingest.SessionID) {
		found, problems := Reader{}.Find(context.Background(), home, seen)
		ingesttest.Equal(t, "problems", problems, nil)
		owner = map[string]ingest.SessionID{}
		for _, f := range found {
			places, err := ingest.PlacesOf(Reader{}, f, "")
			for _, file := range f.Files {
				names, owner[file.Path] = append(names, string(f.ID)+" "+file.Name), f.ID
				if err != nil || filepath.Join(ingest.BaseOf(Reader{}, f), places[file.Name]) != file.Path {
					t.Errorf("%s goes to %s, was at %s: %v", file.Name, places[file.Name], file.Path, err)
				}
			}
		}
		return names, owner
	}
	names, owner := files(nil)
	ingesttest.Equal(t, "files", names, []string{main + " " + ingest.MainName, main + " subagents/" + agent + ".jsonl",
		main + " project_root", old + " " + ingest.MainName})
	for path := range owner {
		write(t, path, "x")
	}
	again, _ := files(func(path string, _ int64, _ time.Time) (ingest.SessionID, bool) { return owner[path], true })
	ingesttest.Equal(t, "known files", again, names)

	home = copyHome(t)
	at, err := filepath.Glob(filepath.Join(home, "tmp/*/chats/*.json"))
	if err != nil || len(at) != 1 {
		t.Fatal(at, err)
	}
	write(t, at[0]+"l", `{"sessionId":"`+old+`","projectHash":"x"}`+"\n"+
		message("10000000-0000-4000-8000-000000000001", "user", "Export orders as CSV.")+
		message("10000000-0000-4000-8000-000000000009", "user", "Go on."))
	s := ingesttest.All(t, Reader{}, home)[old]
	ingesttest.Equal(t, "prompts", ingesttest.Texts(s, ingest.Prompt, false),
		[]string{"Export orders as CSV.", "Go on."})
	if err := os.Remove(filepath.Join(home, "tmp/relay/chats/session-2026-09-14T10-00-7c0a0000.jsonl")); err != nil {
		t.Fatal(err)
	}
	s = ingesttest.All(t, Reader{}, home)[main]
	if !strings.HasPrefix(s.Title, ingest.OnlySubagents) || len(s.Subagents) != 1 || s.Start.IsZero() ||
		len(s.Where.Cwds) != 1 {
		t.Errorf("a sub-agent without its session: got %q with %d sub-agents, %v, in %v", s.Title, len(s.Subagents),
			s.Start, s.Where.Cwds)
	}
	if err := os.Remove(filepath.Join(home, "tmp/relay/.project_root")); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(home, "projects.json"), `{"projects":{"/home/x/other":"other","/home/x/relay":"relay"}}`)
	s = ingesttest.All(t, Reader{}, home)[main]
	ingesttest.Equal(t, "folder", s.Where.Cwds[0].Dir, "/home/x/relay")
	none, _ := Reader{}.Find(context.Background(), filepath.Join(samples, "..", "01-branching"), nil)
	ingesttest.Equal(t, "another client's", len(none), 0)
	head, err := ingest.HeadOf(context.Background(), Reader{}, ingest.Found{ID: "s", Files: []ingest.File{
		ingesttest.File(ingest.MainName, ingest.Transcript, []byte(message("k", "user", "hi")))}})
	ingesttest.Equal(t, "keys", fmt.Sprint(head.Keys, err), "[m:k] <nil>")
}

// Nothing that the client gives is believed to be whole.
func TestBadLines(t *testing.T) {
	for name, in := range map[string]struct {
		line    string
		skipped int
	}{
		"torn":          {`{"id":"x","timest` + "\n", 1},
		"binary":        {"\x01\x02\xff\xfe\n", 1},
		"deep":          {`{"id":"x","content":` + strings.Repeat(`{"a":[`, 60_000) + "\n", 1},
		"a list":        {"[1,2]\n", 1},
		"NULs":          {"\x00\x00\n", 0},
		"two on a line": {strings.TrimSpace(message("a", "user", "first")) + message("b", "user", "second"), 0},
		"odd": {`{"id":7,"type":[1],"content":{"a":1}}` + "\n" + `{"$set":5}` + "\n" +
			`{"$rewindTo":"z"}` + "\n", 0},
		"odd call": {`{"id":"c","type":"gemini","content":5,"toolCalls":[5,{"name":"run_shell_command","args":"x",` +
			`"result":{"functionResponse":[]},"status":"error"},{"name":"ask_user","status":"success"}]}` + "\n", 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := parseBytes(t, []byte(in.line+message("z", "user", "goodbye")))
			ingesttest.Equal(t, "skipped", s.Report.SkippedTotal, in.skipped)
			if last := s.Turns[len(s.Turns)-1]; last.Text != "goodbye" || last.Abandoned {
				t.Errorf("the line after it: got %+v", last)
			}
		})
	}
}

// FuzzParse holds that every line is kept, known and ignored by name, or reported, and that an end of line after the
// last one changes nothing.
func FuzzParse(f *testing.F) {
	for _, pattern := range []string{"tmp/*/chats/*.json*", "tmp/*/chats/*/*"} {
		paths, _ := filepath.Glob(filepath.Join(samples, pattern))
		for _, path := range paths {
			raw, err := os.ReadFile(path)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(raw[:min(len(raw), 6<<10)])
			for line := range bytes.Lines(raw) {
				f.Add(line)
			}
		}
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		s := parseBytes(t, raw)
		ended := parseBytes(t, append(bytes.Clone(raw), '\n'))
		if d := cmp.Diff(s.Turns, ended.Turns); d != "" && !s.Report.Tail {
			t.Fatalf("with an end of line at the end (-without +with):\n%s", d)
		}
	})
}

// What can't be read is said, and costs nothing else.
func TestUnreadable(t *testing.T) {
	gone := func(name string, role ingest.FileRole) ingest.File {
		f := ingesttest.File(name, role, nil)
		f.Open = func() (io.ReadCloser, error) { return nil, fs.ErrPermission }
		return f
	}
	s, err := Reader{}.Parse(context.Background(), ingest.Found{ID: "s", Files: []ingest.File{
		ingesttest.File(ingest.MainName, ingest.Transcript, []byte(message("k", "user", "hi"))),
		gone("project_root", ingest.PlaceFile), gone("subagents/a.jsonl", ingest.SubagentFile)}})
	if err != nil {
		t.Fatal(err)
	}
	ingesttest.Equal(t, "prompts", ingesttest.Texts(s, ingest.Prompt, false), []string{"hi"})
	var said []string
	for _, skip := range s.Report.Skipped {
		said = append(said, skip.File)
	}
	ingesttest.Equal(t, "said", said, []string{"project_root", "subagents/a.jsonl"})
}
