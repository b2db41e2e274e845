package team

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"recall/answer"
	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/internal/hint"
	"recall/team"
)

func newRetainCmd(a *app.App) *cobra.Command {
	var o struct{ Yes bool }
	return inTeam(a, "team-retain", func(fs *option.Flags) {
		fs.BoolVar(&o.Yes, "yes", false, "don't ask")
	}, func(ctx context.Context, t *team.Team, _ *team.Membership,
		args []string) error {
		days, err := strconv.ParseUint(args[1], 10, 16)
		if err != nil {
			return hint.With(fmt.Errorf("%q is not a number of days", args[1]), "0 keeps sessions for good")
		}
		p, err := t.ProjectNamed(ctx, args[0])
		if err != nil {
			return err
		}
		gone, err := t.Older(ctx, p.ID, int(days))
		if err == nil && gone > 0 {
			fmt.Fprintf(a.Out, "%s of %s ended before that and would be removed for everybody but their authors\n",
				answer.Count(gone, "session"), terminal.Line(p.Name))
			err = a.RequireYes(ctx, o.Yes, "retain: it can't be undone", "Do it?")
		}
		if err == nil {
			err = t.Keep(ctx, p.ID, int(days))
		}
		switch {
		case err != nil:
			return asKeeper(err)
		case days == 0:
			fmt.Fprintf(a.Out, "what is shared of %s is kept for good\n", terminal.Line(p.Name))
			return nil
		}
		if _, err := t.Retain(ctx); err != nil {
			return err
		}
		fmt.Fprintf(a.Out, "what is shared of %s is kept for %s\n", terminal.Line(p.Name),
			answer.Count(int(days), "day"))
		return nil
	})
}

func newExportCmd(a *app.App) *cobra.Command {
	var o struct {
		To    string
		Force bool
	}
	return inTeam(a, "team-export", func(fs *option.Flags) {
		fs.BoolVar(&o.Force, "force", false, "replace an existing file")
		fs.StringVar(&o.To, "to", "", "the file (default: print)")
	}, func(ctx context.Context, t *team.Team, _ *team.Membership,
		args []string) error {
		m, err := t.MemberNamed(ctx, args[0])
		if err != nil {
			return err
		}
		if o.To == "" || o.To == "-" {
			_, err := t.Export(ctx, m.ID, a.Out)
			return err
		}
		var all bytes.Buffer
		rows, err := t.Export(ctx, m.ID, &all)
		if err == nil {
			err = app.WriteNew(o.To, all.String(), o.Force)
		}
		if err == nil {
			fmt.Fprintf(a.Out, "%s: everything that the team's database has about %s, in %s\n", terminal.Line(o.To),
				terminal.Line(m.Name), answer.Count(rows, "line"))
		}
		return err
	})
}

func newDeleteCmd(a *app.App) *cobra.Command {
	var o struct{ Yes bool }
	return inTeam(a, "team-delete", func(fs *option.Flags) {
		fs.BoolVar(&o.Yes, "yes", false, "don't ask")
	}, func(ctx context.Context, t *team.Team, of *team.Membership,
		args []string) error {
		m, err := t.MemberNamed(ctx, args[0])
		if err != nil {
			return err
		}
		rows, err := t.Export(ctx, m.ID, io.Discard)
		if err != nil {
			return err
		}
		a.Form("team/delete", struct {
			team.Member
			Rows int
			Self bool
		}{m, rows, m.ID == t.Member.ID})
		if err := a.RequireYes(ctx, o.Yes, "delete: it can't be undone", "Delete them?"); err != nil {
			return err
		}
		if err := t.Erase(ctx, m.ID); err != nil {
			return hint.With(err, "members can delete themselves; an owner of the team can delete anybody but the only owner")
		}
		if m.ID == t.Member.ID {
			if err := of.End(); err != nil {
				return err
			}
		}
		fmt.Fprintf(a.Out, "%s is deleted from the team, with all that they shared\n", terminal.Line(m.Name))
		return nil
	})
}

func newForgetCmd(a *app.App) *cobra.Command {
	var o struct{ Yes bool }
	return inTeam(a, "team-forget", func(fs *option.Flags) {
		fs.BoolVar(&o.Yes, "yes", false, "don't ask")
	}, func(ctx context.Context, t *team.Team, of *team.Membership,
		args []string) error {
		p, err := t.Find(ctx, args[0])
		if err != nil {
			return err
		}
		author, own := terminal.Line(p.Author), p.Member == t.Member.ID
		if own && p.Device == of.Device {
			return hint.With(fmt.Errorf("session %s is from this machine", terminal.Line(p.Session)), "recall forget removes "+
				"it here and from the team, recall team unshare takes a project back")
		}
		fmt.Fprintf(a.Out, "%s's session %s, %q, would be removed from the team for good\n", author, terminal.Line(p.Session),
			terminal.Line(p.Title))
		there := fmt.Sprintf("in %s's own library it stays until they forget it", author)
		if own { // for example because that machine is lost
			there = "each machine of yours that has it forgets it at its next sync"
			fmt.Fprintln(a.Out, there)
		}
		if err := a.RequireYes(ctx, o.Yes, "forget: it can't be undone", "Forget this for everyone?"); err != nil {
			return err
		}
		if err := t.Forget(ctx, p.Member, p.Session); err != nil {
			return hint.With(err, "only an owner of the team can; %s can with recall forget", author)
		}
		fmt.Fprintf(a.Out, "forgotten for everyone; %s\n", there)
		return nil
	})
}

// inTeam makes a command that needs only the team.
func inTeam(a *app.App, name string, flags func(*option.Flags),
	do func(ctx context.Context, t *team.Team, m *team.Membership, args []string) error) *cobra.Command {
	return option.Run(a, name, flags, func(ctx context.Context, args []string) error {
		t, m, err := a.Team(ctx)
		if err != nil {
			return err
		}
		defer t.Close()
		return do(ctx, t, m, args)
	})
}
