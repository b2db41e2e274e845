package keep

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"recall/answer"
	"recall/cmd/recall/app"
	"recall/cmd/recall/terminal"
	"recall/hint"
	"recall/ingest"
	"recall/library"
	"recall/pipeline"
)

// RestoreDoc is the JSON form of recall restore.
type RestoreDoc struct {
	Session ingest.SessionID  `json:"session"`
	Root    string            `json:"root"`             // it is put below
	Resume  string            `json:"resume,omitempty"` // command that continues it
	Written bool              `json:"written"`          // false under --dry-run, or where something was in the way
	Files   []library.Putting `json:"files"`
}

func newRestoreCmd(a *app.App) *cobra.Command {
	var o pipeline.RestoreOptions
	var dryRun, versions, asJSON bool
	cmd := &cobra.Command{
		Use:   "restore SESSION",
		Short: "Put a session's own files back where its client finds them",
		RunE: func(cmd *cobra.Command, args []string) error {
			l, e, err := a.Named(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if versions {
				return printVersions(a, l, e, asJSON)
			}
			p, err := a.Pipeline(l)
			if err != nil {
				return err
			}
			return runRestore(cmd.Context(), a, p, e, o, dryRun, asJSON)
		},
	}
	cmd.Flags().StringVar(&o.To, "to", "", "put it below this folder instead, laid out as the client has it")
	cmd.Flags().StringVar(&o.Dir, "in", "", "the folder in which you will go on with it (Claude Code)")
	cmd.Flags().IntVar(&o.Version, "version", 0, "an older content of the transcript (see --versions)")
	cmd.Flags().BoolVar(&versions, "versions", false, "list the contents that its files have had")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "say what would be written")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

func runRestore(ctx context.Context, a *app.App, p *pipeline.Pipeline, e library.Entry, o pipeline.RestoreOptions,
	dryRun, asJSON bool) error {
	r, err := p.PlanRestore(ctx, e, o)
	switch {
	case errors.Is(err, ingest.ErrNoPlace):
		return hint.With(err, "name a folder with --to, and with --in the project's folder; or recall export %s "+
			"--format raw --raw --to DIR", answer.ShortID(e.ID))
	case errors.Is(err, library.ErrDamaged):
		return hint.With(err, "recall verify says what is damaged; another version (--versions) or a backup may have it")
	case err != nil:
		return err
	}
	blocked := r.Blocked()
	if !dryRun && len(blocked) == 0 {
		if err := p.Restore(ctx, r); err != nil {
			return err
		}
	}
	if asJSON {
		doc := RestoreDoc{Session: r.Session.ID, Root: r.Root, Resume: resumeCommand(r),
			Written: !dryRun && len(blocked) == 0, Files: r.Files}
		if err := a.PrintJSON(doc); err != nil {
			return err
		}
	} else {
		printRestore(a, r, dryRun)
	}
	if len(blocked) > 0 {
		return inTheWay(blocked[0])
	}
	return nil
}

func inTheWay(p library.Putting) error {
	what := "a different file is there"
	if p.State == library.PutNewer {
		what = "the file that is there is newer: it begins with what is archived and goes on"
	}
	return hint.With(fmt.Errorf("%s: %s; nothing was written", terminal.ShownPath(p.Path), what),
		"recall sync keeps what is there first; then move it away and restore again, or restore elsewhere with --to DIR")
}

// resumeCommand continues a restored session, "" where there is none.
func resumeCommand(r pipeline.Restoring) string {
	if r.Session.Source != ingest.ClaudeCode {
		return ""
	}
	cmd := "claude --resume " + string(r.Session.ID)
	if !r.Own {
		cmd = "CLAUDE_CONFIG_DIR=" + app.ShellWord(r.Root) + " " + cmd
	}
	if r.Dir != "" {
		cmd = "cd " + app.ShellWord(terminal.ShownPath(r.Dir)) + " && " + cmd
	}
	return cmd
}

func printRestore(a *app.App, r pipeline.Restoring, dryRun bool) {
	words := map[library.PutState]string{
		library.PutNew: "restored", library.PutLonger: "made whole", library.PutThere: "is there",
		library.PutKept:  "left as it is",
		library.PutNewer: "IN THE WAY (newer)", library.PutOther: "IN THE WAY (different)",
	}
	if dryRun || len(r.Blocked()) > 0 {
		words[library.PutNew], words[library.PutLonger] = "would be restored", "would be made whole"
	}
	for _, f := range r.Files {
		fmt.Fprintf(a.Out, "%-18s %9s  %s\n", words[f.State], terminal.Size(f.Size),
			terminal.Line(terminal.ShownPath(f.Path)))
	}
	if len(r.Blocked()) > 0 {
		return
	}
	if r.NoDir {
		fmt.Fprintf(a.Err, "recall: warning: %s, the folder that it worked in, isn't on this machine; --in names another\n",
			terminal.Line(terminal.ShownPath(r.Dir)))
	}
	switch cmd := resumeCommand(r); {
	case cmd != "":
		fmt.Fprintf(a.Out, "go on with it: %s\n", terminal.Visible(cmd))
	case r.Own:
		fmt.Fprintln(a.Out, "the app shows it after a restart")
	default:
		fmt.Fprintln(a.Out, "laid out as the app has it; it shows only what lies in its own folder")
	}
}

func printVersions(a *app.App, l *library.Library, e library.Entry, asJSON bool) error {
	all, err := l.Versions(e.ID)
	if err != nil {
		return err
	}
	if asJSON {
		return a.PrintJSON(all)
	}
	for _, v := range all {
		now := ""
		if v.Current {
			now = "current"
		}
		fmt.Fprintf(a.Out, "version %-3d %9s  %.12s…  %-8s %s\n", v.Version, terminal.Size(v.Size), v.Sum, now,
			terminal.Line(v.Name))
	}
	return nil
}
