package claudecode

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"recall/ingest"
	"recall/ingest/ingesttest"
	"recall/ingest/jsonl"
)

const fine = `{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"s","timestamp":"2026-03-02T09:00:00.000Z",` +
	`"cwd":"/home/ann/app","version":"2.1.39","message":{"role":"user","content":"hello"}}` + "\n"

func TestBadLines(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	binary := make([]byte, 4096)
	for i := range binary {
		binary[i] = byte(rnd.Uint32())
	}
	deep := `{"type":"user","message":` + strings.Repeat(`{"a":[`, 60_000) + "\n"
	tests := []struct {
		name, in string
		skipped  int
		reason   string
	}{
		{"torn in the middle", `{"type":"user","mess` + "\n", 1, jsonl.ErrCut.Error()},
		{"binary", strings.ReplaceAll(string(binary), "\n", "") + "\n", 1, "binary data"},
		{"deeply nested", deep, 1, jsonl.ErrDeep.Error()},
		{"nested as deep as is allowed",
			`{"type":"mode","x":` + strings.Repeat("[", 9_000) + strings.Repeat("]", 9_000) +
				"}\n", 0, ""},
		{"a list", "[1,2]\n", 1, "not a JSON object"},
		{"two on one line", strings.TrimSpace(fine) + `{"type":"mode"}` + "\n", 0, ""},
		{"one and a half on one line", `{"type":"mode"}{"type":` + "\n", 1, jsonl.ErrCut.Error()},
		{"NULs", "\x00\x00\x00\n", 0, ""},
		{"NULs in a line", strings.Replace(fine, "hello", "hel\x00lo", 1), 0, ""},
		{"invalid UTF-8", strings.Replace(fine, "hello", "caf\xe9", 1), 0, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := parseBytes(t, []byte(tt.in+strings.NewReplacer("u1", "u2", "hello", "goodbye").Replace(fine)))
			ingesttest.Equal(t, "skipped", s.Report.SkippedTotal, tt.skipped)
			if tt.skipped > 0 {
				ingesttest.Equal(t, "place and reason", s.Report.Skipped[0].Reason, tt.reason)
				ingesttest.Equal(t, "line", s.Report.Skipped[0].Line, 1)
			}
			if last := s.Turns[len(s.Turns)-1]; last.Text != "goodbye" || last.ID != "u2" {
				t.Errorf("the line after it: got %+v, want goodbye", last)
			}
		})
	}
}

func TestEmptyFiles(t *testing.T) {
	for name, in := range map[string]string{
		"empty": "", "blank": "\n\n",
		"bookkeeping": `{"type":"permission-mode","permissionMode":"plan","sessionId":"s"}` +
			"\n",
	} {
		s := parseBytes(t, []byte(in))
		if len(s.Turns) != 0 || s.Report.SkippedTotal != 0 {
			t.Errorf("%s: got %d turns and %d skipped, want none", name, len(s.Turns), s.Report.SkippedTotal)
		}
	}
}

// TestGiganticLines holds that what is bounded by the largest line is less
// than that where the line is an image, and that longer lines are reported.
func TestGiganticLines(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 500 MB")
	}
	image := io.MultiReader(
		strings.NewReader(`{"type":"user","uuid":"i","message":{"content":[{"type":"text","text":"look"},`+
			`{"type":"image","source":{"type":"base64","data":"`),
		io.LimitReader(endless{}, 200<<20), strings.NewReader(`"}}]}}`+"\n"))
	tooLong := io.MultiReader(strings.NewReader(`{"type":"user","message":{"content":"`),
		io.LimitReader(endless{}, jsonl.MaxLine), strings.NewReader(`"}}`+"\n"))
	all := io.MultiReader(image, tooLong, strings.NewReader(fine))
	file := ingest.File{Name: ingest.MainName, Role: ingest.Transcript, Open: func() (io.ReadCloser,
		error) {
		return io.NopCloser(all), nil
	}}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	s, err := Reader{}.Parse(context.Background(), ingest.Found{ID: "s", Files: []ingest.File{file}})
	if err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	ingesttest.Lines(t, s.Report)
	ingesttest.Equal(t, "prompts", ingesttest.Texts(s, ingest.Prompt, false), []string{"look", "hello"})
	ingesttest.Equal(t, "skipped", s.Report.SkippedTotal, 1)
	ingesttest.Equal(t, "where", s.Report.Skipped[0].Line, 2)
	if mb := (after.TotalAlloc - before.TotalAlloc) >> 20; mb > 20 {
		t.Errorf("got %d MB allocated over all, want less than 20", mb)
	}
}

// endless is an endless stream of base64.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'A'
	}
	return len(p), nil
}

