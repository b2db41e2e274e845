//go:build unix

package main

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"recall/cmd/recall/keep"
	"recall/ingest/jsonl"
	"recall/serve/hooks"
)

// nobody is a user without rights, for what root may do all the same.
const nobody = 65534

// tmpfs mounts a disk of its own, so small; ok is false where that isn't allowed.
func tmpfs(t *testing.T, dir, size string) (umount func(), ok bool) {
	t.Helper()
	must(t, os.MkdirAll(dir, 0o700))
	if runtime.GOOS != "linux" || os.Getuid() != 0 || exec.Command("mount", "-t", "tmpfs", "-o",
		"size="+size+",mode=0700", "tmpfs", dir).Run() != nil {
		return nil, false
	}
	umount = func() { exec.Command("umount", "-l", dir).Run() }
	t.Cleanup(umount)
	return umount, true
}

// No way in which a transcript can't be taken in has any surface say that it is
// safe, and each says why it isn't. What can be mended is taken in afterwards.
func TestNotTakenInIsNeverSafe(t *testing.T) {
	if apart(t) {
		return
	}
	old := time.Now().AddDate(0, 0, -28) // about to be deleted by the client
	for _, c := range []struct {
		name string
		fail func(t *testing.T, d *desk, path string) (mend func())
		why  string // as status says it; "" where nothing is left at the source, "-" where a sync alone says it
	}{
		{"permission", func(t *testing.T, d *desk, path string) func() {
			if os.Getuid() == 0 {
				t.Skip("skipped: root may read everything; see TestUnreadableIsNeverSafe")
			}
			os.Chmod(path, 0)
			return func() { os.Chmod(path, 0o600) }
		}, "permission denied"},
		{"the disk is full", func(t *testing.T, d *desk, path string) func() {
			raw := filepath.Join(d.home, "Recall")
			umount, ok := tmpfs(t, raw, "64k")
			if !ok {
				t.Skip("skipped: no disk of one's own can be mounted here")
			}
			return func() { umount() }
		}, "not archived"},
		{"a pipe in its place", func(t *testing.T, d *desk, path string) func() {
			text, _ := os.ReadFile(path)
			os.Remove(path)
			if err := syscall.Mkfifo(path, 0o600); err != nil {
				t.Skip("skipped: ", err)
			}
			return func() { os.Remove(path); os.WriteFile(path, text, 0o600); os.Chtimes(path, old, old) }
		}, ""},
		{"a link to elsewhere", func(t *testing.T, d *desk, path string) func() {
			to := filepath.Join(d.home, "elsewhere.jsonl")
			os.Rename(path, to)
			os.Symlink(to, path)
			return func() { os.Remove(path); os.Rename(to, path) }
		}, "-"},
		{"the library can only be read", func(t *testing.T, d *desk, path string) func() {
			dir := filepath.Join(d.home, "Recall")
			if os.Getuid() != 0 { // root may write all the same
				filled(t, d, path)
				os.Chmod(dir, 0o500)
				return func() { os.Chmod(dir, 0o700) }
			}
			if _, ok := tmpfs(t, dir, "4m"); !ok {
				t.Skip("skipped: no disk of one's own can be mounted here")
			}
			filled(t, d, path)
			mount := func(how string) {
				if out, err := exec.Command("mount", "-o", "remount,"+how, dir).CombinedOutput(); err != nil {
					t.Skipf("skipped: %s", out)
				}
			}
			mount("ro")
			return func() { mount("rw") }
		}, "not archived"},
		{"it vanishes", func(t *testing.T, d *desk, path string) func() {
			text, _ := os.ReadFile(path)
			os.Remove(path)
			return func() { os.WriteFile(path, text, 0o600); os.Chtimes(path, old, old) }
		}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDesk(t)
			random := make([]byte, 200<<10) // doesn't get smaller
			rand.NewChaCha8([32]byte{1}).Read(random)
			path := d.says(sessionA, append(first, base64.StdEncoding.EncodeToString(random))...)
			must(t, os.Chtimes(path, old, old))
			mend := c.fail(t, d, path)
			said := ""
			for _, args := range [][]string{{"init", "--yes"}, {"sync"}, {"sync", "--json"}, {"archive"}, {"status"},
				{"status", "--json"}, {"list"}, {"list", "--json"}} {
				out, _ := recallCmd(t, d.home, args...).CombinedOutput()
				for _, bad := range []string{"safe in the library", "all safe", `"state": "safe"`, "  safe  ", "1 safe"} {
					if strings.Contains(string(out), bad) {
						t.Errorf("%v says %q:\n%s", args, bad, out)
					}
				}
				if args[0] == "status" && len(args) == 1 {
					said = string(out)
				}
			}
			if len(c.why) > 1 && !strings.Contains(said, c.why) {
				t.Errorf("status doesn't say why (%s):\n%s", c.why, said)
			}
			if guard, err := recallCmd(t, d.home, "guard", path).CombinedOutput(); err == nil && c.why != "" {
				t.Errorf("guard calls it safe:\n%s", guard)
			}
			if note := d.context(d.hook(hooks.PreToolUse, sessionC, "tool_name", "Bash", "tool_input",
				map[string]string{"command": "rm -rf ~/.claude/projects"})); strings.Contains(note, "every byte") {
				t.Errorf("the hook calls it safe: %s", note)
			}
			mend()
			if out, err := recallCmd(t, d.home, "sync").CombinedOutput(); err != nil {
				t.Errorf("mended: %v\n%s", err, out)
			}
			if out, err := recallCmd(t, d.home, "guard", path).CombinedOutput(); err != nil {
				t.Errorf("guard, mended: %v\n%s", err, out)
			}
		})
	}
}

