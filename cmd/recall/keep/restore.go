package keep

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"recall/answer"
	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/ingest"
	"recall/internal/hint"
	"recall/internal/text"
	"recall/library"
	"recall/library/restore"
	"recall/payload"
	"recall/pipeline"
)

type restoreOptions struct {
	All, DryRun, Versions bool
	To, In                string
	Version               int
}

func newRestoreCmd(a *app.App) *cobra.Command {
	var o restoreOptions
	cmd := option.Do("restore", func(fs *option.Flags) {
		fs.BoolVar(&o.All, "all", false, "every session of this machine with missing files")
		fs.BoolVar(&o.DryRun, "dry-run", false, "show what would be written")
		fs.StringVar(&o.In, "in", "",
			"the folder in which you will continue the session (Claude Code, Codex, Gemini CLI)")
		fs.StringVar(&o.To, "to", "", "put it below this folder instead, laid out as the client does")
		fs.Number(&o.Version, "version", "", 0,
			"an older version of the transcript and of outputs that have so many (see --versions)")
		fs.BoolVar(&o.Versions, "versions", false, "list the versions of its files")
	}, func(ctx context.Context, args []string) error {
		entries, err := namedSessions(ctx, a, args, o.All)
		switch {
		case err != nil:
			return err
		case o.Versions:
			all, err := a.Lib.Versions(entries[0].ID)
			if err != nil {
				return err
			}
			a.Form("versions", all)
			return nil
		}
		p := a.Pipeline()
		if o.All {
			return restoreAll(ctx, a, p, entries, o)
		}
		r, err := restoreOne(ctx, p, entries[0], o, o.DryRun)
		if len(r.Files) > 0 {
			printRestore(a, r, o.DryRun)
		}
		return err
	})
	return option.Refuse(cmd, func(args []string) bool {
		return o.All == (len(args) > 0) || len(args) > 1 || o.All && (o.Versions || o.Version > 0 || o.In != "")
	}, "", "")
}

// namedSessions returns the sessions that a person names, or all including the clients' memory.
func namedSessions(ctx context.Context, a *app.App, names []string, all bool) ([]library.Entry, error) {
	if _, err := a.Library(ctx); err != nil {
		return nil, err
	}
	if all {
		return a.Lib.AllEntries()
	}
	return a.Sessions(names)
}

// restoreOne restores a session, or only plans that. The plan is returned with an error, too.
func restoreOne(ctx context.Context, p *pipeline.Pipeline, e library.Entry, o restoreOptions,
	dryRun bool) (pipeline.RestorePlan, error) {
	r, err := p.PlanRestore(ctx, e, pipeline.RestoreOptions{To: o.To, Dir: o.In, Version: o.Version})
	switch {
	case errors.Is(err, restore.ErrInDatabase):
		return pipeline.RestorePlan{}, hint.With(restore.ErrInDatabase,
			"recall resume %[1]s --copy copies the payload for its next session; recall export %[1]s --raw "+
				"--to DIR saves its rows", payload.ShortID(e.ID))
	case errors.Is(err, ingest.ErrNoPlace):
		return pipeline.RestorePlan{}, hint.With(err, "name a folder with --to, and with --in the project's folder; or "+
			"recall export %s --raw --to DIR", payload.ShortID(e.ID))
	case errors.Is(err, library.ErrDamaged):
		return pipeline.RestorePlan{}, hint.With(err,
			"recall check shows what is damaged; another version (--versions) or a backup might have it")
	case err != nil:
		return pipeline.RestorePlan{}, err
	case len(r.Blocked()) > 0:
		return r, inTheWay(r.Blocked()[0])
	case dryRun:
		return r, nil
	}
	if err := p.Restore(ctx, r); err != nil {
		return pipeline.RestorePlan{}, err
	}
	return r, nil
}

// restoreAll restores the sessions of this machine with a missing file, one by one: a failure is reported and doesn't
// stop the others.
func restoreAll(ctx context.Context, a *app.App, p *pipeline.Pipeline, entries []library.Entry,
	o restoreOptions) error {
	done, left, elsewhere := 0, 0, 0
	for _, e := range entries {
		r, err := restoreOne(ctx, p, e, o, true)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, ingest.ErrNoPlace), errors.Is(err, restore.ErrInDatabase), r.Moved && o.To == "":
			elsewhere++
			continue
		case len(r.Files) > 0 && !r.Missing():
			continue
		case err == nil && !o.DryRun:
			err = p.Restore(ctx, r)
		}
		if err != nil {
			left++
			fmt.Fprintf(a.Err, "recall: %s %s: %s\n", payload.ShortID(e.ID), terminal.Line(e.Title),
				terminal.Line(terminal.ShownPath(err.Error())))
			continue
		}
		done++
		size := int64(0)
		for _, f := range r.Files {
			size += f.Size
		}
		fmt.Fprintf(a.Out, "%s  %s  %s, %s  %s\n", map[bool]string{true: "would be restored", false: "restored"}[o.DryRun],
			payload.ShortID(e.ID), answer.Count(len(r.Files), "file"), text.Size(size), terminal.Line(e.Title))
	}
	switch {
	case done+left == 0:
		fmt.Fprintln(a.Out, "nothing to restore")
	case !o.DryRun && done > 0:
		fmt.Fprintln(a.Out, "Cowork shows its own after a restart; claude --resume, codex resume and gemini "+
			"--resume, in the project's folder, find the others")
	}
	if elsewhere > 0 {
		fmt.Fprintf(a.Out, "%s left out: of another machine's client, with nothing but prompts left, or deleted from "+
			"OpenCode's database, where recall writes nothing; recall restore SESSION explains what to do\n",
			answer.Count(elsewhere, "session"))
	}
	if left > 0 {
		return hint.With(fmt.Errorf("%s not restored", answer.Count(left, "session")),
			"recall restore SESSION explains each")
	}
	return nil
}

func inTheWay(p restore.File) error {
	what := "a different file is there"
	if p.State == restore.Newer {
		what = "the existing file is newer: it begins with what is archived and continues"
	}
	return hint.With(fmt.Errorf("%s: %s; nothing was written", terminal.ShownPath(p.Path), what),
		"first keep it with recall sync, then move it away and restore again; or restore elsewhere with --to DIR")
}

// restoredPage is a session being restored, as shown to a person.
type restoredPage struct {
	pipeline.RestorePlan
	DryRun bool
	Resume string
}

// Word words what becomes of a file.
func (restoredPage) Word(would string, of restore.State) string {
	return map[restore.State]string{
		restore.New: would + "restored", restore.Longer: would + "made whole", restore.There: "is there",
		restore.Kept:  "left unchanged",
		restore.Newer: "IN THE WAY (newer)", restore.Other: "IN THE WAY (different)",
	}[of]
}

func printRestore(a *app.App, r pipeline.RestorePlan, dryRun bool) {
	if r.NoDir && len(r.Blocked()) == 0 {
		fmt.Fprintf(a.Err, "recall: warning: %s, the folder where it worked, isn't on this machine; --in names another\n",
			terminal.Line(terminal.ShownPath(r.Dir)))
	}
	a.Form("restored", restoredPage{r, dryRun, terminal.ResumeCommand(r)})
}
