package team

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"recall/answer"
	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/library"
	"recall/team"
)

func newShareCmd(a *app.App) *cobra.Command {
	var o struct {
		Level       string
		To          []string
		Yes, DryRun bool
	}
	return option.Run(a, "team-share", &o, func(ctx context.Context, l *library.Library, args []string) error {
		p, err := app.ProjectNamed(l, args[0])
		if err != nil {
			return err
		}
		from := a.Leaving(l)
		level, to, err := from.Meant(p, team.Level(o.Level), o.To)
		if err != nil {
			return err
		}
		leaving, err := from.Look(ctx, p.Name, level)
		if err != nil {
			return err
		}
		if leaving.Level == team.LevelSealed || len(to) > 0 {
			t, _, err := a.Team(ctx, l)
			if err != nil {
				return err
			}
			err = leaving.Name(ctx, t, to)
			if t.Close(); err != nil {
				return err
			}
		}
		a.Form("team/share", leaving)
		if err := leaving.Refused(); err != nil || o.DryRun {
			return err
		}
		t, m, err := a.Team(ctx, l)
		if err != nil {
			return err
		}
		defer t.Close()
		readers, err := from.Readers(ctx, t, leaving)
		if err != nil {
			return err
		}
		if len(readers) > 0 {
			fmt.Fprintf(a.Out, "%s %s it at once\n", terminal.Line(strings.Join(readers, ", ")),
				map[bool]string{true: "reads", false: "read"}[len(readers) == 1])
		}
		here, there := terminal.Line(p.Name), terminal.Line(m.Name)
		why := fmt.Sprintf("share: it goes to the team %s, and what comes new in %s follows", there, here)
		if err := a.Agreed(o.Yes, why, fmt.Sprintf("Share this, and what comes new in %s, with the team %s?", here,
			there)); err != nil {
			return err
		}
		if err := from.Start(ctx, t, m, leaving, app.Author()); err != nil {
			return err
		}
		fmt.Fprintf(a.Out, "%s is shared; who isn't in it yet reads it after recall team let-in\n", here)
		return syncNow(ctx, a, l)
	})
}

func newUnshareCmd(a *app.App) *cobra.Command {
	return option.Run(a, "team-unshare", nil, func(ctx context.Context, l *library.Library, args []string) error {
		m, err := team.MembershipOf(l.Dir())
		if err != nil {
			return err
		}
		p, err := app.ProjectNamed(l, args[0])
		if err != nil {
			return err
		}
		if err := a.Leaving(l).Stop(m, p, app.Author()); err != nil {
			return err
		}
		fmt.Fprintf(a.Out, "%s isn't shared any more\n", terminal.Line(p.Name))
		return syncNow(ctx, a, l)
	})
}

func newSyncCmd(a *app.App) *cobra.Command {
	return option.Run(a, "team-sync", nil, func(ctx context.Context, l *library.Library, _ []string) error {
		return syncNow(ctx, a, l)
	})
}

// longest is how long bringing the team up to date may take at a time; the rest goes with the next.
const longest = 10 * time.Minute

func syncNow(ctx context.Context, a *app.App, l *library.Library) error {
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	done, err := a.SyncTeam(ctx, l)
	switch {
	case done == nil:
	case done.Sent == 0 && done.Waiting == 0:
		fmt.Fprintln(a.Out, "the team is up to date")
	case done.Waiting == 0:
		fmt.Fprintf(a.Out, "%s brought up to date with the team\n", answer.Count(done.Sent, "session"))
	default:
		fmt.Fprintf(a.Out, "%s brought up to date with the team, %d waiting for a later sync\n",
			answer.Count(done.Sent, "session"), done.Waiting)
	}
	return err
}
