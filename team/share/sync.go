package share

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"recall/internal/hint"
	"recall/internal/redact"
	"recall/internal/text"
	"recall/library"
	"recall/team"
)

// Meant returns the level at which a project is to be shared: if a person states none, as it is shared already,
// otherwise items.
func (s *Source) Meant(of library.Project, level team.Level) (team.Level, error) {
	m, err := team.MembershipOf(s.Library.Dir())
	if err != nil || level != "" {
		return cmp.Or(level, team.LevelItems), nil // a preview needs no team
	}
	shares, err := m.Shares()
	now := shares[of.ID]
	if err != nil || !now.Level.Has(team.LevelItems) {
		return team.LevelItems, err
	}
	return now.Level, nil
}

// Start begins sharing a project as it was shown.
func (s *Source) Start(ctx context.Context, t *team.Team, m *team.Membership, l *Leaving, who string) error {
	if err := l.Refused(); err != nil {
		return err
	}
	shares, err := m.Shares()
	as := shares[l.of.ID].As // a project shared again stays the same
	if err == nil && as == 0 {
		as, err = t.ProjectOf(ctx, team.Project{Name: l.of.Name, Remote: l.of.Remote, Root: l.of.Birth})
	}
	if err != nil {
		return err
	}
	return m.Say(team.Share{Project: l.of.ID, Name: l.of.Name, Level: l.Level, As: as, At: time.Now().UTC(), Who: who})
}

// Readers returns the other members who could read the project as soon as it is shared.
func (s *Source) Readers(ctx context.Context, t *team.Team, l *Leaving) ([]string, error) {
	return t.Readers(ctx, team.Project{Name: l.of.Name, Remote: l.of.Remote, Root: l.of.Birth})
}

// Stop ends the sharing of a project: the next Sync takes back what was shared.
func (s *Source) Stop(m *team.Membership, project library.Project, who string) error {
	shares, err := m.Shares()
	if err != nil {
		return err
	}
	was, ok := shares[project.ID]
	if !ok || was.Level == team.LevelNothing {
		return hint.With(fmt.Errorf("%s isn't shared", project.Name), "what was shared of it before you left the team "+
			"and joined again goes once you share and unshare it")
	}
	was.Level, was.At, was.Who = team.LevelNothing, time.Now().UTC(), who
	return m.Say(was)
}

// Sync updates what the team has of this device: it puts what is shared and changed, and takes back what is no
// longer shared. What can't be sent now waits. The report is stored for recall status, with other events.
func (s *Source) Sync(ctx context.Context, t *team.Team, m *team.Membership, done *team.Synced) error {
	err := s.sync(ctx, t, m, done)
	if err != nil {
		done.Problem = err.Error()
	}
	return errors.Join(err, m.KeepSynced(done))
}

func (s *Source) sync(ctx context.Context, t *team.Team, m *team.Membership, done *team.Synced) error {
	shares, err := m.Shares()
	if err != nil {
		return err
	}
	var ended []int
	for _, of := range shares {
		if of.Level == team.LevelNothing {
			ended = append(ended, of.As)
		}
	}
	if len(ended) > 0 {
		gone, err := t.TakeBack(ctx, ended)
		if err != nil {
			return err
		}
		done.Sent += int(gone)
	}
	last, err := t.Sent(ctx, m.Device)
	if err != nil {
		return err
	}
	all, err := s.transfers(shares, last)
	if err != nil {
		return err
	}
	stamps, fault := m.Stamps(), error(nil)
	for i, one := range all {
		had := last[one.id]
		now := team.Stamp{Hash: had.Hash, From: one.stamp}
		if stamps[one.id] == now {
			continue
		}
		var found []Finding
		changed, err := t.Send(ctx, m.Device, had, func() (team.Shared, error) {
			ready, empty, secrets, err := s.ready(ctx, one)
			found = secrets
			if err == nil && empty && had.Generation == 0 {
				return ready, errNothing // not even its id leaves
			}
			now.Hash = ready.Hash
			return ready, err
		})
		switch {
		case ctx.Err() != nil || errors.Is(err, team.ErrUnreachable): // the next one would fail too
			done.Waiting += len(all) - i
			return errors.Join(fault, err, m.KeepStamps(stamps))
		case errors.Is(err, team.ErrForgotten), errors.Is(err, errNothing):
			stamps[one.id] = team.Stamp{From: one.stamp}
		case err != nil: // doesn't stop the others
			done.Waiting++
			fault = errors.Join(fault, fmt.Errorf("session %s: %w", one.id, err))
		default:
			stamps[one.id] = now
		}
		if changed {
			done.Sent++
		}
		if len(found) > 0 {
			stays := "isn't shared"
			if had.Generation > 0 {
				stays = "was taken back"
			}
			done.Happens(fmt.Sprintf("session %s of %s %s: a secret was found in it (%s); recall team share %s "+
				"--dry-run shows where", one.id, one.share.Name, stays, strings.Join(found[0].Kinds, ", "),
				one.share.Name))
		}
	}
	return errors.Join(fault, m.KeepStamps(stamps))
}