// filled makes a library in which the transcript isn't.
func filled(t *testing.T, d *desk, path string) {
	t.Helper()
	aside := filepath.Join(d.home, "aside")
	must(t, os.Rename(path, aside))
	recallCmd(t, d.home, "init", "--yes").Run()
	must(t, os.Rename(aside, path))
}

// Lines that can't be read, torn or too long for it, are archived to the byte: that is
// safe. What is added to them since isn't.
func TestUnreadLinesAreSafe(t *testing.T) {
	for name, line := range map[string]string{
		"torn": `{"type":"user","uuid":"torn","message":{"role":"us`,
		"too long": `{"type":"user","uuid":"long","message":{"role":"user","content":"` +
			strings.Repeat("x", jsonl.MaxLine) + `"}}` + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			if os.Getenv("RECALL_LONG") == "" && len(line) > 1<<20 {
				t.Skip("skipped: no RECALL_LONG, and it takes its time")
			}
			d := newDesk(t)
			path := d.says(sessionA, first...)
			add := func(text string) {
				t.Helper()
				f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
				if err == nil {
					_, err = f.WriteString(text)
				}
				must(t, errors.Join(err, f.Close()))
			}
			held := func() (listed string, err error) {
				out, err := recallCmd(t, d.home, "guard", path).CombinedOutput()
				return d.recall("list") + string(out), err
			}
			for i, text := range []string{line, `er","content":"whole"}}` + "\n"} {
				if add(text); i > 0 {
					if out, err := held(); err == nil || !strings.Contains(out, "behind") ||
						!strings.Contains(recallOut(t, d.home, "status"), "NOT SAFE") {
						t.Errorf("what was added isn't archived: %v\n%s", err, out)
					}
				}
				if out, err := recallCmd(t, d.home, "sync").CombinedOutput(); err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
				if out, err := held(); err != nil || !strings.Contains(out, ": 1 safe") {
					t.Errorf("%v\n%s", err, out)
				}
			}
		})
	}
}

func recallOut(t *testing.T, home string, args ...string) string {
	t.Helper()
	out, _ := recallCmd(t, home, args...).CombinedOutput()
	return string(out)
}

