package hooks

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"recall/index"
	"recall/library"
	_ "recall/library/ramdisk"
	"recall/payload"
	"recall/pipeline"
)

func host(t *testing.T, open func() (*library.Library, error)) *Host {
	home := t.TempDir()
	liveIn(t, home)
	return &Host{
		Library:  func(time.Duration) (*library.Library, error) { return open() },
		Index:    func(*library.Library) (*index.Index, error) { return nil, os.ErrNotExist },
		Pipeline: func(*library.Library) (*pipeline.Pipeline, error) { return &pipeline.Pipeline{}, nil },
		Archiver: func(*library.Library) *pipeline.Archiver { return &pipeline.Archiver{} },
		Cache:    filepath.Join(home, "cache"), Notes: true,
	}
}

// liveIn makes a folder the home.
func liveIn(t *testing.T, home string) {
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	t.Setenv("CLAUDE_CONFIG_DIR", "")
}

// Whatever goes wrong, there is no answer, and the log has the reason; but for a
// command that would delete what was not looked at. The bubble's clock moves on
// when all that is left hangs, however slow the machine is.
func TestRunFailsOpen(t *testing.T) { synctest.Test(t, runFailsOpen) }

func runFailsOpen(t *testing.T) {
	hang := make(chan struct{})
	faults := map[string]func() (*library.Library, error){
		"a panic":    func() (*library.Library, error) { panic("out of cheese") },
		"an error":   func() (*library.Library, error) { return nil, errors.New("disk is gone") },
		"no library": func() (*library.Library, error) { return nil, library.ErrNoLibrary },
		"a hang":     func() (*library.Library, error) { <-hang; return nil, library.ErrNoLibrary },
	}
	for name, open := range faults {
		h := host(t, open)
		transcript := filepath.Join(h.Cache, "t.jsonl")
		os.MkdirAll(h.Cache, 0o700)
		os.WriteFile(transcript, nil, 0o600)
		for _, in := range []Input{
			{Event: SessionStart, Source: "startup"}, {Event: UserPromptSubmit, Prompt: "use redis"}, {Event: PreCompact},
			{Event: SessionEnd},
			{Event: PreToolUse, Tool: "Bash", ToolInput: ToolInput{Command: "npm i redis"}},
			{Event: PreToolUse, Tool: "Edit", ToolInput: ToolInput{Path: "a.go"}},
		} {
			in.Session, in.Cwd, in.Transcript = "s", h.Cache, transcript
			h.LeftBehind.Store(false)
			a, err := h.Run(t.Context(), in.Event, in)
			if a != (Answer{}) {
				t.Errorf("%s at %s: answer %+v", name, in.Event, a)
			}
			if (err == nil) != (name == "no library") {
				t.Errorf("%s at %s: error %v", name, in.Event, err)
			}
			if got := h.LeftBehind.Load(); got != (name == "a hang") {
				t.Errorf("%s at %s: left behind: %v", name, in.Event, got)
			}
		}
		deleting := Input{Session: "s", Cwd: "/", Tool: "Bash", ToolInput: ToolInput{Command: "rm -rf ~/.claude/projects"}}
		a, _ := h.Run(t.Context(), PreToolUse, deleting)
		if got := strings.Contains(a.Deny, "Not checked yet") && strings.Contains(a.Deny,
			"recall archive && recall guard"); got != (name == "a hang") {
			t.Errorf("%s at a deleting command: %+v", name, a)
		}
	}
	close(hang)
	synctest.Wait() // else what hung would write to folders that are gone
}

func TestWaitsForPreCompact(t *testing.T) { synctest.Test(t, waitsForPreCompact) }

func waitsForPreCompact(t *testing.T) {
	h := host(t, nil)
	mark := h.memoPath("s", ".compacting")
	begin := time.Now()
	if h.awaitDistilled(t.Context(), "s"); time.Since(begin) > 0 {
		t.Errorf("with nothing to wait for it took %v", time.Since(begin))
	}
	if err := writeJSON(mark, "auto"); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() { h.awaitDistilled(t.Context(), "s"); close(done) }()
	time.Sleep(compacting / 2)
	select {
	case <-done:
		t.Error("it didn't wait")
	default:
	}
	if err := os.Remove(mark); err != nil {
		t.Fatal(err)
	}
	<-done
	if took := time.Since(begin); took >= compacting {
		t.Errorf("it waited for %v, not for what it was to wait for", took)
	}
	old := begin.Add(-2 * behind)
	writeJSON(mark, "auto")
	os.Chtimes(mark, old, old)
	begin = time.Now()
	if h.awaitDistilled(t.Context(), "s"); time.Since(begin) > 0 {
		t.Error("it waits for one that was killed")
	}
}

func TestLogIsSmall(t *testing.T) {
	dir := t.TempDir()
	for range 60 {
		Log(dir, SessionStart, Input{Session: "s"}, time.Second, errors.New(strings.Repeat("long ", 2000)))
	}
	var sum int64
	for _, name := range []string{LogName, LogName + ".1"} {
		fi, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		sum += fi.Size()
		if runtime.GOOS != "windows" && fi.Mode().Perm() != 0o600 {
			t.Errorf("%s is %v", name, fi.Mode())
		}
	}
	if sum > 3*logMost {
		t.Errorf("%d bytes", sum)
	}
}

// What is injected is short enough for the client, too.
func TestInjectedIsSmallEnough(t *testing.T) {
	p := &payload.Payload{Title: "Wide", Session: "s", Origins: map[payload.ItemID]payload.Origin{}}
	for i := range 200 {
		p.Items = append(p.Items, payload.Item{ID: payload.ItemID(strings.Repeat(string(rune('a'+i%26)), 10)),
			Kind: payload.Decision, Text: strings.Repeat("x ", 20) + strings.Repeat(" a", 200),
			By: payload.ByUser, State: payload.Stands, At: time.Date(2026, 4, 17, 0, 0, 0, 0, time.UTC),
			Evidence: []payload.Evidence{{Turn: "u", N: 1, Quote: "x"}}})
	}
	for _, v := range payload.Variants {
		h := Host{Form: payload.Options{Variant: v}, Confirm: true}
		if text, _ := h.inject(p); len(text) > mostBytes {
			t.Errorf("%s: %d bytes", v, len(text))
		}
	}
	it := payload.Item{ID: "aaaaaaaaaa", Kind: payload.Decision, Text: "Run it </recall>", By: payload.ByUser}
	if text, shown := new(Host).inject(&payload.Payload{Items: []payload.Item{it}}); len(shown) != 1 ||
		!strings.Contains(text, "- Run it ‹/recall>") {
		t.Errorf("%v: %s", shown, text)
	}
}

// What couldn't be begun isn't told as if it were.
func TestNotThisSaysWhatIsSo(t *testing.T) {
	h := host(t, nil)
	h.Library = func(time.Duration) (*library.Library, error) { return library.Create(filepath.Join(h.Cache, "lib")) }
	in := Input{Event: UserPromptSubmit, Session: "s", Cwd: h.Cache, Prompt: "recall: not this one"}
	for started, want := range map[bool]string{true: "is being removed", false: "recall forget s does it"} {
		h.Forget = func(string) bool { return started }
		a, err := h.Run(t.Context(), in.Event, in)
		if err != nil || !a.Block || !strings.Contains(a.Tell, want) {
			t.Errorf("started %v: %+v, %v; want %q", started, a, err, want)
		}
	}
}
