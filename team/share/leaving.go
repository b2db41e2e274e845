// Package share decides what of a library leaves for its team (only what a person shared, without secrets, and
// nothing that they excluded or forgot) and sends it there.
package share

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"recall/index"
	"recall/internal/hint"
	"recall/internal/redact"
	"recall/library"
	"recall/payload"
	"recall/team"
)

// Source is a library that shares something.
type Source struct {
	Library *library.Library
	// Excluded returns the rule by which a session of a project is excluded, "" if none applies.
	Excluded  func(ctx context.Context, e library.Entry, of library.Project) (rule string, err error)
	Exclusion string // changes when the rules do
}

// Leaving is what sharing a project would send.
type Leaving struct {
	Project  string // its name, which leaves as well
	Remote   string // of its repository, which leaves as well; "" if there is none
	Level    team.Level
	Sessions int
	Items    int
	Kinds    map[payload.Kind]int
	Samples  []Sample // the newest decisions
	Titles   []string // of the newest sessions

	Transcripts int // redacted transcripts that would leave

	Redacted int            // secrets redacted earlier
	Found    []Finding      // secrets that the newest rules find: they stop the sharing
	Kept     map[string]int // number of sessions that stay, by reason

	of library.Project
}

// Sample is an item that would leave.
type Sample struct {
	Kind  payload.Kind
	Text  string
	Quote string
}

// Finding is the place of a secret in what would leave, without the secret itself.
type Finding struct {
	Session string
	Title   string
	Item    payload.ItemID // "" for the title or transcript
	Kinds   []string       // of secrets
}

// ErrSecret means that what would leave holds a secret.
var ErrSecret = errors.New("it holds a secret")

const maxSamples = 5

// Look returns what sharing a project would send, without sending it.
func (s *Source) Look(ctx context.Context, name string, level team.Level) (*Leaving, error) {
	catalog, err := s.Library.Catalog()
	if err != nil {
		return nil, err
	}
	of, err := s.Library.Project(name)
	if err != nil {
		return nil, err
	}
	out := &Leaving{Project: of.Name, Remote: of.Remote, Level: level, Kinds: map[payload.Kind]int{},
		Samples: []Sample{}, of: of, Found: []Finding{}, Kept: map[string]int{}}
	over, err := s.superseded()
	if err != nil {
		return nil, err
	}
	for _, e := range slices.Backward(catalog.In(of.ID)) { // the newest first
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		why, err := s.reasonToStay(ctx, e, of)
		if err != nil {
			return nil, err
		}
		var leaves team.Session
		if why == "" {
			leaves, err = s.session(e, team.Share{Level: level}, over[string(e.ID)])
		}
		switch {
		case err != nil:
			return nil, err
		case why == "" && leaves.Empty():
			why = "nothing in it is settled"
		}
		if why != "" {
			out.Kept[why]++
			continue
		}
		out.add(leaves)
		out.Found = append(out.Found, s.secrets(leaves)...)
	}
	return out, nil
}

func (l *Leaving) add(s team.Session) {
	l.Sessions++
	if s.Transcript != "" {
		l.Transcripts++
	}
	if len(l.Titles) < maxSamples {
		l.Titles = append(l.Titles, s.Title)
	}
	l.Items += len(s.Items)
	for _, it := range s.Items {
		l.Kinds[it.Kind]++
		if it.Kind == payload.Decision && len(l.Samples) < maxSamples {
			l.Samples = append(l.Samples, Sample{it.Kind, it.Text, strings.Join(it.Quotes(), " … ")})
		}
		it.MapText(func(text string) string { l.Redacted += strings.Count(text, "‹"); return text })
	}
}

// Refused returns an error if a secret was found.
func (l *Leaving) Refused() error {
	if len(l.Found) == 0 {
		return nil
	}
	return hint.With(fmt.Errorf("share %s: %w", l.Project, ErrSecret), "take it out with recall edit SESSION, "+
		"or let recall sync apply the newest rules; then share again")
}