// What was forgotten on purpose is called safe by nobody, nor missed by status.
func TestForgottenIsNotSafe(t *testing.T) {
	d := newDesk(t)
	path := d.says(sessionA, first...)
	memory := filepath.Join(filepath.Dir(path), "memory", "MEMORY.md")
	writeTo(t, memory, "# Noted\n")
	d.recall("init", "--yes")
	delete := func(what string) string {
		return d.context(d.hook(hooks.PreToolUse, sessionC, "tool_name", "Bash", "tool_input",
			map[string]string{"command": "rm -rf " + what}))
	}
	if note := delete(filepath.Dir(memory)); !strings.Contains(note,
		"removes Claude Code's own memory (MEMORY.md), every byte of which is in recall's library") ||
		strings.Contains(note, "0 sessions") {
		t.Errorf("a memory folder alone: %s", note)
	}
	d.recall("forget", sessionA, "--yes")
	d.recall("forget", "memory", "--yes")
	for _, what := range []string{path, filepath.Dir(memory), "~/.claude"} {
		if note := delete(what); strings.Contains(note, "every byte") ||
			!strings.Contains(note, "forgotten by the user on purpose and so NOT in the library") {
			t.Errorf("rm -rf %s: %s", what, note)
		}
	}
	if out := d.recall("guard", filepath.Dir(path)); !strings.Contains(out, "0 sessions there") ||
		!strings.Contains(out, "1 session and Claude Code's own memory there: forgotten or excluded on purpose") {
		t.Errorf("guard: %s", out)
	}
	if out := d.recall("status"); strings.Contains(out, "NOT SAFE") {
		t.Errorf("what was forgotten isn't missed: %s", out)
	}
}

// The same as another user than root, who may not read a transcript.
func TestUnreadableIsNeverSafe(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("skipped: without root there is nobody to be; see TestNotTakenInIsNeverSafe")
	}
	d := newDesk(t)
	path := d.says(sessionA, first...)
	old := time.Now().AddDate(0, 0, -28)
	os.Chtimes(path, old, old)
	self, err := os.Executable()
	must(t, err)
	program := filepath.Join(d.home, "recall-test") // where that user may run it
	text, err := os.ReadFile(self)
	if err == nil {
		err = os.WriteFile(program, text, 0o755)
	}
	must(t, err)
	filepath.WalkDir(d.home, func(p string, _ os.DirEntry, _ error) error { return os.Chown(p, nobody, nobody) })
	for dir := d.home; dir != "/"; dir = filepath.Dir(dir) {
		if fi, err := os.Stat(dir); err == nil && dir != os.TempDir() && fi.Mode().Perm()&0o011 == 0 {
			os.Chmod(dir, fi.Mode().Perm()|0o011)
		}
	}
	memory := filepath.Join(filepath.Dir(path), "memory", "MEMORY.md")
	writeTo(t, memory, "# Noted\n")
	os.Chmod(filepath.Dir(memory), 0o755)
	for _, p := range []string{path, memory} {
		os.Chown(p, 0, 0)
		os.Chmod(p, 0o600)
	}
	run := func(args ...string) (string, error) {
		cmd := recallCmd(t, d.home, args...)
		cmd.Path, cmd.Dir = program, d.home
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := run("version"); err != nil {
		t.Skipf("skipped: another user can't run here: %v %s", err, out)
	}
	for _, args := range [][]string{{"init", "--yes"}, {"sync"}, {"status"}, {"list"}} {
		out, _ := run(args...)
		if strings.Contains(out, "safe in the library") || strings.Contains(out, "1 safe") {
			t.Errorf("%v calls an unreadable transcript safe:\n%s", args, out)
		}
		if args[0] != "list" && !strings.Contains(out, "permission denied") {
			t.Errorf("%v doesn't say why:\n%s", args, out)
		}
	}
	var doc struct {
		Unsafe []struct{ Path, Reason string }
	}
	if out, _ := run("status", "--json"); json.Unmarshal([]byte(out), &doc) != nil || len(doc.Unsafe) != 2 ||
		!strings.Contains(doc.Unsafe[0].Reason, "permission denied") ||
		!strings.Contains(out, "MEMORY.md: permission denied") {
		t.Errorf("status --json: %s", out)
	}
	if out, err := run("guard", path); err == nil || !strings.Contains(out, "permission denied") ||
		!strings.Contains(out, "chmod u+r") {
		t.Errorf("guard: %v\n%s", err, out)
	}
	for _, p := range []string{path, memory} {
		os.Chown(p, nobody, nobody)
	}
	if out, err := run("sync"); err != nil {
		t.Errorf("readable again: %v\n%s", err, out)
	}
	if out, err := run("status"); err != nil || !strings.Contains(out, "all safe in the library") {
		t.Errorf("readable again: %v\n%s", err, out)
	}
	out, _ := recallCmd(t, d.home, "list").CombinedOutput() // as root, who doesn't own that library
	if !strings.Contains(string(out), "another user, ") || !strings.Contains(string(out), "name a library of your own") {
		t.Errorf("somebody else's library: %s", out)
	}
}

