package team

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"recall/internal/hint"
	"recall/library/disk"
	"recall/library/ledger"
)

// Membership is what a library knows of its team. It is in a folder of the library that backups and other
// machines don't get, since another copy is another device.
type Membership struct {
	Address string    `json:"address"` // without password
	Team    string    `json:"team"`    // the team's id
	Name    string    `json:"name"`    // the team's name
	Member  int       `json:"member"`
	Device  string    `json:"device"`  // UUID of this machine
	Machine string    `json:"machine"` // its name
	At      time.Time `json:"at"`      // when it joined

	dir string
}

// ErrNoMembership means that the library is in no team.
var ErrNoMembership = hint.With(errors.New("this library is in no team"),
	"recall team join ADDRESS joins one, recall team create ADDRESS makes one")

const (
	membershipFile = "team.json"
	joiningFile    = "joining.json" // the device, until membershipFile is written
)

// MembershipOf reads the membership of a library. The error is ErrNoMembership.
func MembershipOf(library string) (*Membership, error) {
	m := &Membership{dir: filepath.Join(library, ".team")}
	path := m.Path(membershipFile)
	data, err := disk.ReadPlain(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, ErrNoMembership
	case err == nil:
		err = json.Unmarshal(data, m)
	}
	if err == nil && (m.Address == "" || m.Device == "") {
		err = errors.New("it names no team")
	}
	if err != nil {
		return nil, hint.With(fmt.Errorf("%s: %w", path, err), "recall team leave, and joining again, recreates it; "+
			"what was shared stays where it is")
	}
	return m, nil
}

// Path returns the path of one of the membership's files.
func (m *Membership) Path(name string) string { return filepath.Join(m.dir, name) }

// Keep writes a new membership of a library.
func (m *Membership) Keep(library string) error {
	m.dir = filepath.Join(library, ".team")
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	return m.replace(membershipFile, append(data, '\n'))
}

// replace durably writes one of the membership's files.
func (m *Membership) replace(name string, data []byte) error {
	path := m.Path(name)
	if err := disk.MakeDirs(filepath.Dir(path)); err != nil {
		return err
	}
	return disk.Replace(path, data, 0o600)
}

// Enter registers this machine with the team, under an address without password, and stores the membership in a
// library. After an interruption it continues with the same device.
func (t *Team) Enter(ctx context.Context, library, address, machine string) (*Membership, error) {
	m := &Membership{Address: address, Team: t.ID, Name: t.Name, Member: t.Member.ID, Machine: machine,
		At: time.Now().UTC(), dir: filepath.Join(library, ".team")}
	for begun := m.read(joiningFile, &m.Device); ; begun = false { // a new device if the old one has since left
		if !begun {
			m.Device = uuid.NewString()
			data, err := json.Marshal(m.Device)
			if err == nil {
				err = m.replace(joiningFile, data)
			}
			if err != nil {
				return nil, err
			}
		}
		err := t.Join(ctx, m.Device, machine)
		if err == nil {
			break
		}
		if !begun || !errors.Is(err, ErrRefused) {
			return nil, err
		}
	}
	err := m.Keep(library)
	if err == nil {
		err = os.Remove(m.Path(joiningFile))
	}
	return m, err
}

// End removes the membership from a library: nothing more is sent.
func End(library string) error { return os.RemoveAll(filepath.Join(library, ".team")) }

// Synced is the outcome of the last attempt to update what is shared.
type Synced struct {
	At      time.Time `json:"at"`
	Sent    int       `json:"sent"`              // sessions put, taken back or forgotten
	Waiting int       `json:"waiting"`           // sessions left for a later sync
	Problem string    `json:"problem,omitempty"` // why
	Done    time.Time `json:"done,omitzero"`     // the last attempt without a problem

	Happened []Happened `json:"happened,omitempty"` // recent events, of this attempt or earlier ones
}

// misses reports whether something said at that time hasn't reached the team, as far as is known.
func (s *Synced) misses(said time.Time) bool {
	return s != nil && (s.At.Before(said) || s.Problem != "" && s.Done.Before(said))
}

// Happened is an event of a sync that its person should know of, since most syncs run unattended.
type Happened struct {
	At   time.Time `json:"at"`
	What string    `json:"what"`
}

// Happens adds an event of this attempt.
func (s *Synced) Happens(what string) {
	s.Happened = append(s.Happened, Happened{At: s.At, What: what})
}

const keepEvents = 7 * 24 * time.Hour