func TestNonsenseTimes(t *testing.T) {
	in := strings.Replace(fine, "2026-03-02T09:00:00.000Z", "1970-01-01T00:00:00.000Z", 1) +
		strings.NewReplacer("u1", "u2", "hello", "second", "2026-03-02", "2999-01-01").Replace(fine) +
		strings.NewReplacer("u1", "u3", "hello", "third").Replace(fine) +
		strings.NewReplacer("u1", "u4", "hello", "fourth", "2026-03-02T09:00:00.000Z", "yesterday").Replace(fine)
	in += strings.NewReplacer("u1", "u5", "hello", "fifth", `"2026-03-02T09:00:00.000Z"`, "1772442000000").Replace(fine)
	s := parseBytes(t, []byte(in))
	ingesttest.Equal(t, "milliseconds", s.Turns[4].At, time.UnixMilli(1772442000000).UTC())
	ingesttest.Equal(t, "order", ingesttest.Texts(s, ingest.Prompt, false),
		[]string{"hello", "second", "third", "fourth", "fifth"})
	ingesttest.Equal(t, "start", s.Start.Year(), 2026)
	ingesttest.Equal(t, "end", s.End.Year(), 2026)
}

func TestUnknownType(t *testing.T) {
	s := parseBytes(t, []byte(fine+`{"type":"hologram","uuid":"x"}`+"\n"))
	ingesttest.Equal(t, "unknown", s.Report.Unknown, map[string]int{"hologram": 1})
}

func TestIDsThatLeaveTheFolder(t *testing.T) {
	for _, id := range []ingest.SessionID{"", "..", ".", "../x", `..\x`, "a/b", `C:x`, "a\x00b", ".hidden", " x", "a\nb",
		ingest.SessionID(strings.Repeat("x", 300))} {
		if _, err := (Reader{}).Parse(context.Background(), ingest.Found{ID: id}); err == nil {
			t.Errorf("id %q: got no error, want it refused", id)
		}
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "odd.jsonl"), strings.Replace(fine, `"sessionId":"s"`, `"sessionId":"../../etc/passwd"`,
		1))
	found, problems := Reader{}.Find(context.Background(), dir, nil)
	ingesttest.Equal(t, "found", listed(found), []string{"etc-passwd-3754d6cb transcript.jsonl"})
	ingesttest.Equal(t, "problems", len(problems), 0)
}

// TestOddFileNames holds that no name of a file costs its bytes.
func TestOddFileNames(t *testing.T) {
	dir := t.TempDir()
	bare := strings.Replace(fine, `"sessionId":"s",`, "", 1)
	for _, stem := range []string{"my notes (old) ünï", "会議", "con", "ends.", "plain-1", strings.Repeat("x", 180)} {
		write(t, filepath.Join(dir, stem+".jsonl"), bare)
	}
	found, problems := Reader{}.Find(context.Background(), dir, nil)
	ingesttest.Equal(t, "problems", len(problems), 0)
	ids := map[string]bool{}
	for _, f := range found {
		ids[string(f.ID)] = true
		if ingest.FolderID(string(f.ID)) != string(f.ID) {
			t.Errorf("id %q isn't fit for a folder", f.ID)
		}
		if s, err := (Reader{}).Parse(context.Background(), f); err != nil || len(s.Turns) != 1 {
			t.Errorf("id %q: got %v, %v, want one turn", f.ID, s, err)
		}
	}
	if len(ids) != 6 || !ids["plain-1"] {
		t.Errorf("got ids %v, want six, plain-1 as it is", ids)
	}
}

// TestContentOfAnotherForm holds that what this version can't read of a message
// is told, not taken for something known.
func TestContentOfAnotherForm(t *testing.T) {
	s := &script{}
	s.addRecord("user", fields{"message": "words without a role"})
	s.user(fields{"parts": []any{"hello"}})
	s.addRecord("assistant", fields{"message": fields{"id": "m", "content": fields{"parts": []any{"hello"}}}})
	got := s.parse(t)
	ingesttest.Equal(t, "prompts", ingesttest.Texts(got, ingest.Prompt, false), []string{"words without a role"})
	ingesttest.Equal(t, "unknown", got.Report.Unknown, map[string]int{"user content": 1, "assistant content": 1})
}

func TestVanishedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	write(t, path, fine)
	found, _ := Reader{}.Find(context.Background(), path, nil)
	if len(found) != 1 {
		t.Fatalf("got %d sessions, want 1", len(found))
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	_, err := Reader{}.Parse(context.Background(), found[0])
	if !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), ingest.MainName) {
		t.Errorf("got %v, want that %s does not exist", err, ingest.MainName)
	}
	if _, err := ingest.HeadOf(context.Background(), Reader{}, found[0]); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("head: got %v, want that it does not exist", err)
	}
}

