package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recall/cmd/recall/app"
)

// The answer that README.md opens with is the program's own.
func TestReadmeAnswer(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(strings.ReplaceAll(string(text), "\r\n", "\n"), "$ recall query -n 2 \"")
	question, rest, ok2 := strings.Cut(rest, "\"\n")
	want, _, ok3 := strings.Cut(rest, "```")
	if !ok || !ok2 || !ok3 {
		t.Fatal("README.md holds no `$ recall query -n 2 \"…\"` with its answer")
	}
	home := t.TempDir()
	for _, v := range []string{"HOME", "USERPROFILE", "XDG_CACHE_HOME", "LocalAppData", "XDG_CONFIG_HOME", "AppData"} {
		t.Setenv(v, home)
	}
	dir := filepath.Join(home, "demo")
	for _, args := range [][]string{{"demo", "--dir", dir}, {"query", "--no-sync", "--library", filepath.Join(dir, "Recall"), "-n", "2", question}} {
		var out, errOut bytes.Buffer
		if code := run(context.Background(), args, strings.NewReader(""), &out, &errOut); code != app.ExitOK {
			t.Fatalf("recall %q: exit code %d\n%s", args, code, errOut.String())
		}
		if args[0] == "query" {
			if d := cmp.Diff(want, out.String()); d != "" {
				t.Errorf("README.md shows another answer than recall gives (-README +recall):\n%s", d)
			}
		}
	}
}
