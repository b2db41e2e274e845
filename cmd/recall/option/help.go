package option

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"recall/answer"
	"recall/cmd/recall/app"
	"recall/cmd/recall/terminal"
	"recall/hint"
	"recall/library"
	"recall/pipeline"
	txt "recall/text"
)

// Explain settles for a command and those below it how many arguments they take, unless they say so themselves, with
// complaints in the words of a person; and completions of sessions and projects.
func Explain(a *app.App, cmd *cobra.Command) {
	if cmd.HasSubCommands() && !cmd.Runnable() { // so that its arguments are checked
		cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	}
	wanted := cmd.Args
	if wanted == nil {
		wanted = asUsed(cmd.Use)
	}
	cmd.Args = func(c *cobra.Command, args []string) error {
		err := wanted(c, args)
		var h *hint.Error
		if err == nil || errors.As(err, &h) {
			return err
		}
		return BadArguments(c, args)
	}
	switch {
	case cmd.ValidArgsFunction != nil:
	case strings.Contains(cmd.Use, "PROJECT"):
		projects := CompleteProject(a)
		cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, given string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return projects(cmd, args, given)
		}
	case strings.Contains(cmd.Use, "SESSION"):
		cmd.ValidArgsFunction = completeSession(a)
	}
	if f := cmd.Flags().Lookup("project"); f != nil && f.Value.Type() == "string" {
		cmd.RegisterFlagCompletionFunc("project", CompleteProject(a))
	}
	for _, sub := range cmd.Commands() {
		Explain(a, sub)
	}
}

// asUsed are the arguments that a command's line of usage names, up to its flags: SESSION must be there, [SESSION] may,
// of SESSION… one or more, and of [SESSION…] any number.
func asUsed(use string) cobra.PositionalArgs {
	least, most := 0, 0
	for _, word := range strings.Fields(use)[1:] {
		if strings.HasPrefix(strings.TrimPrefix(word, "["), "--") {
			break
		}
		optional := strings.HasPrefix(word, "[")
		if !optional {
			least++
		}
		if most++; strings.HasSuffix(strings.TrimSuffix(word, "]"), "…") {
			most = math.MaxInt
		}
	}
	return cobra.RangeArgs(least, most)
}

// completeSession offers ids with titles to the shell.
func completeSession(a *app.App) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, given string) ([]string, cobra.ShellCompDirective) {
		if len(args) >= strings.Count(cmd.Use, "SESSION") {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return Complete(a, func(l *library.Library) (names []string) {
			entries, _ := l.Sessions()
			for _, e := range entries {
				names = append(names, answer.ShortID(e.ID)+"\t"+txt.Clip(terminal.Line(e.Title), 60))
			}
			return names
		})(cmd, args, given)
	}
}

// CompleteProject offers the projects' names to the shell.
func CompleteProject(a *app.App) cobra.CompletionFunc {
	return Complete(a, func(l *library.Library) (names []string) {
		projects, _ := l.Projects()
		for _, p := range projects {
			names = append(names, p.Name)
		}
		return names
	})
}

// Complete offers names in the library to the shell; none where it can't be read.
func Complete(a *app.App, names func(*library.Library) []string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
		a.Flags = cmd.Flags()
		l, err := a.Library(cmd.Context())
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return names(l), cobra.ShellCompDirectiveNoFileComp
	}
}

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
	case strings.Contains(cmd.Use, "[PROJECT"):
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
		way := path + " --help lists the commands"
		if near := c.SuggestionsFor(args[0]); len(near) > 0 {
			way = fmt.Sprintf("did you mean %s %s?", path, strings.Join(near, " or "))
		}
		if !c.HasParent() && len(args) > 1 {
			way += fmt.Sprintf("; a question stands in quotes: recall %q", strings.Join(args, " "))
		}
		return hint.With(err, "%s", way)
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
		want := map[string]string{"int": "a number from 0 up", "bool": "true or false"}[bad.GetFlag().Value.Type()]
		if want == "" {
			want = "of type " + bad.GetFlag().Value.Type()
		}
		err = fmt.Errorf("--%s: %q isn't %s", bad.GetFlag().Name, bad.GetValue(), want)
	}
	return hint.With(err, "%s --help lists the flags", cmd.CommandPath())
}

var flagGroup = txt.Pattern(
	`^if any flags in the group \[.*\] are set none of the others can be; \[(.*)\] were all set$`)

// FlagsTogether words cobra's complaint about flags that exclude one another.
func FlagsTogether(err error) error {
	m := flagGroup().FindStringSubmatch(err.Error())
	if m == nil {
		return err
	}
	return hint.With(fmt.Errorf("--%s don't go together", strings.Join(strings.Fields(m[1]), " and --")),
		"omit one of them")
}
