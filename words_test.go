package recall_test

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// worst matches phrases that a native reader stumbles over.
var worst = regexp.MustCompile(`(?i)\b(?:(?:says|tells) whether|leave \S+ away|left away|how manieth|gone on with)\b`)

// Code and docs avoid the worst phrases: Go says "reports whether"; things are omitted or left out.
func TestEnglish(t *testing.T) {
	files, err := exec.Command("git", "ls-files", "*.go", "*.md", "*.yaml").Output()
	if err != nil {
		t.Skipf("no list of files: %v", err)
	}
	for _, f := range strings.Fields(string(files)) {
		text, err := os.ReadFile(f)
		if err != nil || f == "words_test.go" {
			continue
		}
		for n, line := range strings.Split(string(text), "\n") {
			if m := worst.FindString(line); m != "" {
				t.Errorf("%s:%d: %q", f, n+1, m)
			}
		}
	}
}

// ARCHITECTURE.md says where to begin: every path that it names below the top is there.
func TestPlacesAreThere(t *testing.T) {
	text, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "\n## Where to change what\n")
	table, _, _ = strings.Cut(table, "\n## ")
	found := regexp.MustCompile("`[a-z][a-z/_.-]+`").FindAllString(table, -1)
	for _, path := range found {
		if _, err := os.Stat(strings.Trim(path, "`")); err != nil && strings.Contains(path, "/") {
			t.Error(err)
		}
	}
	if len(found) < 40 {
		t.Errorf("it names %d places", len(found))
	}
}
