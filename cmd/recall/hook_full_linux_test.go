package main

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"recall/serve/hooks"
)

// A disk without room under a hook, the library's or that of the index and the
// log, isn't felt: every hook ends in peace, nothing is torn, and what a
// compaction or a session's end would have saved comes with the next sync. The
// disk is a small one of its own, in namespaces that end with the process.
func TestHooksOnFullDisk(t *testing.T) {
	if os.Getenv("RECALL_TEST_DISK") != "" {
		for _, full := range []string{"library", "cache", "both"} {
			t.Run(full, func(t *testing.T) { hooksOnFullDisk(t, full) })
		}
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestHooksOnFullDisk$", "-test.v")
	cmd.Env = append(os.Environ(), "RECALL_TEST_DISK=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}}}
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	switch {
	case err != nil && !errors.As(err, &exit):
		t.Skipf("no namespaces here: %v", err)
	case err != nil:
		t.Fatalf("%v\n%s", err, out)
	case strings.Contains(string(out), "--- SKIP"):
		t.Skipf("%s", out)
	}
}

func hooksOnFullDisk(t *testing.T, which string) {
	d := newDesk(t)
	disk := filepath.Join(d.home, "disk")
	must(t, os.Mkdir(disk, 0o700))
	if err := syscall.Mount("none", disk, "tmpfs", 0, "size=8m"); err != nil {
		t.Skipf("no small disk here: %v", err)
	}
	defer syscall.Unmount(disk, syscall.MNT_DETACH)
	if which != "cache" {
		d.library = filepath.Join(disk, "Recall")
		t.Setenv("RECALL_LIBRARY_DIR", d.library)
	}
	if which != "library" {
		t.Setenv("XDG_CACHE_HOME", filepath.Join(disk, "cache"))
	}
	d.says(sessionA, first...)
	d.recall("sync")
	whole := map[string]string{}
	each(t, d.library, func(path, text string) { whole[path] = text })

	fill := filepath.Join(disk, "fill")
	fillUp(t, fill)
	d.says(sessionB, "The importer stops at umlauts.", "It reads Latin-1 now.", "Use UTF-8 everywhere, not Latin-1.",
		"Done: UTF-8 everywhere.")
	d.hook(hooks.SessionStart, sessionB, "source", "startup")
	d.hook(hooks.UserPromptSubmit, sessionB, "prompt", "Let's move the timetable index to Postgres.")
	d.hook(hooks.PreToolUse, sessionB, "tool_name", "Edit", "tool_input",
		map[string]string{"file_path": "internal/gen/a.go", "old_string": "a", "new_string": "b"})
	for _, event := range []hooks.Event{hooks.PreCompact, hooks.SessionEnd} {
		if got := d.hook(event, sessionB, "trigger", "auto", "reason", "other"); got != "" {
			t.Errorf("%s says %q", event, got)
		}
	}
	if which == "library" {
		if !strings.Contains(d.log(), "no space left") {
			t.Errorf("the log says nothing of it:\n%s", d.log())
		}
		got := d.context(d.hook(hooks.PreToolUse, sessionB, "tool_name", "Bash", "tool_input",
			map[string]string{"command": "rm -rf ~/.claude/projects"}))
		if !strings.HasPrefix(got, "deny: ") {
			t.Errorf("a command takes away what can't be saved: %q", got)
		}
	}
	if which == "cache" { // the library's has room
		kept := false
		each(t, d.library, func(path, text string) {
			kept = kept || strings.Contains(path, "raw") && strings.Contains(path, "bbbbbbbb")
		})
		if !kept {
			t.Error("the session isn't in the library, on whose disk there is room")
		}
	}
	for path, text := range whole { // what only grows may have grown
		if now, err := os.ReadFile(path); err != nil || !strings.HasPrefix(string(now), text) &&
			strings.Contains(path, "/raw/") {
			t.Errorf("%s is torn: %v", path, err)
		}
	}
	d.recall("check")
	must(t, os.Remove(fill))
	d.recall("sync")
	if got := d.recall("query", "latin-1"); !strings.Contains(got, "UTF-8") {
		t.Errorf("with room again, it isn't known what was said meanwhile:\n%s", got)
	}
	d.recall("check")
	each(t, d.home, func(path, _ string) {
		if strings.Contains(path, ".tmp") || strings.Contains(path, "compacting") {
			t.Errorf("%s was left", path)
		}
	})
	if which == "both" { // the index gives way, which makes room for what forgetting writes
		into := filepath.Join(d.home, "into")
		must(t, os.Mkdir(into, 0o700))
		d.recall("resume", "--project", "harborlight", "--into", into)
		fillUp(t, fill)
		d.recall("forget", sessionA, sessionB, "--yes")
		each(t, disk, func(path, text string) { d.saysNothing(path, text) })
		each(t, into, func(path, text string) { d.saysNothing(path, text) })
	}
}

// saysNothing fails if a file holds what the two sessions said.
func (d *desk) saysNothing(path, text string) {
	if strings.Contains(text, "timetable") || strings.Contains(text, "Latin-1") {
		d.t.Errorf("%s holds what was forgotten", path)
	}
}

// fillUp writes a file until its disk is full.
func fillUp(t *testing.T, path string) {
	t.Helper()
	fill, err := os.Create(path)
	must(t, err)
	defer fill.Close()
	for block := make([]byte, 64<<10); len(block) > 0; {
		if _, err := fill.Write(block); errors.Is(err, syscall.ENOSPC) {
			block = block[:len(block)/2]
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

// each reads the files under a folder.
func each(t *testing.T, dir string, do func(path, text string)) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || filepath.Base(path) == "fill" {
			return err
		}
		text, err := os.ReadFile(path)
		do(path, string(text))
		return err
	})
	must(t, err)
}
