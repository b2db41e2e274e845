package main

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"recall/answer/history"
)

// hostileRepositories configure git, each in another way, to run a program.
var hostileRepositories = map[string]func(git func(...string), dir, program string){
	"clean filter": func(git func(...string), dir, program string) {
		os.WriteFile(filepath.Join(dir, ".gitattributes"), []byte("* filter=x\n"), 0o600)
		git("config", "filter.x.clean", program)
	},
	"process filter": func(git func(...string), dir, program string) {
		os.WriteFile(filepath.Join(dir, ".gitattributes"), []byte("* filter=x\n"), 0o600)
		git("config", "filter.x.process", program)
		git("config", "filter.x.required", "true")
	},
	"info/attributes": func(git func(...string), dir, program string) {
		os.WriteFile(filepath.Join(dir, ".git", "info", "attributes"), []byte("* filter=x diff=x\n"), 0o600)
		git("config", "filter.x.clean", program)
		git("config", "diff.x.textconv", program)
		git("config", "diff.x.command", program)
	},
	"text conversion": func(git func(...string), dir, program string) {
		os.WriteFile(filepath.Join(dir, ".gitattributes"), []byte("* diff=x\n"), 0o600)
		git("config", "diff.x.textconv", program)
		git("config", "diff.external", program)
	},
	"fsmonitor, hooks, pager, aliases": func(git func(...string), dir, program string) {
		git("config", "core.fsmonitor", program)
		git("config", "core.hooksPath", filepath.Dir(program))
		git("config", "core.pager", program)
		git("config", "pager.blame", program)
		git("config", "core.editor", program)
		git("config", "alias.blame", "!"+program)
		git("config", "gpg.program", program)
		git("config", "log.showSignature", "true")
		git("config", "credential.helper", program)
	},
	"partial clone by ssh": func(git func(...string), dir, program string) {
		git("config", "core.repositoryformatversion", "1")
		git("config", "extensions.partialClone", "origin")
		git("config", "remote.origin.url", "ssh://nowhere.invalid/x")
		git("config", "remote.origin.promisor", "true")
		git("config", "core.sshCommand", program)
		loseBlobs(dir)
	},
	"partial clone by ext": func(git func(...string), dir, program string) {
		git("config", "core.repositoryformatversion", "1")
		git("config", "extensions.partialClone", "origin")
		git("config", "remote.origin.url", "ext::"+program)
		git("config", "remote.origin.promisor", "true")
		git("config", "protocol.ext.allow", "always")
		loseBlobs(dir)
	},
	"included": func(git func(...string), dir, program string) {
		os.WriteFile(filepath.Join(dir, ".git", "more"), fmt.Appendf(nil, "[filter \"x\"]\n\tclean = %s\n", program), 0o600)
		os.WriteFile(filepath.Join(dir, ".gitattributes"), []byte("* filter=x\n"), 0o600)
		git("config", "include.path", "more")
	},
}

// loseBlobs takes the contents of files out of a repository, so that they would have
// to be fetched.
func loseBlobs(dir string) {
	filepath.WalkDir(filepath.Join(dir, ".git", "objects"), func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || len(d.Name()) != 38 {
			return err
		}
		name := filepath.Base(filepath.Dir(p)) + d.Name()
		out, _ := exec.Command("git", "-C", dir, "cat-file", "-t", name).Output()
		if strings.TrimSpace(string(out)) == "blob" {
			os.Remove(p)
		}
		return nil
	})
}

