package team

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"
)

// A Status is how a library stands in its team.
type Status struct {
	Membership
	Login   string         `json:"login,omitempty"`   // of the database
	As      string         `json:"as,omitempty"`      // the member's name
	Problem string         `json:"problem,omitempty"` // why the team can't be asked; members isn't known then
	Members []StatusMember `json:"members,omitempty"`
	Shared  []StatusShare  `json:"shared"` // by the project's name
	Synced  *Synced        `json:"synced,omitempty"`
	// machines of one's own that still have sessions which one forgot for all
	Disobeying []string `json:"disobeying,omitempty"`
}

// A StatusMember is a person of the team.
type StatusMember struct {
	Name    string   `json:"name"`
	Login   string   `json:"login"`
	Owner   bool     `json:"owner,omitempty"`
	Left    bool     `json:"left,omitempty"`
	Devices []string `json:"devices,omitempty"` // machines that are in the team now
}

// A StatusShare is a project that is shared, or that the team has until the next sync takes it back.
type StatusShare struct {
	Project string    `json:"project"`
	Level   Level     `json:"level"`
	Since   time.Time `json:"since"`
	Readers []string  `json:"readers,omitempty"` // others who read it; not there while the team can't be asked
}

// Status tells how the library stands; t is nil, and why says it, where the team can't be asked.
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
		one := StatusMember{Name: m.Name, Login: m.Login, Owner: m.Owner, Left: m.Left}
		for _, d := range devices {
			if d.Member == m.ID && !d.Left {
				one.Devices = append(one.Devices, d.Name)
			}
		}
		all = append(all, one)
	}
	return all, err
}
