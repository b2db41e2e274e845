package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"recall/cmd/recall/app"
	"recall/internal/hint"
	"recall/library"
)

// Every command explains itself: a sentence and an example.
func TestEveryCommandHasAnExample(t *testing.T) {
	a := &app.App{}
	files, err := filepath.Glob("option/help/*.txt")
	if err != nil || len(files) < 40 {
		t.Fatalf("help in %d files, %v", len(files), err)
	}
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		name := strings.ReplaceAll(strings.TrimPrefix(c.CommandPath(), "recall "), " ", "-")
		files = slices.DeleteFunc(files, func(f string) bool { return filepath.Base(f) == name+".txt" })
		if c.Short == "" {
			t.Errorf("%s has no Short", c.CommandPath())
		}
		if c.Hidden && c.Long == "" {
			return // for recall itself
		}
		if c.HasParent() && c.Parent().Name() == "completion" {
			return // cobra's own, with their own instructions
		}
		if !strings.Contains(c.Example, c.CommandPath()) {
			t.Errorf("%s has no example of itself: %q", c.CommandPath(), c.Example)
		}
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(rootCmd(a))
	if len(files) > 0 {
		t.Errorf("help for no command: %v", files)
	}
}

func TestHintOf(t *testing.T) {
	for err, want := range map[error]string{
		errors.New("odd"): "",
		fmt.Errorf("x: %w", hint.With(errors.New("y"), "do %s", "z")):               "do z",
		fmt.Errorf("rename project: %w", library.ErrNewer):                          "install a newer recall",
		fmt.Errorf("lock folders: %w", library.ErrBusy):                             "another recall is using",
		&fs.PathError{Op: "open", Path: "/x", Err: fs.ErrPermission}:                "check who owns",
		errors.Join(errors.New("a"), fmt.Errorf("write: %w", library.ErrForgotten)): "",
	} {
		if got := hint.Of(err); !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%v: got hint %q, want %q", err, got, want)
		}
	}
}
