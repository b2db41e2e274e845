// Package team holds the commands for sharing with a team.
package team

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/internal/hint"
	"recall/library"
	"recall/team"
)

// Commands are the commands about a team.
var Commands = []option.Maker{newTeamCmd}

func newTeamCmd(a *app.App) *cobra.Command {
	cmd := option.Command("team", nil, nil)
	cmd.AddCommand(newCreateCmd(a), newJoinCmd(a), newStatusCmd(a), newLeaveCmd(a), newAdmitCmd(a), newLetInCmd(a),
		newLetOutCmd(a), newProjectCmd(a), newShareCmd(a), newUnshareCmd(a), newSyncCmd(a), newDeleteCmd(a),
		newForgetCmd(a))
	return cmd
}

func newCreateCmd(a *app.App) *cobra.Command {
	var o struct {
		Name, Machine, As string
		Yes               bool
	}
	return option.Run(a, "team-create", func(fs *option.Flags) {
		fs.Title(&o.As, "as", "your name in the team (default: your login)")
		fs.Title(&o.Machine, "machine", "this machine's name in the team (default: its host name)")
		fs.Title(&o.Name, "name", "the team's name (default: \"team\")")
		fs.BoolVar(&o.Yes, "yes", false, "don't ask")
	}, func(ctx context.Context, args []string) error {
		address := args[0]
		if err := notInTeam(a.Lib); err != nil {
			return err
		}
		plan, err := team.PlanCreate(ctx, address, cmp.Or(o.Name, "team"))
		if err != nil {
			return err
		}
		a.Form("team/create", plan)
		if err := a.RequireYes(ctx, o.Yes, "create: it changes the database", "Do it?"); err != nil {
			return err
		}
		if err := plan.Do(ctx); err != nil {
			return err
		}
		return join(ctx, a, address, o.Machine, o.As)
	})
}

func newJoinCmd(a *app.App) *cobra.Command {
	var o struct{ Machine string }
	return option.Run(a, "team-join", func(fs *option.Flags) {
		fs.Title(&o.Machine, "machine", "this machine's name in the team (default: its host name)")
	}, func(ctx context.Context, args []string) error {
		return join(ctx, a, args[0], o.Machine, "")
	})
}

func join(ctx context.Context, a *app.App, address, machine, as string) error {
	m, t, err := joinTeam(ctx, a, address, machine)
	if err != nil {
		return err
	}
	defer t.Close()
	if as != "" {
		if err := t.Admit(ctx, t.Member.Login, as); err != nil {
			return err
		}
		t.Member.Name = as
	}
	a.Form("team/joined", struct {
		*team.Membership
		As team.Member
	}{m, t.Member})
	if m.Address != address {
		again, err := team.Open(ctx, m.Address)
		if err != nil {
			fmt.Fprintf(a.Err, "recall: warning: no password is stored, and without it: %s\nrecall: hint: %s\n",
				terminal.Line(err.Error()), terminal.Line(hint.Of(err)))
			return nil
		}
		again.Close()
	}
	a.TeamBeside(true)
	return nil
}

func newStatusCmd(a *app.App) *cobra.Command {
	return option.Asked(a, "team-status", nil, func(ctx context.Context, _ []string) (*team.Status,
		error) {
		t, m, err := a.Team(ctx)
		if m == nil {
			return nil, err
		}
		if err == nil {
			defer t.Close()
		}
		return m.Status(ctx, t, err)
	}, func(a *app.App, s *team.Status) { a.Form("team", s) })
}

func newLeaveCmd(a *app.App) *cobra.Command {
	var o struct {
		Machine string
		Yes     bool
	}
	return option.Run(a, "team-leave", func(fs *option.Flags) {
		fs.Title(&o.Machine, "machine", "another machine of yours, by name or id")
		fs.BoolVar(&o.Yes, "yes", false, "don't ask")
	}, func(ctx context.Context, _ []string) error {
		if o.Machine != "" {
			return leaveOther(ctx, a, o.Machine)
		}
		if _, err := team.MembershipOf(a.Lib.Dir()); errors.Is(err, team.ErrNoMembership) {
			return err
		}
		t, m, err := a.Team(ctx)
		if err == nil {
			defer t.Close()
		} else {
			fmt.Fprintln(a.Err, "recall: warning: the team was not informed:", terminal.Line(err.Error()))
		}
		stays := false
		for _, s := range m.Stamps() {
			stays = stays || s.Hash != ""
		}
		a.Form("team/leave", struct {
			*team.Membership
			Stays bool
		}{m, stays})
		if err := a.RequireYes(ctx, o.Yes, "leave: nothing of this library would be shared any more", "Leave?"); err != nil {
			return err
		}
		if t != nil {
			if err := t.LeaveDevice(ctx, m.Device); err != nil {
				return err
			}
		}
		if err := end(ctx, a); err != nil {
			return err
		}
		fmt.Fprintln(a.Out, "left: this library is no longer in a team")
		return nil
	})
}

