package setup

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"recall/cmd/recall/app"
	"recall/cmd/recall/config"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/ingest"
	"recall/internal/hint"
	"recall/library"
	"recall/pipeline"
)

// parts lists what makes recall run automatically. Each is also a command of its own.
var parts = []struct{ name, does, remove string }{
	{"hooks",
		"Claude Code starts each session with what was settled, and is warned when it contradicts that", "uninstall"},
	{"mcp",
		"agents in Claude Code and Claude Desktop (including Cowork) ask recall and note decisions; Codex: recall mcp " +
			"install",
		"uninstall"},
	{"schedule",
		"new sessions of Claude Code, Codex, Gemini CLI, OpenCode and Cowork are archived every ten minutes, " +
			"distilled every night",
		"remove"},
}

func newSetupCmd(a *app.App) *cobra.Command {
	var o struct{ All, Remove, Status, Pause, Resume, Keep bool }
	cmd := option.Do("setup", func(fs *option.Flags) {
		fs.BoolVar(&o.All, "all", false, "set up all three without asking; run again, it updates them")
		fs.BoolVar(&o.Keep, "keep", false, "with --resume: also archive what the last pause left out")
		fs.BoolVar(&o.Pause, "pause", false, "keep nothing of what is said from now on")
		fs.BoolVar(&o.Remove, "remove", false, "remove all three")
		fs.BoolVar(&o.Resume, "resume", false, "end the pause")
		fs.BoolVar(&o.Status, "status", false, "show what is set up, and how it went")
		fs.Apart("all", "remove", "status", "pause", "resume")
		fs.Apart("pause", "keep")
	}, func(ctx context.Context, args []string) error {
		if o.Pause || o.Resume {
			return runPause(ctx, a, args, o.Resume, o.Keep)
		}
		asks := !o.All && !o.Remove && !o.Status && terminal.IsTerminal(a.Out)
		if o.All || asks {
			if _, err := a.Library(ctx); err != nil {
				return err
			}
		}
		st, worst := terminal.Styles(a.Color), app.ExitOK
		for _, p := range parts {
			fmt.Fprintf(a.Out, "%s%s%s: %s\n", st.Bold, p.name, st.Reset, p.does)
			code := app.ExitOK
			switch {
			case o.Remove:
				code = a.Run(ctx, p.name, p.remove)
				if code == app.ExitNothing {
					code = app.ExitOK
				}
			case o.All:
				code = a.Run(ctx, p.name, "install")
			case !asks:
				code = a.Run(ctx, p.name, "status")
			default:
				wanted, err := isWanted(ctx, a, p.name)
				if err != nil {
					return err
				}
				if wanted {
					code = a.Run(ctx, p.name, "install")
				}
			}
			worst = max(worst, code)
			fmt.Fprintln(a.Out)
		}
		if !o.All && !asks && !o.Remove && !o.Status {
			fmt.Fprintln(a.Out, "recall setup asks on a terminal; recall setup --all sets up all three")
		}
		if c, err := a.LoadConfig(); o.Remove && err == nil {
			self, _ := app.Self()
			fmt.Fprintf(a.Out, "What recall has kept stays. To delete everything, remove: %s\n",
				strings.Join(append(c.Places(config.ThisSystem()), self), ", "))
		}
		return app.Exit(worst)
	})
	return option.Refuse(cmd, func(args []string) bool {
		return len(args) > 1 || len(args) == 1 && !o.Pause || o.Keep && !o.Resume
	}, "setup: a duration needs --pause, and --keep needs --resume",
		"recall setup --pause 2h, recall setup --resume")
}

// isWanted asks whether to set up a part, and shows what it would write if asked to. Ctrl-C ends all questions.
func isWanted(ctx context.Context, a *app.App, name string) (bool, error) {
	for {
		fmt.Fprint(a.Out, "y: set it up, s: show what would be written, any other key: not now ")
		key := terminal.Key(ctx, a.In)
		fmt.Fprintln(a.Out)
		switch key {
		case 's', 'S':
			a.Run(ctx, name, "install", "--dry-run")
		case terminal.CtrlC:
			return false, context.Canceled
		default:
			return key == 'y' || key == 'Y', ctx.Err()
		}
	}
}

// runPause begins a pause, for a duration or until --resume; or ends the last one, and with keep undoes it.
func runPause(ctx context.Context, a *app.App, args []string, resume, keep bool) error {
	var long time.Duration
	if len(args) > 0 {
		var err error
		if long, err = ingest.ParseLong(args[0]); err != nil {
			return hint.With(fmt.Errorf("setup: %q is not a duration", args[0]), "for example 30m, 2h or 3d")
		}
	}
	c, err := a.LoadConfig()
	if err != nil {
		return err
	}
	if c.Environment("sources.pauses") {
		return hint.With(errors.New("the pauses are set by RECALL_SOURCES_PAUSES"), "unset it, or change it there")
	}
	all, err := ingest.ParsePeriods(c.Sources.Pauses)
	if err != nil {
		return err
	}
	now := time.Now().UTC().Truncate(time.Millisecond)
	last := len(all) - 1
	running := last >= 0 && all[last].Holds(now)
	said, missed := "", error(nil)
	switch {
	case resume && !running && !(keep && last >= 0):
		return hint.With(errors.New("recall isn't paused"), "recall status shows what is left out")
	case resume && keep:
		all, said = all[:last], "continues; the next sync imports what the last pause left out"
	case resume:
		all[last].Until = now.Add(time.Millisecond)
		said = "continues; what was said in the pause stays out (recall setup --resume --keep imports it)"
	default:
		if !running {
			if missed = syncFirst(ctx, a); missed != nil && !errors.As(missed, new(app.ExitCode)) {
				return missed
			}
			now = time.Now().UTC().Truncate(time.Millisecond)
			all, last = append(all, ingest.Period{From: now}), last+1
		}
		all[last].Until = time.Time{}
		until := "recall setup --resume"
		if long > 0 {
			all[last].Until = now.Add(long)
			until = all[last].Until.Local().Format("2006-01-02 15:04") + ", or " + until
		}
		said = "is paused until " + until + ": nothing said until then is kept"
	}
	at := config.ThisSystem()
	file, err := c.OwnConfig(at)
	if err != nil {
		return err
	}
	var words []string
	for _, p := range all {
		words = append(words, p.String())
	}
	if err := config.WriteConfig(file, []config.Written{{Key: "sources.pauses", Value: strings.Join(words, " ")}},
		at); err != nil {
		return err
	}
	fmt.Fprintln(a.Out, "recall", said)
	return missed
}

// syncFirst archives what was said before a pause, which couldn't be told apart afterwards. If not everything can be
// archived the pause begins nevertheless, and the error is an app.ExitCode.
func syncFirst(ctx context.Context, a *app.App) error {
	_, err := a.Library(ctx)
	if errors.Is(err, library.ErrNoLibrary) {
		return nil
	}
	var r pipeline.Report
	if err == nil {
		r, err = a.Sync(ctx, pipeline.Options{})
	}
	a.PrintProblems(r.Problems)
	if err == nil && len(r.Problems)+r.Left > 0 {
		fmt.Fprintln(a.Err, "recall: warning: not all that was said before the pause is archived: fix that, then run "+
			"recall setup --resume --keep and recall sync, and pause again")
		err = app.ExitCode(app.ExitPartial)
	}
	return err
}
