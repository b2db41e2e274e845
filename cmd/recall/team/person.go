package team

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/internal/hint"
	"recall/team"
)

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
		a.Form("team/delete", struct {
			team.Member
			Self bool
		}{m, m.ID == t.Member.ID})
		if err := a.RequireYes(ctx, o.Yes, "delete: it can't be undone", "Delete them?"); err != nil {
			return err
		}
		if err := t.Erase(ctx, m.ID); err != nil {
			return hint.With(err, "members can delete themselves; an owner of the team can delete anybody but the only owner")
		}
		if m.ID == t.Member.ID {
			if err := team.End(a.Lib.Dir()); err != nil {
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
			there = "each machine of yours that has it says so at its next sync"
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
