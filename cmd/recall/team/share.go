package team

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"recall/answer"
	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/internal/hint"
	"recall/library"
	"recall/team"
)

func newShareCmd(a *app.App) *cobra.Command {
	var o struct {
		Level       string
		Yes, DryRun bool
	}
	return option.Run(a, "team-share", func(fs *option.Flags) {
		fs.BoolVar(&o.DryRun, "dry-run", false, "show what would leave, and send nothing")
		fs.OneOf(&o.Level, "level", "",
			"how much to share: items, unless shared differently already", "items", "transcripts")
		fs.BoolVar(&o.Yes, "yes", false, "don't ask")
	}, func(ctx context.Context, args []string) error {
		p, err := a.ProjectNamed(args[0])
		if err != nil {
			return err
		}
		from := a.Leaving()
		level, err := from.Meant(p, team.Level(o.Level))
		if err != nil {
			return err
		}
		leaving, err := from.Look(ctx, p.Name, level)
		if err != nil {
			return err
		}
		a.Form("team/share", leaving)
		if err := leaving.Refused(); err != nil {
			return err
		}
		t, m, err := a.Team(ctx)
		switch {
		case o.DryRun && errors.Is(err, team.ErrNoMembership): // a preview needs no team
			return nil
		case o.DryRun && err != nil:
			fmt.Fprintln(a.Err, "recall: warning: who could read it isn't known:", terminal.Line(err.Error()))
			return nil
		case err != nil:
			return err
		}
		defer t.Close()
		readers, err := from.Readers(ctx, t, leaving)
		if err != nil {
			return err
		}
		if len(readers) > 0 {
			fmt.Fprintf(a.Out, "%s %s it immediately\n", terminal.Line(strings.Join(readers, ", ")),
				map[bool]string{true: "reads", false: "read"}[len(readers) == 1])
		}
		if o.DryRun {
			return nil
		}
		here, there := terminal.Line(p.Name), terminal.Line(m.Name)
		why := fmt.Sprintf("share: it goes to the team %s, and new decisions in %s will follow", there, here)
		if err := a.RequireYes(ctx, o.Yes, why, fmt.Sprintf("Share this, and new decisions in %s, with the team %s?", here,
			there)); err != nil {
			return err
		}
		if err := from.Start(ctx, t, m, leaving, app.Author()); err != nil {
			return err
		}
		if err := tellShared(ctx, a, t, m, p); err != nil {
			return err
		}
		return syncNow(ctx, a)
	})
}

// tellShared says that a project is shared, and who can let others read it.
func tellShared(ctx context.Context, a *app.App, t *team.Team, m *team.Membership, of library.Project) error {
	shares, err := m.Shares()
	if err != nil {
		return err
	}
	p, err := t.ProjectNamed(ctx, strconv.Itoa(shares[of.ID].As))
	if err != nil {
		return err
	}
	who := "recall team let-in lets other members read it"
	if !p.Own && !t.Member.Owner {
		who = terminal.Line(p.Keeper) + " shared that repository first and lets other members read it"
	}
	fmt.Fprintf(a.Out, "%s is shared; %s\n", terminal.Line(of.Name), who)
	return nil
}

func newUnshareCmd(a *app.App) *cobra.Command {
	return option.Run(a, "team-unshare", nil, func(ctx context.Context, args []string) error {
		m, err := team.MembershipOf(a.Lib.Dir())
		if err != nil {
			return err
		}
		p, err := sharedProject(a, m, args[0])
		if err != nil {
			return err
		}
		if err := a.Leaving().Stop(m, p, app.Author()); err != nil {
			return err
		}
		if err := syncNow(ctx, a); err != nil {
			fmt.Fprintf(a.Out, "nothing new of %s is shared; others can read what the team has of it until a sync takes it "+
				"back\n", terminal.Line(p.Name))
			return err
		}
		fmt.Fprintf(a.Out, "%s is no longer shared\n", terminal.Line(p.Name))
		return nil
	})
}

