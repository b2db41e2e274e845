package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gofrs/flock"

	"recall/cmd/recall/app"
	"recall/library"
	"recall/serve/hooks"
	"recall/serve/hooks/clients"
)

// What the client may send one day, and what nobody should: what can be read of
// it counts.
func TestHookOddInput(t *testing.T) {
	d := newDesk(t)
	d.says(sessionA, first...)
	d.recall("sync")
	const prompt = "Let's move the timetable index to Postgres."
	in := func(session, more string) string {
		return `{"session_id":"` + session + `","cwd":"` + filepath.ToSlash(d.project) + `","prompt":` + more + `}`
	}
	for name, stdin := range map[string]string{
		"a byte order mark":        "\ufeff" + in("o1", `"`+prompt+`"`),
		"a field of another type":  in("o2", `"`+prompt+`","trigger":7,"agent_id":{"is":1}`),
		"ten megabytes more":       in("o3", `"`+prompt+`\n`+strings.Repeat("so much that was pasted ", 400_000)+`"`),
		"half a pair":              in("o4", `"`+prompt+` \ud800"`),
		"an id that leaves folder": in("../../o5", `"`+prompt+`"`),
	} {
		if got := d.context(d.raw("user-prompt-submit", stdin)); !strings.Contains(got, "Warning from recall") {
			t.Errorf("%s: %.200q, want a note\n%s", name, got, d.log())
		}
	}
	for name, stdin := range map[string]string{
		"a prompt of another type": in("p1", `7`),
		"a folder of none":         `{"session_id":"p2","cwd":"/nowhere/at \"all'","prompt":"` + prompt + `"}`,
		"control characters":       in("p3", `"\u0000\u001b[2J"`),
		"nothing but an id":        `{"session_id":"p4"}`,
	} {
		if got := d.raw("user-prompt-submit", stdin); got != "" {
			t.Errorf("%s: %.200q, want nothing", name, got)
		}
	}
	t.Setenv("RECALL_CHILD", "1")
	if got := d.raw("user-prompt-submit", in("o6", `"`+prompt+`"`)); got != "" {
		t.Errorf("in a client that recall asked: %.200q, want nothing", got)
	}
}

// A client that is slow to send is heard out, also if it leaves its end open; one that falls silent isn't.
func TestHookHearsOut(t *testing.T) {
	for _, sends := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			r, w := io.Pipe()
			defer r.Close()
			go func() {
				for _, part := range []string{`{"session_id":`, `"slow",`, `"prompt":"hello`} {
					time.Sleep(time.Second / 2)
					io.WriteString(w, part)
				}
				if sends {
					io.WriteString(w, `"}`)
				}
			}()
			if in, err := clients.ClaudeCode.Read(r); (err == nil) != sends || (in.Session == "slow") != sends {
				t.Errorf("it sends everything: %v, got %+v, %v", sends, in, err)
			}
		})
	}
}

// A session that was never told what stands isn't told at a resume either.
func TestHookResumeOfUntold(t *testing.T) {
	d := newDesk(t)
	d.says(sessionA, first...)
	d.recall("sync")
	if got := d.hook(hooks.UserPromptSubmit, sessionB, "prompt",
		"Let's move the timetable index to Postgres."); got == "" {
		t.Fatal("no note")
	}
	if got := d.hook(hooks.SessionStart, sessionB, "source", "resume"); got != "" {
		t.Errorf("nothing changed since, and it says %.200q", got)
	}
}

// Where there is no library nothing is saved: a command that takes sessions away
// is held up, any other isn't.
func TestHookDeletingWithoutLibrary(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands are a Unix shell's")
	}
	d := newDesk(t)
	bash := func(command string) string {
		t.Helper()
		return d.context(d.hook(hooks.PreToolUse, sessionC, "tool_name", "Bash", "tool_input",
			map[string]string{"command": command}))
	}
	os.MkdirAll(filepath.Join(d.home, ".claude", "projects", "-empty"), 0o700)
	if got := bash("rm -rf ~/.claude/projects"); got != "" {
		t.Errorf("no session is there: %q", got)
	}
	d.says(sessionA, first...)
	for _, command := range []string{"rm -rf ~/.claude/projects", "rm -rf ~/.claude", "rm -rf " + d.home,
		"mv ~/.claude/projects /tmp/old", "rm -rf ~/.claude/projects; " + strings.Repeat("echo on; ", 20_000)} {
		if got := bash(command); !strings.HasPrefix(got, "deny: ") || !strings.Contains(got, "recall init --yes") {
			t.Errorf("%.60s: %q, want it refused", command, got)
		}
	}
	for _, command := range []string{"rm -rf build", "rm -f ~/.claude/todo.txt", "ls ~/.claude/projects"} {
		if got := bash(command); got != "" {
			t.Errorf("%s: %q, want nothing", command, got)
		}
	}
	d.recall("init", "--yes")
	if got := bash("rm -rf ~/.claude/projects"); !strings.Contains(got, "every byte of which is in recall's library") {
		t.Errorf("when it was done: %q", got)
	}
}

