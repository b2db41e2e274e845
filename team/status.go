package team

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"
)

// Status is how a library stands in its team.
type Status struct {
	Membership
	Login   string         `json:"login,omitempty"`   // of the database
	As      string         `json:"as,omitempty"`      // the member's name
	Problem string         `json:"problem,omitempty"` // why the team can't be asked; Members is then unknown
	Members []StatusMember `json:"members,omitempty"`
	Shared  []StatusShare  `json:"shared"` // by the project's name
	Synced  *Synced        `json:"synced,omitempty"`
	// one's own machines that still have sessions which were forgotten for everybody
	Disobeying []string `json:"disobeying,omitempty"`
}

// StatusMember is a person in the team.
type StatusMember struct {
	Member
	Devices []string `json:"devices,omitempty"` // machines that are in the team now
}

// StatusShare is a project that is shared, or that the team still has until the next sync takes it back.
type StatusShare struct {
	Project string    `json:"project"`
	Level   Level     `json:"level"`
	Since   time.Time `json:"since"`
	Readers []string  `json:"readers,omitempty"` // other members who can read it; unknown if the team can't be asked
}

// Status returns how the library stands. If the team can't be asked, t is nil and why is the reason.
func (m *Membership) Status(ctx context.Context, t *Team, why error) (*Status, error) {
	s := &Status{Membership: *m, Shared: []StatusShare{}, Synced: m.Synced()}
	shares, err := m.Shares()
	if err != nil {
		return nil, err
	}
	for _, of := range shares {
		if of.Level == LevelNothing && !s.Synced.misses(of.At) {
			continue
		}
		one := StatusShare{Project: of.Name, Level: of.Level, Since: of.At}
		if why == nil {
			one.Readers, why = t.readers(ctx, of.As)
		}
		s.Shared = append(s.Shared, one)
	}
	slices.SortFunc(s.Shared, func(a, b StatusShare) int { return strings.Compare(a.Project, b.Project) })
	if why == nil {
		s.As, s.Login = t.Member.Name, t.Member.Login
		s.Members, why = t.everybody(ctx)
		late, fault := t.Disobeying(ctx, t.Member.ID)
		for _, d := range late {
			s.Disobeying = append(s.Disobeying, d.Name)
		}
		why = errors.Join(why, fault)
	}
	if why != nil {
		s.Problem = why.Error()
	}
	return s, nil
}

func (t *Team) everybody(ctx context.Context) (all []StatusMember, err error) {
	members, err := t.Members(ctx)
	if err != nil {
		return nil, err
	}
	devices, err := t.Devices(ctx)
	for _, m := range members {
		one := StatusMember{Member: m}
		for _, d := range devices {
			if d.Member == m.ID && !d.Left {
				one.Devices = append(one.Devices, d.Name)
			}
		}
		all = append(all, one)
	}
	return all, err
}
