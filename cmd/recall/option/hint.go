package option

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"recall/answer"
	"recall/hint"
	"recall/pipeline"
)

// NameProject adds to the refusal of a command that was called where no session
// worked how it is called for the project that was last worked on.
func NameProject(cmd *cobra.Command, err error) error {
	var not *pipeline.NotHereError
	var h *hint.Error
	switch {
	case !errors.As(err, &not) || errors.As(err, &h):
		return err
	case not.Project == "":
		return hint.With(err, "recall sync takes sessions in; recall status lists where they are looked for")
	case strings.Contains(cmd.Use, "[PROJECT]"):
		return hint.With(err, "%s %q; recall project list names all", cmd.CommandPath(), not.Project)
	case cmd.Flag("project") != nil:
		return hint.With(err, "%s --project %q; recall project list names all", cmd.CommandPath(), not.Project)
	}
	return hint.With(err, "name the session; recall list --project %q shows them", not.Project)
}

func BadArguments(c *cobra.Command, args []string) error {
	path := c.CommandPath()
	if c.HasAvailableSubCommands() && len(args) > 0 {
		err := fmt.Errorf("unknown command %q for %q", args[0], path)
		c.SuggestionsMinimumDistance = 2
		if near := c.SuggestionsFor(args[0]); len(near) > 0 {
			return hint.With(err, "did you mean %s %s?", path, strings.Join(near, " or "))
		}
		return hint.With(err, "%s --help lists the commands", path)
	}
	_, wants, _ := strings.Cut(strings.TrimSuffix(c.UseLine(), " [flags]"), path)
	if wants = strings.TrimSpace(wants); wants == "" {
		wants = "none"
	}
	return hint.With(fmt.Errorf("%s: got %s, want %s", path, answer.Count(len(args), "argument"), wants),
		"%s --help has examples", path)
}

// BadFlag words a complaint about a flag.
func BadFlag(cmd *cobra.Command, err error) error {
	var bad *pflag.InvalidValueError
	var own *hint.Error
	if errors.As(err, &own) && errors.As(err, &bad) {
		return hint.With(fmt.Errorf("--%s: %w", bad.GetFlag().Name, own.Err), "%s", own.Hint)
	}
	if errors.As(err, &bad) {
		want := map[string]string{"int": "a number", "bool": "true or false"}[bad.GetFlag().Value.Type()]
		if want == "" {
			want = "of type " + bad.GetFlag().Value.Type()
		}
		err = fmt.Errorf("--%s: %q isn't %s", bad.GetFlag().Name, bad.GetValue(), want)
	}
	return hint.With(err, "%s --help lists the flags", cmd.CommandPath())
}

var flagGroup = regexp.MustCompile(
	`^if any flags in the group \[.*\] are set none of the others can be; \[(.*)\] were all set$`)

// FlagsTogether words cobra's complaint about flags that exclude one another.
func FlagsTogether(err error) error {
	m := flagGroup.FindStringSubmatch(err.Error())
	if m == nil {
		return err
	}
	return hint.With(fmt.Errorf("--%s don't go together", strings.Join(strings.Fields(m[1]), " and --")),
		"omit one of them")
}
