package main

import (
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"recall/library"
	"recall/pipeline"
)

// hinted is an error with the way out of it.
type hinted struct {
	err  error
	hint string
}

func (h *hinted) Error() string { return h.err.Error() }
func (h *hinted) Unwrap() error { return h.err }

func withHint(err error, format string, args ...any) error {
	return &hinted{err, fmt.Sprintf(format, args...)}
}

// hintOf is the way out of an error: its own, or that of the fault at its
// bottom; "" where none is known.
func hintOf(err error) string {
	var h *hinted
	switch {
	case errors.As(err, &h):
		return h.hint
	case errors.Is(err, library.ErrNewer):
		return "install a newer recall; query, resume, list and show work with this one too"
	case errors.Is(err, library.ErrBusy):
		return "another recall is at work in this library; try again when it is done"
	case errors.Is(err, fs.ErrPermission):
		return "check who owns that file or folder and its permissions"
	case library.IsFull(err):
		return "make room on that disk and run it again: nothing is lost"
	}
	return ""
}

// nameProject adds to the refusal of a command that was called where no session
// worked how it is called for the project that was last worked on.
func nameProject(cmd *cobra.Command, err error) error {
	var not *pipeline.NotHereError
	var h *hinted
	switch {
	case !errors.As(err, &not) || errors.As(err, &h):
		return err
	case not.Project == "":
		return withHint(err, "recall sync takes sessions in; recall status lists where they are looked for")
	case strings.Contains(cmd.Use, "[PROJECT]"):
		return withHint(err, "%s %q; recall project list names all", cmd.CommandPath(), not.Project)
	case cmd.Flag("project") != nil:
		return withHint(err, "%s --project %q; recall project list names all", cmd.CommandPath(), not.Project)
	}
	return withHint(err, "name the session; recall list --project %q shows them", not.Project)
}

// explainUsage gives every command's complaint about its arguments the words
// of a person and a hint.
func explainUsage(cmd *cobra.Command) {
	wanted := cmd.Args
	cmd.Args = func(c *cobra.Command, args []string) error {
		if wanted == nil {
			wanted = cobra.NoArgs
		}
		err := wanted(c, args)
		var h *hinted
		if err == nil || errors.As(err, &h) {
			return err
		}
		return badArguments(c, args)
	}
	for _, sub := range cmd.Commands() {
		explainUsage(sub)
	}
}

func badArguments(c *cobra.Command, args []string) error {
	path := c.CommandPath()
	if c.HasAvailableSubCommands() && len(args) > 0 {
		err := fmt.Errorf("unknown command %q for %q", args[0], path)
		c.SuggestionsMinimumDistance = 2
		if near := c.SuggestionsFor(args[0]); len(near) > 0 {
			return withHint(err, "did you mean %s %s?", path, strings.Join(near, " or "))
		}
		return withHint(err, "%s --help lists the commands", path)
	}
	_, wants, _ := strings.Cut(strings.TrimSuffix(c.UseLine(), " [flags]"), path)
	if wants = strings.TrimSpace(wants); wants == "" {
		wants = "none"
	}
	return withHint(fmt.Errorf("%s: got %s, want %s", path, count(len(args), "argument"), wants), "%s --help has examples", path)
}

// badFlag words a complaint about a flag.
func badFlag(cmd *cobra.Command, err error) error {
	var bad *pflag.InvalidValueError
	var own *hinted
	if errors.As(err, &own) && errors.As(err, &bad) {
		return withHint(fmt.Errorf("--%s: %w", bad.GetFlag().Name, own.err), "%s", own.hint)
	}
	if errors.As(err, &bad) {
		want := map[string]string{"int": "a number", "bool": "true or false"}[bad.GetFlag().Value.Type()]
		if want == "" {
			want = "of type " + bad.GetFlag().Value.Type()
		}
		err = fmt.Errorf("--%s: %q isn't %s", bad.GetFlag().Name, bad.GetValue(), want)
	}
	return withHint(err, "%s --help lists the flags", cmd.CommandPath())
}

var flagGroup = regexp.MustCompile(`^if any flags in the group \[.*\] are set none of the others can be; \[(.*)\] were all set$`)

// flagsTogether words cobra's complaint about flags that exclude one another as
// notTogether does.
func flagsTogether(err error) error {
	m := flagGroup.FindStringSubmatch(err.Error())
	if m == nil {
		return err
	}
	return withHint(fmt.Errorf("--%s don't go together", strings.Join(strings.Fields(m[1]), " and --")), "omit one of them")
}

// notTogether refuses flags that contradict one another.
func notTogether(cmd *cobra.Command, names ...string) error {
	var given []string
	for _, name := range names {
		if cmd.Flags().Changed(name) {
			given = append(given, "--"+name)
		}
	}
	if len(given) > 1 {
		return withHint(fmt.Errorf("%s don't go together", strings.Join(given, " and ")), "omit one of them")
	}
	return nil
}