// All is archived where the index has no room, or no folder.
func TestBytesFirst(t *testing.T) {
	for name, spoil := range map[string]func(t *testing.T, cache string) (mend func()){
		"no room": func(t *testing.T, cache string) func() {
			umount, ok := tmpfs(t, cache, "64k")
			if !ok {
				t.Skip("skipped: no disk of one's own can be mounted here")
			}
			return umount
		},
		"a file in its place": func(t *testing.T, cache string) func() {
			os.RemoveAll(cache)
			must(t, os.WriteFile(cache, nil, 0o600))
			return func() { os.Remove(cache) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			var paths []string
			for _, id := range []string{sessionA, sessionB, sessionC} {
				paths = append(paths, d.says(id, first...))
			}
			mend := spoil(t, filepath.Join(d.home, "cache"))
			var doc keep.SyncReport
			out, err := recallCmd(t, d.home, "sync", "--json").Output()
			if err == nil || json.Unmarshal(out, &doc) != nil || doc.Error == "" || doc.New != 3 {
				t.Errorf("sync --json: %v, want a document with the error and what was archived:\n%s", err, out)
			}
			d.says(sessionA, append(first, "More of it.")...)
			out, err = recallCmd(t, d.home, "sync").CombinedOutput()
			if err == nil || !strings.Contains(string(out), "archived") {
				t.Errorf("sync: %v, want an error and what was archived:\n%s", err, out)
			}
			if out, err := recallCmd(t, d.home, append([]string{"guard"}, paths...)...).CombinedOutput(); err != nil {
				t.Errorf("not all is archived: %v\n%s", err, out)
			}
			mend()
			if out, err := recallCmd(t, d.home, "sync").CombinedOutput(); err != nil ||
				!strings.Contains(string(out), "3 distilled") {
				t.Errorf("with room again: %v\n%s", err, out)
			}
		})
	}
}

// A disk that was full is no fault of the sessions: the next sync with room does
// all that was left.
func TestRoomAgain(t *testing.T) {
	d := newDesk(t)
	dir := filepath.Join(d.home, "Recall")
	if _, ok := tmpfs(t, dir, "300k"); !ok {
		t.Skip("skipped: no disk of one's own can be mounted here")
	}
	long := append([]string{}, first...)
	for range 60 {
		long = append(long, "And "+strings.Repeat("another word of it, ", 20), "Noted.")
	}
	for _, id := range []string{sessionA, sessionB, sessionC, "7f3c0000-0000-4000-8000-00000000000d",
		"7f3c0000-0000-4000-8000-00000000000e", "7f3c0000-0000-4000-8000-00000000000f"} {
		d.says(id, long...)
	}
	if out, err := recallCmd(t, d.home, "sync").CombinedOutput(); err == nil {
		t.Fatalf("the disk wasn't full:\n%s", out)
	}
	if out, err := exec.Command("mount", "-o", "remount,size=30m", dir).CombinedOutput(); err != nil {
		t.Skipf("skipped: %s", out)
	}
	if out, err := recallCmd(t, d.home, "sync").CombinedOutput(); err != nil {
		t.Errorf("with room again: %v\n%s", err, out)
	}
	var doc struct{ Sessions, Safe, Waiting int }
	out, err := recallCmd(t, d.home, "status", "--json").Output()
	if err != nil || json.Unmarshal(out, &doc) != nil || doc.Safe != 6 || doc.Waiting != 0 {
		t.Errorf("%v, %+v, want 6 safe and none waiting", err, doc)
	}
}

// A transcript that was written over with the same size and time is taken in.
func TestSameSizeAndTime(t *testing.T) {
	d := newDesk(t)
	path := d.says(sessionA, first...)
	d.recall("sync")
	fi, err := os.Stat(path)
	must(t, err)
	text, err := os.ReadFile(path)
	must(t, err)
	text[len(text)/2] ^= 1
	must(t, os.WriteFile(path, text, 0o600))
	must(t, os.Chtimes(path, fi.ModTime(), fi.ModTime()))
	if out := d.recall("list"); strings.Contains(out, ": 1 safe") {
		t.Errorf("before it is taken in: %s", out)
	}
	d.recall("sync")
	if out, err := recallCmd(t, d.home, "guard", path).CombinedOutput(); err != nil {
		t.Errorf("guard: %v\n%s", err, out)
	}
}