// sharedProject finds a project of the library, else one that is still shared though its last session is gone.
func sharedProject(a *app.App, m *team.Membership, name string) (library.Project, error) {
	p, err := a.ProjectNamed(name)
	if !errors.Is(err, library.ErrNoProject) {
		return p, err
	}
	shares, fault := m.Shares()
	for id, s := range shares {
		if strings.EqualFold(s.Name, name) && s.Level != team.LevelNothing {
			return library.Project{ID: id, Name: s.Name}, nil
		}
	}
	return p, cmp.Or(fault, err)
}

func newSyncCmd(a *app.App) *cobra.Command {
	return option.Run(a, "team-sync", nil, func(ctx context.Context, _ []string) error {
		return syncNow(ctx, a)
	})
}

// longest limits one sync with the team; the rest waits for the next.
const longest = 10 * time.Minute

func syncNow(ctx context.Context, a *app.App) error {
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	done, err := a.SyncTeam(ctx)
	if done != nil {
		for _, h := range done.Happened {
			if h.At.Equal(done.At) { // the rest was printed before
				fmt.Fprintln(a.Out, terminal.Line(h.What))
			}
		}
	}
	switch {
	case done == nil:
	case done.Sent == 0 && done.Waiting == 0:
		fmt.Fprintln(a.Out, "the team is up to date")
	case done.Waiting == 0:
		fmt.Fprintf(a.Out, "%s synced with the team\n", answer.Count(done.Sent, "session"))
	default:
		fmt.Fprintf(a.Out, "%s synced with the team, %d waiting for a later sync\n",
			answer.Count(done.Sent, "session"), done.Waiting)
	}
	return err
}

// asKeeper adds to a refusal who manages a project.
func asKeeper(err error) error {
	if errors.Is(err, team.ErrRefused) {
		return hint.With(err, "only the member who shared it first or an owner of the team can do this; and access "+
			"that nobody gave can't be taken")
	}
	return err
}

func newLetInCmd(a *app.App) *cobra.Command {
	return newAccessCmd(a, "team-let-in", (*team.Team).LetIn, "%s can read what is shared of %s, and share in it\n")
}

func newLetOutCmd(a *app.App) *cobra.Command {
	return newAccessCmd(a, "team-let-out", (*team.Team).LetOut,
		"%s can no longer read %s; what they shared in it stays until they take it back\n")
}

// newAccessCmd makes a command that changes which projects a member can read; done words that.
func newAccessCmd(a *app.App, name string,
	change func(t *team.Team, ctx context.Context, project, member int) error, done string) *cobra.Command {
	return inTeam(a, name, nil, func(ctx context.Context, t *team.Team, _ *team.Membership, args []string) error {
		p, err := t.ProjectNamed(ctx, args[0])
		if err != nil {
			return err
		}
		m, err := t.MemberNamed(ctx, args[1])
		if err != nil {
			return err
		}
		if err := change(t, ctx, p.ID, m.ID); err != nil {
			return asKeeper(err)
		}
		fmt.Fprintf(a.Out, done, terminal.Line(m.Name), terminal.Line(p.Name))
		return nil
	})
}

func newProjectCmd(a *app.App) *cobra.Command {
	var o struct {
		Name, Remote, Into string
		Apart              bool
	}
	cmd := inTeam(a, "team-project", func(fs *option.Flags) {
		fs.Title(&o.Name, "name", "its name in the team")
		fs.StringVar(&o.Remote, "remote", "", "its repository's remote, such as git.example.org/billing")
		fs.Title(&o.Into, "into", "the project that it is part of")
		fs.BoolVar(&o.Apart, "apart", false, "it is no longer part of another")
	}, func(ctx context.Context, t *team.Team, _ *team.Membership, args []string) error {
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
		"project: nothing to correct was given", "recall team project ledger --into billing")
}