// A record that was written whole behind a torn one or several, or behind zeros, on the same line, is read.
func TestBehindTornStub(t *testing.T) {
	stub := `{"type":"pr-link","sessionId":"s","prNu`
	for _, lost := range []string{stub, stub + stub, `{"parentUuid":null,"a":{"type":"x"},"b":"` + stub,
		strings.Repeat("\x00", 99)} {
		s := parseBytes(t, []byte(lost+fine))
		ingesttest.Equal(t, "prompts", ingesttest.Texts(s, ingest.Prompt, false), []string{"hello"})
		ingesttest.Equal(t, "skipped", s.Report.SkippedTotal, 1)
		ingesttest.Lines(t, s.Report)
	}
}

func TestGrowingFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	write(t, path, fine+`{"type":"user","uuid":"u2","mess`)
	found, _ := Reader{}.Find(context.Background(), path, nil)
	s, err := Reader{}.Parse(context.Background(), found[0])
	if err != nil {
		t.Fatal(err)
	}
	if !s.Report.Tail {
		t.Fatal("got no tail")
	}
	write(t, path, fine+strings.NewReplacer("u1", "u2", "hello", "again").Replace(fine))
	if s, err = (Reader{}).Parse(context.Background(), found[0]); err != nil {
		t.Fatal(err)
	}
	ingesttest.Equal(t, "prompts", ingesttest.Texts(s, ingest.Prompt, false), []string{"hello", "again"})
	if s.Report.Tail {
		t.Error("got a tail")
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	f := ingest.Found{ID: "s", Files: []ingest.File{ingesttest.File(ingest.MainName, ingest.Transcript,
		[]byte(strings.Repeat(fine, 5000)))}}
	if _, err := (Reader{}).Parse(ctx, f); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestUnreadableFiles(t *testing.T) {
	closed := func(name string, role ingest.FileRole) ingest.File {
		return ingest.File{Name: name, Role: role, Open: func() (io.ReadCloser, error) { return nil, os.ErrPermission }}
	}
	_, err := Reader{}.Parse(context.Background(), ingest.Found{ID: "s",
		Files: []ingest.File{closed(ingest.MainName, ingest.Transcript)}})
	if !errors.Is(err, os.ErrPermission) || !strings.Contains(err.Error(), ingest.MainName) {
		t.Errorf("transcript: got %v, want no permission for %s", err, ingest.MainName)
	}
	files := []ingest.File{ingesttest.File(ingest.MainName, ingest.Transcript, []byte(fine))}
	for name, role := range map[string]ingest.FileRole{
		"subagents/agent-a1.jsonl": ingest.SubagentFile, "subagents/agent-a1.meta.json": ingest.SubagentMeta,
	} {
		files = append(files, closed(name, role))
	}
	s, err := Reader{}.Parse(context.Background(), ingest.Found{ID: "s", Files: files})
	if err != nil {
		t.Fatal(err)
	}
	ingesttest.Equal(t, "prompts", ingesttest.Texts(s, ingest.Prompt, false), []string{"hello"})
	ingesttest.Equal(t, "reported", s.Report.SkippedTotal, 2)
}

func TestSpilledResults(t *testing.T) {
	const preview = "<persisted-output>\nOutput too large (9MB). Full output saved to: " +
		"/h/.claude/projects/-x/s/tool-results/b1.txt\n\nPreview (first 2KB):\nline 1\n</persisted-output>"
	sc := &script{}
	sc.call("t1", "Bash", fields{"command": "seq"}, preview, nil)
	sc.call("t2", "Bash", fields{"command": "seq"}, strings.Replace(preview, "b1.txt", "gone.txt", 1), nil)
	sc.call("t3", "Bash", fields{"command": "seq"}, strings.Replace(preview,
		"/h/.claude/projects/-x/s/tool-results/b1.txt", "/etc/passwd", 1), nil)
	whole := "line 1\n" + strings.Repeat("more\n", 10_000) + "the end"
	s, err := Reader{}.Parse(context.Background(), ingest.Found{ID: "s", Files: []ingest.File{
		ingesttest.File(ingest.MainName, ingest.Transcript, []byte(strings.Join(sc.lines, "\n"))),
		ingesttest.File("tool-results/b1.txt", ingest.ToolResult, []byte(whole)),
	}})
	if err != nil {
		t.Fatal(err)
	}
	c := callsByID(s)
	if r := c["t1"].Result; !strings.HasPrefix(r, "line 1\n") || !strings.HasSuffix(r, "the end") ||
		len(r) > ingest.ClipResult+100 {
		t.Errorf("got %d bytes %.40q, want the file's beginning and end", len(r), r)
	}
	ingesttest.Equal(t, "size", c["t1"].ResultLen, int64(len(whole)))
	ingesttest.Equal(t, "files", []string{c["t1"].Spilled, c["t2"].Spilled, c["t3"].Spilled},
		[]string{"tool-results/b1.txt", "", ""})
	ingesttest.Equal(t, "preview", c["t2"].Result, strings.Replace(preview, "b1.txt", "gone.txt", 1))
}