// Whatever a repository's configuration says, asking after a line of it runs nothing.
func TestHostileRepositoryRunsNothing(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the programs are shell scripts")
	}
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git isn't installed")
	}
	for name, configure := range hostileRepositories {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, home := t.TempDir(), t.TempDir()
			ran := filepath.Join(home, "ran")
			program := filepath.Join(home, "program")
			must(t, os.WriteFile(program, fmt.Appendf(nil, "#!/bin/sh\necho ran $# >> %s\n", ran), 0o700))
			for _, hook := range []string{"post-checkout", "pre-auto-gc", "reference-transaction"} {
				os.Link(program, filepath.Join(home, hook))
			}
			git := func(args ...string) {
				t.Helper()
				cmd := exec.Command("git", args...)
				cmd.Dir = dir
				cmd.Env = append(os.Environ(), "HOME="+home)
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("git %v: %v\n%s", args, err, out)
				}
			}
			file := filepath.Join(dir, "f.txt")
			os.WriteFile(file, []byte("one\ntwo\n"), 0o600)
			git("init", "-q")
			git("-c", "user.name=a", "-c", "user.email=a@b", "add", ".")
			git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "first")
			configure(git, dir, program)
			os.WriteFile(file, []byte("one\nand a half\ntwo\n"), 0o600)
			os.Remove(ran)

			// What the attack does to a git that isn't held back; one that does nothing shows nothing.
			short, done := context.WithTimeout(t.Context(), time.Minute)
			go func() { // one that waits for the attack's end would wait for long
				defer done()
				for short.Err() == nil {
					if _, err := os.Stat(ran); err == nil {
						return
					}
					time.Sleep(20 * time.Millisecond)
				}
			}()
			cmd := exec.CommandContext(short, "git", "blame", "f.txt")
			cmd.WaitDelay = time.Second
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "HOME="+home)
			cmd.CombinedOutput()
			done()
			if _, err := os.Stat(ran); err != nil && !strings.Contains(name, "fsmonitor") &&
				!strings.Contains(name, "text conversion") {
				t.Errorf("git blame itself ran nothing: the attack isn't one")
			}
			os.Remove(ran)

			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			real, err := filepath.EvalSymlinks(file)
			must(t, err)
			b, err := history.Blame(ctx, real, 3)
			if !strings.HasPrefix(name, "partial") && (err != nil || b.Subject != "first" || b.Text != "two") {
				t.Errorf("got %+v, %v; want the line's commit", b, err)
			}
			if b, err := history.Blame(ctx, real, 2); !strings.HasPrefix(name, "partial") && (err != nil || b.Hash != "") {
				t.Errorf("a line that isn't committed: got %+v, %v", b, err)
			}
			init := recallCmd(t, home, "init", "--yes")
			init.Dir = dir
			init.CombinedOutput()
			for _, args := range [][]string{{"why", "f.txt:1"}, {"why", "f.txt:1", "--json"}, {"query", "anything here"},
				{"handoff", "--to", "Bob", "-o", "-"}, {"resume"}, {"log"},
				{"resume", "add a line", "f.txt"}, {"why", "--file", "f.txt"}, {"status"}, {"sync"}} {
				cmd := recallCmd(t, home, args...)
				cmd.Dir = dir
				if out, err := cmd.CombinedOutput(); bytes.Contains(out, []byte("panic")) {
					t.Errorf("recall %v: %v\n%s", args, err, out)
				}
			}
			if text, err := os.ReadFile(ran); err == nil {
				t.Errorf("it was run: %s", text)
			}
		})
	}
}

// A cloned repository brings a config.yaml and a library, whose temporary folder,
// journal and project folders are links. Nothing that recall does there reads, writes
// or deletes anything by them.
func TestHostileLibrary(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need rights there")
	}
	home, repo := t.TempDir(), t.TempDir()
	victim := filepath.Join(home, "victim")
	kept := map[string]string{"a/b.txt": "mine", "c.txt": "mine too", ".bashrc": "alias ll=ls\n"}
	for name, text := range kept {
		p := filepath.Join(victim, name)
		os.MkdirAll(filepath.Dir(p), 0o700)
		os.WriteFile(p, []byte(text), 0o600)
	}
	session := filepath.Join(home, ".claude", "projects", "-w", "0a000001-0000-4000-8000-000000000001.jsonl")
	os.MkdirAll(filepath.Dir(session), 0o700)
	os.WriteFile(session, []byte(`{"type":"user","uuid":"u1","parentUuid":null,`+
		`"sessionId":"0a000001-0000-4000-8000-000000000001","cwd":"/w","timestamp":"2026-03-01T10:00:00Z",`+
		`"message":{"role":"user","content":"Let's keep the umbrella secret in the drawer."}}`+"\n"), 0o600)

	hostile := filepath.Join(repo, ".lib")
	theirs := recallCmd(t, t.TempDir(), "--library", hostile, "init", "--yes")
	if out, err := theirs.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for name, to := range map[string]string{".tmp": victim, ".locks": victim, "inbox": victim, "unsorted": victim,
		"w":             victim,
		"journal.jsonl": filepath.Join(victim, ".bashrc"), "usage.jsonl": filepath.Join(victim, "c.txt"), "cache": victim} {
		at := filepath.Join(hostile, name)
		os.RemoveAll(at)
		must(t, os.Symlink(to, at))
	}
	before := treeOf(t, hostile)
	commands := [][]string{{"sync"}, {"archive"}, {"status"}, {"list"}, {"check"}, {"check", "--repair"},
		{"query", "umbrella"}, {"resume"}, {"guard"}, {"reindex"}, {"log"},
		{"review"}, {"status", "usage"}, {"backup", "--to", filepath.Join(home, "backup")}, {"check", "--fix"}}
	for _, event := range []string{"session-start", "prompt", "tool", "pre-compact", "session-end"} {
		commands = append(commands, []string{"hook", event})
	}
	check := func(when string) {
		t.Helper()
		for name, text := range kept {
			if got, err := os.ReadFile(filepath.Join(victim, name)); err != nil || string(got) != text {
				t.Fatalf("%s: %s is %q, %v; want %q", when, name, got, err, text)
			}
		}
		if n := len(treeOf(t, victim)); n != len(kept) {
			t.Fatalf("%s: %d files beside those that were there", when, n-len(kept))
		}
	}
	run := func(named bool, args ...string) {
		t.Helper()
		if named {
			args = append([]string{"--library", hostile}, args...)
		}
		cmd := recallCmd(t, home, args...)
		cmd.Dir = repo
		cmd.Stdin = strings.NewReader(fmt.Sprintf(`{"hook_event_name":"SessionStart",`+
			`"session_id":"0a000009-0000-4000-8000-000000000009","cwd":%q,"source":"startup","prompt":"umbrella",`+
			`"transcript_path":%q}`, repo, session))
		out, err := cmd.CombinedOutput()
		if bytes.Contains(out, []byte("panic:")) {
			t.Errorf("recall %v: %v\n%s", args, err, out)
		}
		check(fmt.Sprint("recall ", args))
	}
	// By the file in the working directory: it chooses no library.
	os.WriteFile(filepath.Join(repo, "config.yaml"), []byte("library: {dir: ./.lib}\nquery: {limit: 3}\n"), 0o600)
	for _, args := range commands {
		run(false, args...)
	}
	if after := treeOf(t, hostile); len(after) != len(before) {
		t.Errorf("the repository's library has %d files, had %d: something of the user's went there", len(after), len(before))
	}
	// Even chosen by the user: no link is followed.
	for _, args := range commands {
		run(true, args...)
	}
	out, _ := recallCmd(t, home, "--library", hostile, "list").CombinedOutput()
	if !bytes.Contains(out, []byte("follows no links")) {
		t.Errorf("list says nothing of the folders that are links:\n%s", out)
	}
}

