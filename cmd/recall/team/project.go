package team

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/hint"
	"recall/team"
)

// asKeeper says who may what its keeper may.
func asKeeper(err error) error {
	if errors.Is(err, team.ErrRefused) {
		return hint.With(err, "who shared it first keeps it; they may, and an owner of the team")
	}
	return err
}

func newLetInCmd(a *app.App) *cobra.Command {
	return ofProject(a, "team-let-in", func(ctx context.Context, t *team.Team, p team.Project, m team.Member) error {
		if err := t.LetIn(ctx, p.ID, m.ID); err != nil {
			return err
		}
		fmt.Fprintf(a.Out, "%s reads what is shared of %s, and may share in it\n", terminal.Line(m.Name),
			terminal.Line(p.Name))
		return nil
	})
}

func newLetOutCmd(a *app.App) *cobra.Command {
	return ofProject(a, "team-let-out", func(ctx context.Context, t *team.Team, p team.Project, m team.Member) error {
		if err := t.LetOut(ctx, p.ID, m.ID); err != nil {
			return err
		}
		fmt.Fprintf(a.Out, "%s reads nothing more of %s; what they shared in it stays until they take it back\n",
			terminal.Line(m.Name), terminal.Line(p.Name))
		return nil
	})
}

// ofProject makes a command about a member in a project.
func ofProject(a *app.App, name string,
	do func(ctx context.Context, t *team.Team, p team.Project, m team.Member) error) *cobra.Command {
	return inTeam(a, name, nil, func(ctx context.Context, t *team.Team, _ *team.Membership, args []string) error {
		p, err := t.ProjectNamed(ctx, args[0])
		if err != nil {
			return err
		}
		m, err := t.MemberNamed(ctx, args[1])
		if err != nil {
			return err
		}
		return asKeeper(do(ctx, t, p, m))
	})
}

func newProjectCmd(a *app.App) *cobra.Command {
	var o struct {
		Name, Remote, Into string
		Apart              bool
	}
	cmd := inTeam(a, "team-project", &o, func(ctx context.Context, t *team.Team, _ *team.Membership,
		args []string) error {
		p, err := t.ProjectNamed(ctx, args[0])
		if err != nil {
			return err
		}
		said := terminal.Line(p.Name)
		if o.Name != "" {
			p.Name = o.Name
		}
		if o.Remote != "" {
			p.Remote = o.Remote
		}
		if o.Apart {
			p.Into = 0
		}
		if o.Into != "" {
			into, err := t.ProjectNamed(ctx, o.Into)
			if err != nil {
				return err
			}
			p.Into = into.ID
		}
		if err := t.Correct(ctx, p); err != nil {
			return asKeeper(err)
		}
		fmt.Fprintf(a.Out, "%s is corrected for the whole team\n", said)
		return nil
	})
	return option.Refuse(cmd, func([]string) bool { return o.Name+o.Remote+o.Into == "" && !o.Apart },
		"project: say what is to be corrected", "recall team project ledger --into billing")
}
