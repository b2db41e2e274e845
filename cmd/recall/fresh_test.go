package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"recall/cmd/recall/app"
	"recall/ingest"
	"recall/library"
	"recall/pipeline/worklog"
)

// asProgram makes a home, and returns how to run recall in it.
func asProgram(t testing.TB) (home string, recall func(env []string, args ...string) (out, errOut string)) {
	t.Helper()
	home = t.TempDir()
	return home, func(env []string, args ...string) (string, string) {
		t.Helper()
		cmd := exec.Command("recall", args...)
		cmd.Env = append(os.Environ(), "HOME="+home, "USERPROFILE="+home, "XDG_CACHE_HOME="+home+"/cache",
			"LocalAppData="+home+"/cache",
			"XDG_CONFIG_HOME="+home+"/config", "AppData="+home+"/config", "RECALL_LIBRARY_DIR="+home+"/Recall",
			"RECALL_QUERY_BUDGET=1m") // however busy the machine is
		cmd.Env = append(cmd.Env, env...)
		var out, errOut strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &errOut
		err := cmd.Run()
		if code, ok := err.(*exec.ExitError); err != nil && (!ok || code.ExitCode() != app.ExitNothing) {
			t.Fatalf("recall %q: %v\n%s", args, err, errOut.String())
		}
		return out.String(), errOut.String()
	}
}

// tell writes a session of prompts and answers where Claude Code would.
func tell(t testing.TB, home string, n int, said ...string) {
	t.Helper()
	dir := filepath.Join(home, ".claude", "projects", "-home-ann-app")
	must(t, os.MkdirAll(dir, 0o700))
	id := fmt.Sprintf("%08d-0000-4000-8000-000000000001", n)
	var b strings.Builder
	parent := "null"
	for i, text := range said {
		uuid := fmt.Sprintf("%08d-%04d", n, i)
		at := time.Date(2026, 4, 1+n%28, 9, i, 0, 0, time.UTC).Format("2006-01-02T15:04:05.000Z")
		head := fmt.Sprintf(`"uuid":%q,"parentUuid":%s,"sessionId":%q,"timestamp":%q,"cwd":"/home/ann/app",`+
			`"gitBranch":"main","version":"2.1.200","isSidechain":false,"userType":"external"`, uuid, parent, id, at)
		if i%2 == 0 {
			fmt.Fprintf(&b, "{%s,\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":%q}}\n", head, text)
		} else {
			fmt.Fprintf(&b,
				"{%s,\"type\":\"assistant\",\"message\":{\"id\":\"msg_%s\",\"type\":\"message\",\"role\":\"assistant\","+
					"\"model\":\"claude-opus-4-7\",\"content\":[{\"type\":\"text\",\"text\":%q}],\"stop_reason\":\"end_turn\","+
					"\"usage\":{\"output_tokens\":10}}}\n", head, uuid, text)
		}
		parent = fmt.Sprintf("%q", uuid)
	}
	must(t, os.WriteFile(filepath.Join(dir, id+".jsonl"), []byte(b.String()), 0o600))
}

// waitForRest returns when no process that a question left behind is at work.
func waitForRest(t *testing.T, home string) {
	t.Helper()
	var locks []string
	for _, dir := range []string{"cache", "Library/Caches"} {
		found, _ := filepath.Glob(filepath.Join(home, filepath.FromSlash(dir), "recall", "*", "rest.lock"))
		locks = append(locks, found...)
	}
	if len(locks) != 1 {
		t.Fatalf("rest.lock: %v", locks)
	}
	lock := flock.New(locks[0])
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	if ok, err := lock.TryLockContext(ctx, 20*time.Millisecond); !ok || err != nil {
		t.Fatalf("the rest is still being taken in: %v", err)
	}
	lock.Unlock()
}

