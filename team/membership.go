package team

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"recall/hint"
	"recall/library/disk"
	"recall/library/ledger"
)

// A Membership is what a library knows of the team that it is in. It lies in a folder of the library's that its backups
// and other machines don't get: another copy is another device.
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

// ErrNoMembership: the library is in no team.
var ErrNoMembership = hint.With(errors.New("this library is in no team"),
	"recall team join ADDRESS joins one, recall team create ADDRESS makes one")

const (
	membershipFile = "team.json"
	joiningFile    = "joining.json" // the device, until that is written
)

// MembershipOf reads which team a library is in. The error is ErrNoMembership.
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
		return nil, hint.With(fmt.Errorf("%s: %w", path, err), "recall team leave, and join again, makes it anew; "+
			"what was shared stays where it is")
	}
	return m, nil
}

// Path is where something of the membership lies.
func (m *Membership) Path(name string) string { return filepath.Join(m.dir, name) }

// Outbox is what the team has of this device.
func (m *Membership) Outbox() *Outbox { return NewOutbox(m.Path("outbox.jsonl"), m.Device) }

// Keep writes a new membership of a library's.
func (m *Membership) Keep(library string) error {
	m.dir = filepath.Join(library, ".team")
	data, err := json.MarshalIndent(m, "", "  ")
	if err == nil {
		err = disk.MakeDirs(m.dir)
	}
	if err == nil {
		err = disk.Replace(m.Path(membershipFile), append(data, '\n'), 0o600)
	}
	return err
}

// Enter enters this machine into a team, by an address without password, and keeps that in a library; key makes, or
// finds, the public key of a device. Broken off anywhere it goes on with the same device the next time.
func (t *Team) Enter(ctx context.Context, library, address, machine string,
	key func(device string) (string, error)) (*Membership, error) {
	m := &Membership{Address: address, Team: t.ID, Name: t.Name, Member: t.Member.ID, Machine: machine,
		At: time.Now().UTC(), dir: filepath.Join(library, ".team")}
	for begun := m.read(joiningFile, &m.Device); ; begun = false { // with another device where that one left since
		if !begun {
			m.Device = NewDevice()
			data, err := json.Marshal(m.Device)
			if err == nil {
				err = disk.MakeDirs(m.dir)
			}
			if err == nil {
				err = disk.Replace(m.Path(joiningFile), data, 0o600)
			}
			if err != nil {
				return nil, err
			}
		}
		_, err := t.Join(ctx, m.Device, machine)
		if err == nil {
			break
		}
		if !begun || !errors.Is(err, ErrRefused) {
			return nil, err
		}
	}
	public, err := key(m.Device)
	if err == nil {
		err = t.AddKey(ctx, m.Device, public)
	}
	if err == nil {
		err = m.Keep(library)
	}
	if err == nil {
		err = os.Remove(m.Path(joiningFile))
	}
	return m, err
}

// End ends it: see End.
func (m *Membership) End() error { return os.RemoveAll(m.dir) }

// End takes the membership out of a library: nothing of it is sent any more.
func End(library string) error { return os.RemoveAll(filepath.Join(library, ".team")) }

// Synced is how the last try to bring what is shared up to date went.
type Synced struct {
	At      time.Time `json:"at"`
	Sent    int       `json:"sent"`              // sessions put, taken back or forgotten then
	Waiting int       `json:"waiting"`           // sessions that couldn't be, and go with a later sync
	Problem string    `json:"problem,omitempty"` // why
	Notes   []string  `json:"notes,omitempty"`   // what its person should know, or do
	Done    time.Time `json:"done,omitzero"`     // when a try was last without a problem

	Happened []Happened `json:"happened,omitempty"` // lately, in this try or an earlier one
}

// misses reports whether what was said then hasn't come to the team, as far as is known.
func (s *Synced) misses(said time.Time) bool {
	return s != nil && (s.At.Before(said) || s.Problem != "" && s.Done.Before(said))
}

// Happened is what a try did that its person should know of: most tries are made where nobody looks.
type Happened struct {
	At   time.Time `json:"at"`
	What string    `json:"what"`
}

const toldFor = 7 * 24 * time.Hour

// Synced is how the last try went, nil if there was none.
func (m *Membership) Synced() *Synced {
	if s := new(Synced); m.read("synced.json", s) {
		return s
	}
	return nil
}

