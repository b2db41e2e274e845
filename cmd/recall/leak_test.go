package main

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"recall/answer"
)

// The made-up secrets of the samples, as demo/script.go writes them. Split, so
// that no scanner takes this file for a leak.
var demoSecrets = []string{"sk_" + "live_51QwZr8KpTn3VbYdLm6HsXc2RfJg9AeUo4Ni7Bt", "vK9" + "rTq2mXw7Lp4Zs"}

// No secret is in any derived file, in the cache, or in what a command prints.
func TestNoSecretLeaks(t *testing.T) {
	library, sources := demoLibrary(t)
	for _, secret := range demoSecrets {
		if len(filesWith(t, sources, secret)) == 0 {
			t.Fatalf("the samples don't hold %q any more: this test proves nothing", secret)
		}
	}
	outputs := map[string][]byte{}
	say := func(args ...string) []byte {
		out := mustRun(t, append([]string{"--library", library}, args...)...)
		outputs["recall "+strings.Join(args, " ")] = out
		return out
	}
	var sessions []listed
	if err := json.Unmarshal(say("list", "--json"), &sessions); err != nil || len(sessions) == 0 {
		t.Fatalf("recall list: %d sessions, %v", len(sessions), err)
	}
	for _, s := range sessions {
		say("show", string(s.ID))
		say("show", string(s.ID), "--json")
		say("show", string(s.ID), "--transcript")
	}
	for _, project := range []string{"ledgerline", "tidewise"} {
		say("resume", project, "--no-sync")
		say("resume", project, "--no-sync", "--json")
		say("thread", project)
	}
	for _, question := range []string{"stripe api key for staging", "database password postgres url", demoSecrets[0],
		demoSecrets[1]} {
		what := "recall query --no-sync --json " + question
		var got answer.Answer
		must(t, json.Unmarshal(say("query", "--no-sync", "--json", question), &got))
		got.Question, got.Missing = "", nil // the asker's own words
		outputs[what], _ = json.Marshal(got)
	}
	say("status")
	for what, out := range outputs {
		for _, secret := range demoSecrets {
			if bytes.Contains(bytes.ToLower(out), []byte(strings.ToLower(secret))) {
				t.Errorf("%s prints %s", what, secret)
			}
		}
	}
	for _, secret := range demoSecrets {
		for _, path := range filesWith(t, os.Getenv("HOME"), secret) {
			if rel, _ := filepath.Rel(sources, path); strings.HasPrefix(rel, "..") {
				t.Errorf("%s holds %s", path, secret)
			}
		}
	}
}

// filesWith lists the files under dir that hold a secret, in any case of
// letters. Raw segments are compressed and exact by design.
func filesWith(t *testing.T, dir, secret string) []string {
	t.Helper()
	var found []string
	eachFile(t, dir, func(path string, _ fs.DirEntry) {
		if filepath.Base(filepath.Dir(path)) == "raw" {
			return
		}
		text, err := os.ReadFile(path)
		must(t, err)
		if bytes.Contains(bytes.ToLower(text), []byte(strings.ToLower(secret))) {
			found = append(found, path)
		}
	})
	return found
}

func eachFile(t *testing.T, dir string, visit func(path string, d fs.DirEntry)) {
	t.Helper()
	n := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			n++
			visit(path, d)
		}
		return err
	})
	if err != nil || n == 0 {
		t.Fatalf("%s: %d files, %v", dir, n, err)
	}
}

// All that recall writes is for its owner alone: files 0600, folders 0700,
// whatever the umask.
func TestPermissions(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such permissions; folders inherit the user's own")
	}
	library, sources := demoLibrary(t)
	mustRun(t, "--library", library, "project", "rename", "tidewise", "tides")
	mustRun(t, "--library", library, "review", "join", "Dead-letter page", "Two charges")
	mustRun(t, "--library", library, "sync", "--from", sources)
	home := os.Getenv("HOME")
	t.Chdir(home)
	mustRun(t, "--library", library, "wrap-up", "--scratch", "scratch", "--no-review", "tides#1")
	err := filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == home {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		want := fs.FileMode(0o600)
		if d.IsDir() {
			want = 0o700
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s: got %o, want %o", path, got, want)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