// A question takes in what is new first, the session that is being held too; what
// its time doesn't suffice for is said, and goes on behind it.
func TestQuestionsAreFresh(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts processes")
	}
	home, recall := asProgram(t)
	tell(t, home, 1, "Where do failed jobs go?", "Nowhere yet.")
	recall(nil, "init", "--help")
	recall(nil, "sync")
	// The session goes on while the question is asked.
	tell(t, home, 1, "Where do failed jobs go?", "Nowhere yet.",
		"Let's use a dead-letter table for failed jobs instead of a log line, because support needs them.", "Done.")
	out, _ := recall(nil, "query", "where do failed jobs go")
	if !strings.Contains(out, "dead-letter table") {
		t.Errorf("a running session's decision isn't in the answer:\n%s", out)
	}
	const many = 80
	for n := 2; n < many; n++ {
		tell(t, home, n, fmt.Sprintf("Let's use port %d for service %d instead of the default one, because it is taken.",
			4000+n, n), strings.Repeat("Done as you said, and the tests pass. ", 500))
	}
	_, errOut := recall([]string{"RECALL_QUERY_BUDGET=10ms"}, "query", "which port")
	if !strings.Contains(errOut, "this answer comes without") || !strings.Contains(errOut, "being imported now") {
		t.Errorf("nothing is said of what was left: %q", errOut)
	}
	var list string
	for wait := 0; wait < 600; wait++ {
		list, _ = recall(nil, "list", "--json")
		if strings.Count(list, `"distilled": true`) == many-1 {
			waitForRest(t, home)
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Errorf("after a minute %d of %d sessions are distilled", strings.Count(list, `"distilled": true`), many-1)
}

// PreCompact waits for nothing: a process of its own takes the session in, and takes away the mark that a
// start after the compaction waits for. The log that is asked for has one line of it.
func TestPreCompactIsHandedOn(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts processes")
	}
	home, recall := asProgram(t)
	tell(t, home, 1, "Where do failed jobs go?", "Nowhere yet.")
	recall(nil, "sync")
	const id = "00000002-0000-4000-8000-000000000001"
	tell(t, home, 2, "Let's use a dead-letter table for failed jobs instead of a log line, because support needs them.",
		"Done.")
	path := filepath.Join(home, ".claude", "projects", "-home-ann-app", id+".jsonl")
	app := filepath.Join(home, "app")
	must(t, os.MkdirAll(app, 0o700))
	program := func(args ...string) *exec.Cmd {
		cmd := exec.Command("recall", append([]string{"--library", filepath.Join(home, "Recall")}, args...)...)
		cmd.Dir = app
		cmd.Env = append(os.Environ(), "HOME="+home, "USERPROFILE="+home, "XDG_CACHE_HOME="+home+"/cache",
			"XDG_CONFIG_HOME="+home+"/config", "LocalAppData="+home+"/cache", "AppData="+home+"/config")
		return cmd
	}
	if out, err := program("setup", "--log").CombinedOutput(); err != nil {
		t.Fatalf("%v, %s", err, out)
	}
	cmd := program("hook", "pre-compact")
	cmd.Stdin = strings.NewReader(fmt.Sprintf(`{"session_id":%q,"transcript_path":%q,"hook_event_name":"PreCompact",`+
		`"trigger":"auto","cwd":%q}`, id, path, app))
	locks := filepath.Join(home, "Recall", ".locks")
	must(t, os.MkdirAll(locks, 0o700))
	// so that it can't be done yet
	lock := flock.New(filepath.Join(locks, library.SessionLock(ingest.SessionID(id))+".lock"))
	if ok, err := lock.TryLock(); !ok || err != nil {
		t.Fatal(ok, err)
	}
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Fatalf("%v, %q", err, out)
	}
	marks := func() int {
		found, _ := filepath.Glob(filepath.Join(home, "cache", "recall", "hooks", "*.compacting"))
		return len(found)
	}
	if n := marks(); n != 1 {
		t.Errorf("%d marks that it is being distilled, want 1", n)
	}
	if out, _ := recall(nil, "query", "--no-sync", "where do failed jobs go"); strings.Contains(out, "dead-letter table") {
		t.Errorf("it waited until all was done:\n%s", out)
	}
	time.Sleep(time.Second) // it has found the session held, and comes again
	must(t, lock.Unlock())
	for wait := 0; marks() > 0; wait++ {
		if wait == 600 {
			t.Fatal("after a minute it isn't done")
		}
		time.Sleep(100 * time.Millisecond)
	}
	out, _ := recall(nil, "query", "--no-sync", "where do failed jobs go")
	if !strings.Contains(out, "dead-letter table") {
		t.Errorf("it isn't taken in:\n%s", out)
	}
	log, err := os.ReadFile(filepath.Join(app, filepath.FromSlash(worklog.Name)))
	if n := strings.Count(string(log), "the client cut the conversation"); n != 1 || err != nil {
		t.Errorf("the log says it %d times, %v:\n%s", n, err, log)
	}
}

