package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"recall/hint"
	"recall/library"
	"recall/team"
)

// Team opens the team that the library is in, as a person asked for it: it waits some seconds for an answer. What is
// known of the membership without the team is there beside an error. The caller closes the team.
func (a *App) Team(ctx context.Context, l *library.Library) (*team.Team, *team.Membership, error) {
	m, err := team.MembershipOf(l.Dir())
	if err != nil {
		return nil, nil, err
	}
	t, err := team.Open(ctx, m.Address)
	if err == nil && t.ID != m.Team {
		t.Close()
		t, err = nil, hint.With(fmt.Errorf("%s holds another team, %s, than the one that this library is in (%s)",
			m.Address, t.Name, m.Name), "recall team leave, then join the other, if that is meant")
	}
	return t, m, err
}

// JoinTeam enters this machine into a team, and the library keeps that.
func (a *App) JoinTeam(ctx context.Context, l *library.Library, address, machine string) (*team.Membership,
	*team.Team, error) {
	if err := NotInTeam(l); err != nil {
		return nil, nil, err
	}
	t, err := team.Open(ctx, address)
	if err != nil {
		return nil, nil, err
	}
	if machine == "" {
		if machine, err = os.Hostname(); err != nil || machine == "" {
			machine = Author() + "'s machine"
		}
	}
	d, err := t.Join(ctx, machine)
	m := &team.Membership{Address: team.WithoutPassword(address), Team: t.ID, Name: t.Name, Member: t.Member.ID,
		Device: d.ID, Machine: machine, At: time.Now().UTC()}
	if err == nil {
		err = m.Keep(l.Dir())
	}
	if err != nil {
		t.Close()
		return nil, nil, err
	}
	return m, t, nil
}

// NotInTeam is an error where the library is in a team, or can't come into one.
func NotInTeam(l *library.Library) error {
	m, err := team.MembershipOf(l.Dir())
	switch {
	case errors.Is(err, team.ErrNoMembership):
		return l.ReadOnly()
	case err != nil:
		return err
	}
	return hint.With(fmt.Errorf("this library is in the team %s already (%s)", m.Name, m.Address),
		"recall team leave ends that")
}
