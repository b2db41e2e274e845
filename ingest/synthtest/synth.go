// Package synthtest generates Claude Code transcripts and payload items in any amount, for tests and benchmarks.
// Everything in them is invented; the same options give the same bytes.
//
// They are realistic where it matters for time and space: many record types, the proportions of bytes and the numbers
// of turns and calls of 43 real sessions (24.6 MB: what is said 2 to 3 %, results as text 16, as objects 34), words
// that follow Zipf's law, several projects over several months, decisions and dead ends in people's own words.
package synthtest

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"recall/ingest/claudecode"
)

// Options says how much to generate.
type Options struct {
	Sessions  int
	BytesEach int64   // approximate size of a session's file, which has at least a prompt and an answer
	Sizes     []int64 // replaces BytesEach: the sizes of successive sessions, repeated as needed
	Seed      uint64  // another seed gives other sessions
}

// Session describes a generated session.
type Session struct {
	ID    string
	Path  string
	Bytes int64
	Said  []Item // what was decided, ruled out, deferred and left open in it
}

// Months is the period over which sessions are spread, starting at First.
const Months = 9

// First is when the first session begins.
var First = time.Date(2026, 1, 5, 8, 30, 0, 0, time.UTC)

// Write generates sessions under dir, as projects/<folder>/<id>.jsonl, and returns them in order of time. Files have
// the time of their last record.
func Write(dir string, o Options) ([]Session, error) {
	var all []Session
	for i := range o.Sessions {
		s, err := writeSession(dir, o, i)
		if err != nil {
			return all, err
		}
		all = append(all, s)
	}
	return all, nil
}

func writeSession(dir string, o Options, i int) (s Session, err error) {
	if len(o.Sizes) > 0 {
		o.BytesEach = o.Sizes[i%len(o.Sizes)]
	}
	p := &said.Projects[i%len(said.Projects)]
	g := newSession(p, o, i)
	path := filepath.Join(dir, "projects", claudecode.Slug(p.dir()), g.ID+".jsonl")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return s, err
	}
	f, err := os.Create(path)
	if err != nil {
		return s, err
	}
	g.out = f
	g.play()
	if err := cmp.Or(g.err, f.Close(), os.Chtimes(path, g.now, g.now)); err != nil {
		return s, fmt.Errorf("write %s: %w", path, err)
	}
	return Session{ID: g.ID, Path: path, Bytes: g.written, Said: g.Said}, nil
}

// source is a seeded source of random choices.
type source struct{ *rand.Rand }

func newSource(seed, stream uint64) source {
	return source{rand.New(rand.NewPCG(seed, stream*0x9e3779b97f4a7c15+1))}
}

// UUID returns a UUID of version 4.
func (r source) UUID() string {
	var b [16]byte
	binary.LittleEndian.PutUint64(b[:8], r.Uint64())
	binary.LittleEndian.PutUint64(b[8:], r.Uint64())
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// Chars returns an id as services create them: a prefix and n characters.
func (r source) Chars(beginning string, n int) string {
	return beginning + r.charsFrom("ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz123456789", n)
}

func (r source) base32() string { return r.charsFrom("abcdefghijklmnopqrstuvwxyz234567", 10) }

func (r source) charsFrom(chars string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = chars[r.IntN(len(chars))]
	}
	return string(b)
}

func (r source) one(list []string) string { return list[r.IntN(len(list))] }

// Some returns a number from least to most, inclusive.
func (r source) Some(least, most int) int { return least + r.IntN(most-least+1) }

// Chance returns true once in n times.
func (r source) Chance(n int) bool { return r.IntN(n) == 0 }

// Base64 returns n characters of random base64, as incompressible as a picture.
func (r source) Base64(n int) string {
	return r.charsFrom("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", n)
}
