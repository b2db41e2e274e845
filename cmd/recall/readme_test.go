package main

import (
	"bytes"
	"context"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recall/cmd/recall/app"
)

// The picture that README.md opens with shows the program's own answers. -update
// draws it anew.
func TestReadmePicture(t *testing.T) {
	home := t.TempDir()
	for _, v := range []string{"HOME", "USERPROFILE", "XDG_CACHE_HOME", "LocalAppData", "XDG_CONFIG_HOME", "AppData"} {
		t.Setenv(v, home)
	}
	dir := filepath.Join(home, "demo")
	library := filepath.Join(dir, "Recall")
	said(t, "demo", "--dir", dir)
	var lines []string
	for _, question := range []string{"when does the beta start?", "do workers poll for new jobs?"} {
		answer := said(t, "query", "--no-sync", "--library", library, "-n", "2", question)
		lines = append(lines, `$ recall query "`+question+`"`)
		lines = append(append(lines, strings.Split(strings.TrimSuffix(answer, "\n"), "\n")...), "")
	}
	want := drawn(lines[:len(lines)-1])

	path := filepath.Join("..", "..", "docs", "picture.svg")
	if *update {
		must(t, os.WriteFile(path, []byte(want), 0o644))
	}
	got, err := os.ReadFile(path)
	must(t, err)
	if d := cmp.Diff(want, strings.ReplaceAll(string(got), "\r\n", "\n")); d != "" {
		t.Errorf("docs/picture.svg shows other answers than recall gives (-recall +picture); go test ./cmd/recall -run "+
			"ReadmePicture -update\n%s", d)
	}
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	must(t, err)
	if !strings.Contains(string(readme), "(docs/picture.svg)") {
		t.Error("README.md doesn't show docs/picture.svg")
	}
	if n := len(strings.Fields(string(readme))); n > 1000 {
		t.Errorf("README.md has %d words, at most 1,000 are read", n)
	}
}

// said is what recall prints.
func said(t *testing.T, args ...string) string {
	t.Helper()
	var out, errOut bytes.Buffer
	if code := run(context.Background(), args, strings.NewReader(""), &out, &errOut); code != app.ExitOK {
		t.Fatalf("recall %q: exit code %d\n%s", args, code, errOut.String())
	}
	return out.String()
}

// drawn is lines as a terminal shows them, in SVG.
func drawn(lines []string) string {
	const lineHeight, margin, width = 20, 24, 900
	var b strings.Builder
	height := len(lines)*lineHeight + 2*margin
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" `+
		`font-family="ui-monospace,Menlo,Consolas,monospace" font-size="14">`+"\n", width, height)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" rx="8" fill="#16181d"/>`+"\n", width, height)
	for i, line := range lines {
		colour := "#d7dae0"
		switch {
		case strings.HasPrefix(line, "$ "):
			colour = "#7fd1ae"
		case strings.HasPrefix(line, "  recall why"), strings.HasPrefix(line, "  who "):
			colour = "#8b93a1"
		}
		fmt.Fprintf(&b, `<text x="%d" y="%d" fill="%s" xml:space="preserve">%s</text>`+"\n", margin, margin+14+i*lineHeight,
			colour, html.EscapeString(line))
	}
	b.WriteString("</svg>\n")
	return b.String()
}