// A session that can't be taken in just now, as another recall holds it, is told of;
// the question is answered from what is there.
func TestQuestionBesideAnotherRecall(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	home, recall := asProgram(t)
	tell(t, home, 1, "Where do failed jobs go? Let's use a dead-letter table for failed jobs instead of a log line.",
		"Done.")
	recall(nil, "init", "--help")
	recall(nil, "sync")
	tell(t, home, 2, "Mail ops about each failed job, please, and only once an hour.", "Done.")
	locks := filepath.Join(home, "Recall", ".locks")
	must(t, os.MkdirAll(locks, 0o700))
	held := flock.New(filepath.Join(locks, library.SessionLock("00000002-0000-4000-8000-000000000001")+".lock"))
	if ok, err := held.TryLock(); !ok || err != nil {
		t.Fatal(ok, err)
	}
	defer held.Unlock()
	out, errOut := recall([]string{"RECALL_QUERY_BUDGET=500ms"}, "query", "where do failed jobs go")
	if !strings.Contains(out, "dead-letter table") || strings.Contains(errOut, "warning") ||
		!strings.Contains(errOut, "some new sessions could not be imported (1 fault); recall sync shows why") {
		t.Errorf("got %q, %q", out, errOut)
	}
}

// Whatever a person or a client does to one session, the next question knows of it, though nothing else is looked at:
// each of these begins where all is as it was left.
func TestQuestionsMissNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	home, recall := asProgram(t)
	use := func(what string) []string {
		return []string{"Where do failed jobs go?", "Nowhere yet.",
			"Let's use a " + what + " for failed jobs instead of a log line, because support needs them.", "Done."}
	}
	path := filepath.Join(home, ".claude", "projects", "-home-ann-app", "00000001-0000-4000-8000-000000000001.jsonl")
	was := func() os.FileInfo {
		fi, err := os.Stat(path)
		must(t, err)
		return fi
	}
	for n := range 4 {
		tell(t, home, n+1, fmt.Sprintf("Let's use port %d for service %d instead of the default one, because it is "+
			"taken.", 4000+n, n), "Done.")
	}
	for _, c := range []struct {
		name, want string
		do         func()
	}{
		{"it grew", "quiet parking table", func() { tell(t, home, 1, use("quiet parking table")...) }},
		{"other words, as many, at the same time", "brisk parking table", func() {
			at := was()
			tell(t, home, 1, use("brisk parking table")...)
			if err := os.Chtimes(path, time.Time{}, at.ModTime()); err != nil || was().Size() != at.Size() {
				t.Fatal(err, "the size isn't the same")
			}
		}},
		{"replaced by one of a clock that is behind", "green parking table", func() {
			kept := path + ".kept"
			must(t, os.Rename(path, kept))
			tell(t, home, 1, use("green parking table")...)
			hour := time.Now().Add(-50 * time.Hour)
			must(t, errors.Join(os.Chtimes(path, hour, hour), os.Remove(kept)))
		}},
		{"its page edited by hand", "Where do orange jobs go?", func() {
			pages, _ := filepath.Glob(filepath.Join(home, "Recall", "*", "*", "payload.md"))
			for _, page := range pages {
				text, err := os.ReadFile(page)
				must(t, err)
				text = bytes.ReplaceAll(text, []byte("payload\n"), []byte("payload: Where do orange jobs go?\n"))
				must(t, os.WriteFile(page, text, 0o600))
			}
		}},
		{"it grew, and another began", "velvet parking table", func() {
			tell(t, home, 1, append(use("green parking table"), "Thanks.", "You are welcome.")...)
			tell(t, home, 9, use("velvet parking table")...)
		}},
		{"its source deleted", "velvet parking table", func() {
			must(t, os.Remove(path))
		}},
	} {
		for range 2 {
			recall(nil, "sync")
			before := time.Now().Add(-time.Hour)
			for _, dir := range []string{filepath.Join(home, "Recall"), filepath.Join(home, "Recall", "*"),
				filepath.Join(home, "Recall", "*.toml"), filepath.Join(home, ".claude", "projects"),
				filepath.Join(home, ".claude", "projects", "*")} {
				found, _ := filepath.Glob(dir)
				for _, one := range found {
					if fi, err := os.Stat(one); err == nil && fi.ModTime().After(before) {
						os.Chtimes(one, time.Time{}, before)
					}
				}
			}
		}
		c.do()
		out, errOut := recall(nil, "query", "where do the jobs go: a parking table?")
		if !strings.Contains(out, c.want) || strings.Contains(errOut, "without") {
			t.Errorf("%s: no %q in the answer:\n%s%s", c.name, c.want, out, errOut)
		}
	}
	if list, _ := recall(nil, "list", "--json"); strings.Count(list, `"only here"`) != 1 {
		t.Errorf("the source of one session was deleted:\n%s", list)
	}
}