var errNothing = errors.New("nothing of it leaves")

// transfer is a session that is, or was, to be shared.
type transfer struct {
	id    string
	here  bool // in the library, in a shared project
	e     library.Entry
	of    library.Project
	share team.Share
	over  superseded
	stamp string // changes when what leaves of it may have changed
}

func (s *Source) transfers(shares map[string]team.Share, last map[string]team.Sent) (all []transfer, err error) {
	catalog, err := s.Library.Catalog()
	if err != nil {
		return nil, err
	}
	gone, err := s.Library.Tombstones()
	if err != nil {
		return nil, err
	}
	over, err := s.superseded()
	if err != nil {
		return nil, err
	}
	here := map[string]bool{}
	for _, e := range catalog.Entries {
		of := catalog.Of(e)
		if share := shares[of.ID]; share.Level.Has(team.LevelItems) && !slices.Contains(gone, e.ID) {
			one := transfer{id: string(e.ID), here: true, e: e, of: of, share: share, over: over[string(e.ID)]}
			one.stamp = s.stamp(one)
			all, here[one.id] = append(all, one), true
		}
	}
	var any team.Share // taking a session back needs some project, too
	for _, share := range shares {
		if any.As == 0 || share.As < any.As {
			any = share
		}
	}
	for id, had := range last {
		if !here[id] && had.Generation > 0 {
			all = append(all, transfer{id: id, share: any, stamp: "gone"})
		}
	}
	return all, nil
}

func (s *Source) stamp(one transfer) string {
	made := ""
	if fi, err := os.Stat(filepath.Join(one.e.Folder, "session.json")); err == nil {
		made = fmt.Sprint(fi.ModTime().UnixNano(), fi.Size(), one.e.Made().UnixNano())
	}
	if len(one.over) > 0 {
		made += fmt.Sprint(one.over)
	}
	return text.Hash(fmt.Sprintf("%s\n%s\n%s\n%s %d\n%v\n%s\n%s", redact.Version(), s.Exclusion, made, one.share.Level,
		one.share.As, one.e.Marks.Archived, one.e.Input, one.e.Title), 8)
}

// ready prepares a session as it should be in the team: empty if it mustn't leave, or no longer; found says
// which secrets keep it back.
func (s *Source) ready(ctx context.Context, one transfer) (out team.Shared, empty bool, found []Finding, err error) {
	var leaves team.Session
	why := "gone"
	if one.here {
		why, err = s.reasonToStay(ctx, one.e, one.of)
	}
	if err == nil && why == "" {
		leaves, err = s.session(one.e, one.share, one.over)
	}
	if err != nil {
		return out, false, nil, err
	}
	found = s.secrets(leaves)
	if empty = leaves.Empty() || len(found) > 0; empty {
		leaves = team.Session{ID: one.id, Project: one.share.As}
	}
	out, err = team.Ready(leaves)
	return out, empty, found, err
}
