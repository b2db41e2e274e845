package share

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"recall/internal/hint"
	"recall/library"
	"recall/team"
	"recall/team/sealed"
)

// content adds what a session's level shares beside items: the redacted transcript, and the files, encrypted to
// the keys that the person confirmed.
func (s *Source) content(e library.Entry, of team.Share, out *team.Session) error {
	if of.Level.Has(team.LevelTranscripts) {
		var all strings.Builder
		for part, err := range s.Library.Transcript(e) {
			if errors.Is(err, library.ErrNotRendered) { // a later sync sends it
				break
			}
			if err != nil {
				return err
			}
			all.Write(part)
		}
		if all.Len() <= team.MostContent {
			out.Transcript = all.String()
		}
	}
	if of.Level.Has(team.LevelSealed) && len(of.Keys) > 0 {
		hash, bytes := sealed.Of(s.Library, e, of.Keys)
		out.Sealed = &team.Sealed{Hash: hash, Named: of.To, Bytes: bytes}
	}
	return nil
}

// leavesNothing reports whether a session would leave nothing in the team.
func leavesNothing(s team.Session) bool {
	return len(s.Items) == 0 && s.Transcript == "" && s.Sealed == nil
}

// Name sets whom the files of a project are sealed to: members by name, with the current keys of their machines.
func (l *Leaving) Name(ctx context.Context, t *team.Team, names []string) error {
	keys, err := t.Keys(ctx)
	if err != nil {
		return err
	}
	for _, name := range names {
		m, err := t.MemberNamed(ctx, name)
		if err != nil {
			return err
		}
		theirs := slices.DeleteFunc(slices.Clone(keys), func(k team.Key) bool { return k.Member != m.ID })
		if len(theirs) == 0 {
			return hint.With(fmt.Errorf("%s has no machine in the team", m.Name), "they run recall team join first")
		}
		for _, k := range theirs {
			l.To = append(l.To, Reader{m.Name, k})
		}
	}
	if len(l.To) == 0 || l.Level != team.LevelSealed {
		return hint.With(
			errors.New("share: --level sealed needs --to, the people whom the files are for; no other level takes it"),
			"recall team share PROJECT --level sealed --to NAME")
	}
	return nil
}

// Reader is a machine that files are sealed to.
type Reader struct {
	Who string // the member's name
	team.Key
}

// confirmedKeys reduces each share's keys to those that the team still has: a member who left gets nothing more. It
// never adds a key that the person didn't confirm, since whoever runs the database could insert their own; it
// reports such keys instead.
func confirmedKeys(ctx context.Context, t *team.Team, shares map[string]team.Share) (news []string, err error) {
	var now []team.Key
	for id, of := range shares {
		if of.Level != team.LevelSealed {
			continue
		}
		if now == nil {
			if now, err = t.Keys(ctx); err != nil {
				return nil, err
			}
		}
		seen := of.Keys
		of.Keys = nil
		for _, k := range now {
			switch {
			case slices.Contains(seen, k.Public):
				of.Keys = append(of.Keys, k.Public)
			case slices.Contains(of.To, k.Member):
				news = append(news, fmt.Sprintf("a recipient of sealed files of %s has a new key, for the "+
					"machine %s: recall team share %s again seals to it", of.Name, k.Name, of.Name))
			}
		}
		shares[id] = of
	}
	slices.Sort(news)
	return news, nil
}