// end removes the membership, and what others shared from the index.
func end(ctx context.Context, a *app.App) error {
	return errors.Join(team.End(a.Lib.Dir()), a.IndexShared(ctx))
}

// leaveOther removes another machine, such as a lost one.
func leaveOther(ctx context.Context, a *app.App, machine string) error {
	t, _, err := a.Team(ctx)
	if err != nil {
		return err
	}
	defer t.Close()
	d, err := t.DeviceNamed(ctx, machine)
	if err == nil {
		err = t.LeaveDevice(ctx, d.ID)
	}
	if err == nil {
		fmt.Fprintf(a.Out, "%s is no longer in the team: it can share nothing more\n", terminal.Line(d.Name))
	}
	return err
}

func newAdmitCmd(a *app.App) *cobra.Command {
	return inTeam(a, "team-admit", nil, func(ctx context.Context, t *team.Team, _ *team.Membership,
		args []string) error {
		name := strings.TrimSpace(args[1])
		if err := t.Admit(ctx, args[0], name); err != nil {
			return err
		}
		fmt.Fprintf(a.Out, "%s is now in the team as %s; they run recall team join with their own login\n",
			terminal.Line(args[0]), terminal.Line(name))
		return nil
	})
}

// joinTeam adds this machine to a team and records that in the library.
func joinTeam(ctx context.Context, a *app.App, address, machine string) (*team.Membership, *team.Team, error) {
	if err := notInTeam(a.Lib); err != nil {
		return nil, nil, err
	}
	t, err := team.Open(ctx, address)
	if err != nil {
		return nil, nil, err
	}
	if machine == "" {
		if machine, err = os.Hostname(); err != nil || machine == "" {
			machine = app.Author() + "'s machine"
		}
	}
	m, err := t.Enter(ctx, a.Lib.Dir(), team.WithoutPassword(address), machine)
	if err != nil {
		t.Close()
		return nil, nil, err
	}
	return m, t, nil
}

// notInTeam returns an error if the library is in a team or can't join one.
func notInTeam(l *library.Library) error {
	m, err := team.MembershipOf(l.Dir())
	switch {
	case errors.Is(err, team.ErrNoMembership):
		return l.ReadOnly()
	case err != nil:
		return err
	}
	return hint.With(fmt.Errorf("this library is already in the team %s (%s)", m.Name, m.Address),
		"recall team leave leaves it")
}

func newDeleteCmd(a *app.App) *cobra.Command {
	var o struct{ Yes bool }
	return inTeam(a, "team-delete", func(fs *option.Flags) {
		fs.BoolVar(&o.Yes, "yes", false, "don't ask")
	}, func(ctx context.Context, t *team.Team, of *team.Membership, args []string) error {
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
			return hint.With(err, "members can delete themselves; an owner of the team can delete anybody but the "+
				"only owner")
		}
		if m.ID == t.Member.ID {
			if err := end(ctx, a); err != nil {
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
	}, func(ctx context.Context, t *team.Team, of *team.Membership, args []string) error {
		p, err := t.Find(ctx, args[0])
		if err != nil {
			return err
		}
		author, own := terminal.Line(p.Author), p.Member == t.Member.ID
		if own && p.Device == of.Device {
			return hint.With(fmt.Errorf("session %s is from this machine", terminal.Line(p.Session)),
				"recall forget removes it here and from the team, recall team unshare takes a project back")
		}
		fmt.Fprintf(a.Out, "%s's session %s, %q, would be removed from the team for good\n", author,
			terminal.Line(p.Session), terminal.Line(p.Title))
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