// Synced returns the outcome of the last attempt, nil if there was none.
func (m *Membership) Synced() *Synced {
	if s := new(Synced); m.read("synced.json", s) {
		return s
	}
	return nil
}

// KeepSynced stores the outcome of an attempt, with the events of earlier ones.
func (m *Membership) KeepSynced(s *Synced) error {
	last := m.Synced()
	if s.Problem == "" {
		s.Done = s.At
	} else if last != nil {
		s.Done = last.Done
	}
	if last != nil {
		now := s.Happened
		s.Happened = slices.DeleteFunc(last.Happened, func(h Happened) bool { return s.At.Sub(h.At) > keepEvents })
		for _, h := range now {
			if !slices.ContainsFunc(s.Happened, func(was Happened) bool { return was.What == h.What }) {
				s.Happened = append(s.Happened, h)
			}
		}
	}
	return m.write("synced.json", s)
}

// SyncedWithin reports whether there was an attempt within that time. One in the future, from a wrong clock,
// doesn't count.
func (m *Membership) SyncedWithin(lately time.Duration) bool {
	last := m.Synced()
	return last != nil && time.Since(last.At).Abs() <= lately
}

// Stamp is what a session was last put from.
type Stamp struct {
	Hash string `json:"hash,omitempty"` // Shared.Hash of what was put, "" if nothing of the session ever left
	From string `json:"from"`           // changes when what leaves of it may have changed
}

// Stamps returns them by session, so that unchanged sessions are skipped.
func (m *Membership) Stamps() map[string]Stamp {
	all := map[string]Stamp{}
	m.read("stamps.json", &all)
	return all
}

// KeepStamps stores them.
func (m *Membership) KeepStamps(all map[string]Stamp) error { return m.write("stamps.json", all) }

// read reads a file that may be missing; it reports whether the file was there and intact.
func (m *Membership) read(name string, into any) bool {
	data, err := disk.ReadPlain(m.Path(name))
	return err == nil && json.Unmarshal(data, into) == nil
}

func (m *Membership) write(name string, v any) error {
	data, err := json.Marshal(v)
	if err == nil {
		err = disk.ReplaceCache(m.Path(name), data)
	}
	return err
}

// Level is how much of a project is shared.
type Level string

// The levels; each includes the ones before it.
const (
	LevelNothing     Level = "nothing"
	LevelItems       Level = "items"       // with their quotes
	LevelTranscripts Level = "transcripts" // redacted
)

// Levels are those at which a project can be shared.
var Levels = []Level{LevelItems, LevelTranscripts}

// Has reports whether a level includes another.
func (l Level) Has(other Level) bool {
	return slices.Index(Levels, l) >= slices.Index(Levels, other) && slices.Contains(Levels, l)
}

// Share is a person's decision on what of a project is shared: a line of a ledger in which a project's last
// line counts.
type Share struct {
	Project string    `json:"project"` // its id in the library
	Name    string    `json:"name"`
	Level   Level     `json:"level"`
	As      int       `json:"as"` // the project's id in the team
	At      time.Time `json:"at"`
	Who     string    `json:"who"`
}

func (m *Membership) shares() ledger.Log[Share] {
	return ledger.Log[Share]{Path: m.Path("shares.jsonl"), Check: func(s Share) error {
		if s.Project == "" || s.Level != LevelNothing && !slices.Contains(Levels, s.Level) {
			return errors.New("it names no project and level")
		}
		return nil
	}}
}

// Shares returns the projects that are or were shared, by their id in the library. An unreadable line is an
// error: it may be what a person took back.
func (m *Membership) Shares() (map[string]Share, error) {
	all, err := m.shares().All()
	if err != nil {
		return nil, hint.With(err, "nothing is shared until this is fixed: remove the file, and share the projects "+
			"again with recall team share")
	}
	last := map[string]Share{}
	for _, s := range all {
		last[s.Project] = s
	}
	return last, nil
}

// Say durably records a person's decision.
func (m *Membership) Say(s Share) error {
	err := m.shares().Share(s)
	if err == nil {
		err = m.shares().Sync()
	}
	return err
}

// Status is how a library stands in its team.
type Status struct {
	Membership
	Login   string         `json:"login,omitempty"`   // of the database
	As      string         `json:"as,omitempty"`      // the member's name
	Problem string         `json:"problem,omitempty"` // why the team can't be asked; Members is then unknown
	Members []StatusMember `json:"members,omitempty"`
	Shared  []StatusShare  `json:"shared"` // by the project's name
	Synced  *Synced        `json:"synced,omitempty"`
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
