package main

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"recall/cmd/recall/app"
	"recall/hint"
	"recall/library"
)

// Every command explains itself: a sentence and an example.
func TestEveryCommandHasAnExample(t *testing.T) {
	a := &app.App{}
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		if c.Short == "" {
			t.Errorf("%s has no Short", c.CommandPath())
		}
		if c.Hidden {
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
}

func TestHintOf(t *testing.T) {
	for err, want := range map[error]string{
		errors.New("odd"): "",
		fmt.Errorf("x: %w", hint.With(errors.New("y"), "do %s", "z")):               "do z",
		fmt.Errorf("rename project: %w", library.ErrNewer):                          "install a newer recall",
		fmt.Errorf("lock folders: %w", library.ErrBusy):                             "another recall is at work",
		&fs.PathError{Op: "open", Path: "/x", Err: fs.ErrPermission}:                "check who owns",
		errors.Join(errors.New("a"), fmt.Errorf("write: %w", library.ErrForgotten)): "",
	} {
		if got := hint.Of(err); !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%v: got hint %q, want %q", err, got, want)
		}
	}
}