// A start says the same by the index as by the library alone, whose payloads it
// then reads.
func TestHookStartWithoutIndex(t *testing.T) {
	d := newDesk(t)
	d.says(sessionA, first...)
	d.says(sessionB, "Go on with the importer for the timetable index in src/importer.go.",
		"It reads the timetable now. Next steps:\n- test it with the winter timetable\n- write the stop lookup",
		"Drop the XML feed: it comes a day late.", "Dropped.")
	d.says(sessionC, "Which font do we use on the tickets?", "None is set.", "Use Inter for the tickets, not Arial.",
		"Done.")
	d.recall("sync")
	for _, branch := range []string{"main", "fix/tickets"} {
		must(t, os.MkdirAll(filepath.Join(d.project, ".git"), 0o700))
		os.WriteFile(filepath.Join(d.project, ".git", "HEAD"), []byte("ref: refs/heads/"+branch+"\n"), 0o600)
		want := d.context(d.hook(hooks.SessionStart, "d-"+branch, "source", "startup"))
		if !strings.Contains(want, "Inter") {
			t.Fatalf("on %s it says %q", branch, want)
		}
		l, err := library.Open(d.library)
		must(t, err)
		aside := app.IndexPath(l) + ".aside"
		must(t, os.Rename(app.IndexPath(l), aside))
		if got := d.context(d.hook(hooks.SessionStart, "e-"+branch, "source", "startup")); got != want {
			t.Errorf("on %s, without an index:\n%s\nwant\n%s", branch, got, want)
		}
		must(t, os.Rename(aside, app.IndexPath(l)))
		l.Close()
	}
}

// A library that is locked, of a newer recall or gone is not waited for; what a
// session's end would save is saved when the lock is given back.
func TestHookLibraryThatIsInUse(t *testing.T) {
	d := newDesk(t)
	d.says(sessionA, first...)
	d.recall("sync")
	asked := 0
	said := func() (start, note string) {
		t.Helper()
		asked++ // each in a session of its own, or it would be told once
		start = d.hook(hooks.SessionStart, sessionB, "source", "startup")
		note = d.hook(hooks.UserPromptSubmit, fmt.Sprint("n", asked), "prompt", "Let's move the timetable index to Postgres.")
		return start, note // what waits says nothing
	}
	d.says(sessionB, "Use Inter for the tickets, not Arial.", "Done.")
	os.MkdirAll(filepath.Join(d.library, ".locks"), 0o700)
	lock := flock.New(filepath.Join(d.library, ".locks", "folders.lock"))
	if ok, err := lock.TryLock(); err != nil || !ok {
		t.Fatal(ok, err)
	}
	if start, note := said(); start == "" || note == "" {
		t.Errorf("locked: %q, %q", start, note)
	}
	time.AfterFunc(50*time.Millisecond, func() { lock.Unlock() })
	d.hook(hooks.SessionEnd, sessionB, "reason", "other")
	if got := d.recall("query", "which font for the tickets?"); !strings.Contains(got, "Inter") {
		t.Errorf("after the lock was given back:\n%s", got)
	}

	toml := filepath.Join(d.library, "library.toml")
	text, err := os.ReadFile(toml)
	must(t, err)
	newer := regexp.MustCompile(`(?m)^format = \d+`).ReplaceAllString(string(text), "format = 99")
	os.WriteFile(toml, []byte(newer), 0o600)
	before := d.log()
	d.hook(hooks.SessionEnd, sessionA, "reason", "other")
	if got := strings.TrimPrefix(d.log(), before); !strings.Contains(got, "newer") {
		t.Errorf("of a newer recall, the log says %q", got)
	}
	said()
	os.WriteFile(toml, text, 0o600)
	must(t, os.Rename(d.library, d.library+".away"))
	if start, note := said(); start != "" || note != "" {
		t.Errorf("gone: %q, %q", start, note)
	}
	d.hook(hooks.SessionEnd, sessionA, "reason", "other")
	if _, err := os.Stat(d.library); err == nil {
		t.Error("a hook made a library")
	}
}

// A resume tells what a person worded anew meanwhile, and is silent after that.
func TestHookResumeAfterEdit(t *testing.T) {
	d := newDesk(t)
	d.says(sessionA, first...)
	d.recall("sync")
	start := func(source string) string {
		t.Helper()
		return d.context(d.hook(hooks.SessionStart, sessionB, "source", source))
	}
	if got := start("startup"); !strings.Contains(got, "SQLite") {
		t.Fatalf("at startup: %q", got)
	}
	if got := start("resume"); got != "" {
		t.Errorf("nothing changed: %q", got)
	}
	pages, _ := filepath.Glob(filepath.Join(d.library, "*", "*", "payload.md"))
	if len(pages) != 1 {
		t.Fatal(pages)
	}
	text, err := os.ReadFile(pages[0])
	must(t, err)
	if err := os.WriteFile(pages[0], []byte(strings.Replace(string(text), "SQLite for the timetable index",
		"SQLite in WAL mode for the timetable index", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	d.recall("sync")
	if got := start("resume"); !strings.Contains(got, "WAL mode") {
		t.Errorf("after an edit: %q", got)
	}
	if got := start("resume"); got != "" {
		t.Errorf("told already: %q", got)
	}
}