// KeepSynced keeps how a try went, and what happened in those before.
func (m *Membership) KeepSynced(s *Synced) error {
	last := m.Synced()
	if s.Problem == "" {
		s.Done = s.At
	} else if last != nil {
		s.Done = last.Done
	}
	if last != nil {
		now := s.Happened
		s.Happened = slices.DeleteFunc(last.Happened, func(h Happened) bool { return s.At.Sub(h.At) > toldFor })
		for _, h := range now {
			if !slices.ContainsFunc(s.Happened, func(was Happened) bool { return was.What == h.What }) {
				s.Happened = append(s.Happened, h)
			}
		}
	}
	return m.write("synced.json", s)
}

// SyncedWithin reports whether a try was made so lately; one of the future was made by a clock that was wrong.
func (m *Membership) SyncedWithin(lately time.Duration) bool {
	last := m.Synced()
	return last != nil && time.Since(last.At).Abs() <= lately
}

// Stamps say by session what was looked at when it was last put, so that what hasn't changed isn't looked at again.
func (m *Membership) Stamps() map[string]string {
	all := map[string]string{}
	m.read("stamps.json", &all)
	return all
}

// KeepStamps keeps them.
func (m *Membership) KeepStamps(all map[string]string) error { return m.write("stamps.json", all) }

// Unreached reports whether the team couldn't be reached lately.
func (m *Membership) Unreached(lately time.Duration) bool {
	fi, err := os.Stat(m.Path("unreached"))
	return err == nil && time.Since(fi.ModTime()).Abs() < lately
}

// NoteUnreached keeps that the team can't be reached now.
func (m *Membership) NoteUnreached() { _ = m.write("unreached", nil) }

// NoteReached takes that back, and keeps how long it took until the server said something.
func (m *Membership) NoteReached(took time.Duration) {
	os.Remove(m.Path("unreached"))
	_ = m.write("reached", took)
}

// Reached is how long it took when the team was last reached; 0 if that isn't known.
func (m *Membership) Reached() (took time.Duration) {
	m.read("reached", &took)
	return took
}

// read reads what may be lost; false if it isn't there whole.
func (m *Membership) read(name string, into any) bool {
	data, err := disk.ReadPlain(m.Path(name))
	return err == nil && json.Unmarshal(data, into) == nil
}

func (m *Membership) write(name string, v any) error {
	data, err := json.Marshal(v)
	if err == nil {
		err = disk.ReplaceCache(m.Path(name), func(w io.Writer) error { _, err := w.Write(data); return err })
	}
	return err
}

// Level is how much of a project is shared.
type Level string

// The levels, each with what is in those before.
const (
	LevelNothing     Level = "nothing"
	LevelItems       Level = "items"       // with their quotes
	LevelTranscripts Level = "transcripts" // redacted
	LevelSealed      Level = "sealed"      // raw bytes, encrypted to named members
)

// Levels are those a project can be shared at.
var Levels = []Level{LevelItems, LevelTranscripts, LevelSealed}

// Has reports whether a level includes another.
func (l Level) Has(other Level) bool {
	return slices.Index(Levels, l) >= slices.Index(Levels, other) && slices.Contains(Levels, l)
}

// A Share is a person's word on what of a project is shared: a line of a ledger, of which the last of a project holds.
type Share struct {
	Project string    `json:"project"` // its id in the library
	Name    string    `json:"name"`
	Level   Level     `json:"level"`
	To      []int     `json:"to,omitempty"`   // members whom sealed files are for
	Keys    []string  `json:"keys,omitempty"` // of their machines, as a person saw them
	As      int       `json:"as"`             // the project's id in the team
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

// Shares are the projects that are or were shared, by their id in the library. A line that can't be read is an error:
// what a person took back must not be shared because that can't be read.
func (m *Membership) Shares() (map[string]Share, error) {
	all, err := m.shares().All()
	if err != nil {
		return nil, hint.With(err, "nothing is shared until that is mended: remove the file, and say again with "+
			"recall team share what is meant")
	}
	last := map[string]Share{}
	for _, s := range all {
		last[s.Project] = s
	}
	return last, nil
}

// Say keeps a person's word, durably.
func (m *Membership) Say(s Share) error {
	err := m.shares().Share(s)
	if err == nil {
		err = m.shares().Sync()
	}
	return err
}