// A pipe where settings, a configuration or a page of notes belong is waited for by
// nobody.
func TestPipesAreNotWaitedFor(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no such files there")
	}
	home, repo := t.TempDir(), t.TempDir()
	pipe := func(parts ...string) string {
		p := filepath.Join(parts...)
		os.MkdirAll(filepath.Dir(p), 0o700)
		if out, err := exec.Command("mkfifo", p).CombinedOutput(); err != nil {
			t.Skipf("mkfifo: %v %s", err, out)
		}
		return p
	}
	pipe(home, ".claude", "settings.json")
	pipe(home, ".claude.json")
	pipe(repo, ".claude", "settings.json")
	pipe(repo, ".mcp.json")
	pipe(repo, "config.yaml")
	into := pipe(repo, "notes", "RECALL.md")
	pipe(repo, ".git", "HEAD")
	records := pipe(repo, "docs", "decisions")
	writeTo(t, filepath.Join(home, ".claude", "projects", "-x", "0a000001-0000-4000-8000-000000000001.jsonl"),
		fmt.Sprintf(`{"type":"user","uuid":"a","sessionId":"0a000001-0000-4000-8000-000000000001","cwd":%q,`+
			`"timestamp":"2026-11-20T10:00:00Z","message":{"role":"user","content":"Hello."}}`+"\n", repo))
	pipe(home, "Recall", "journal.jsonl")
	for _, args := range [][]string{{"init", "--yes"}, {"setup", "--all", "--only", "hooks,server"},
		{"setup", "--status"}, {"setup", "--remove", "--only", "hooks,server"}, {"status"}, {"sync"}, {"config"},
		{"resume", "--into", filepath.Dir(into)}, {"hook", "session-start"},
		{"import", into}, {"habits"}, {"wrap-up", "--draft", into}, {"handoff", "--to", "bea", "-o", into},
		{"why", into + ":1"}, {"resume", "task", into}, {"list", "--library", records},
		{"hook", "user-prompt-submit"}, {"hook", "session-end"}} {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		cmd := recallCmd(t, home, args...)
		cmd = exec.CommandContext(ctx, cmd.Path, cmd.Args[1:]...)
		cmd.Env = recallCmd(t, home).Env
		cmd.Dir, cmd.WaitDelay = repo, time.Second
		cmd.Stdin = strings.NewReader(fmt.Sprintf(`{"session_id":"0a000009-0000-4000-8000-000000000009","cwd":%q,`+
			`"source":"startup","prompt":"anything","transcript_path":%q}`, repo, into))
		out, _ := cmd.CombinedOutput()
		if ctx.Err() != nil {
			t.Errorf("recall %v waits for a pipe: %s", args, out)
		}
		cancel()
	}
}

// treeOf lists the plain files below a folder with their sizes.
func treeOf(t *testing.T, dir string) map[string]int64 {
	t.Helper()
	all := map[string]int64{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		fi, err := d.Info()
		all[p] = fi.Size()
		return err
	})
	must(t, err)
	return all
}