// reasonToStay returns the reason why a session doesn't leave, "" if it does.
func (s *Source) reasonToStay(ctx context.Context, e library.Entry, of library.Project) (why string, err error) {
	switch {
	case e.Source == index.HandoffSource || e.Source.IsMemory():
		return "not said in one of your sessions", nil
	case e.Marks.Archived:
		return "archived", nil
	case e.Distilled == nil:
		return "not distilled yet", nil
	}
	rule, err := s.Excluded(ctx, e, of)
	if err != nil { // when in doubt, nothing leaves
		return "", fmt.Errorf("session %s: whether it is excluded: %w", e.ID, err)
	}
	if rule != "" {
		return "excluded by " + rule, nil
	}
	return "", nil
}

// kinds are the kinds of items that are useful to others, unlike the state of one's own work.
var kinds = []payload.Kind{payload.Decision, payload.Eliminated, payload.Finding, payload.Deferred, payload.Question,
	payload.Flag}

// superseded holds the items of a session that were superseded, either surely or by a person's decision, which
// the team couldn't know.
type superseded map[payload.ItemID]bool

// superseded returns them for all sessions, by session id.
func (s *Source) superseded() (map[string]superseded, error) {
	lines, err := s.Library.Links()
	if err != nil && !errors.Is(err, library.ErrDamaged) {
		return nil, err
	}
	all, holds := map[string]superseded{}, s.Library.LinkHolds(map[string]*payload.Payload{})
	for _, k := range payload.StandingLinks(lines) {
		if k.Relation != payload.Supersedes || !k.Hides() || !holds(k) {
			continue
		}
		if all[k.ToSession] == nil {
			all[k.ToSession] = superseded{}
		}
		all[k.ToSession][k.To] = true
	}
	return all, nil
}

// session returns what leaves of a session: its settled items that still hold, with their quotes and a person's
// rewording.
func (s *Source) session(e library.Entry, of team.Share, over superseded) (team.Session, error) {
	out := team.Session{ID: string(e.ID), Project: of.As, Title: e.Title, Start: e.Start, End: e.End}
	p, err := s.Library.Payload(e.ID)
	if errors.Is(err, library.ErrNoPayload) || errors.Is(err, library.ErrNoSession) {
		return out, nil
	}
	if err != nil {
		return out, err
	}
	for _, it := range p.Items {
		if !slices.Contains(kinds, it.Kind) || !it.Current() || over[it.ID] {
			continue
		}
		it.Was = ""
		out.Items = append(out.Items, it)
	}
	err = s.content(e, of, &out)
	return out, err
}

// content adds what a session's level shares beside items: the redacted transcript.
func (s *Source) content(e library.Entry, of team.Share, out *team.Session) error {
	if of.Level.Has(team.LevelTranscripts) {
		text, err := s.Library.Transcript(e)
		if err != nil && !errors.Is(err, library.ErrNotRendered) { // a later sync sends it
			return err
		}
		if len(text) <= team.MostContent {
			out.Transcript = string(text)
		}
	}
	return nil
}

// secrets returns what the newest rules find in a session as it would leave.
func (s *Source) secrets(of team.Session) (found []Finding) {
	look := func(id payload.ItemID, texts func(func(string) string)) {
		r, changed := redact.New(), false
		texts(func(text string) string {
			clean := r.Text(text)
			changed = changed || clean != text
			return clean
		})
		if !changed {
			return
		}
		one := Finding{Session: of.ID, Title: r.Text(of.Title), Item: id}
		for kind := range r.Counts() {
			one.Kinds = append(one.Kinds, kind)
		}
		slices.Sort(one.Kinds)
		found = append(found, one)
	}
	look("", func(f func(string) string) { f(of.Title); f(of.Transcript) })
	for _, it := range of.Items {
		look(it.ID, it.MapText)
	}
	return found
}
