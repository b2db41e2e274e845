// Package synthtest makes up Claude Code transcripts and payload items in any
// amount, for tests and benchmarks. Everything in them is invented; the same
// options give the same bytes.
//
// They are life-like where it matters for time and space: many record types,
// the shares of bytes and the numbers of turns and calls that real transcripts
// have, words that follow Zipf's law, several projects over several months,
// decisions and dead ends in the words that people use. Measured over 43 real
// sessions, 24.6 MB, and over 16 of these, 67 MB, without images:
//
//	                                real   here
//	typed, in % of bytes             0.6    0.7
//	assistant's prose                1.7    1.2
//	thinking                         1.5    1.8
//	its signatures                   6.3    6.4
//	input of tools                   4.2    3.2
//	results of tools as text        14.6   15.8
//	the same as objects             30.8   34.4
//	progress                        10.6   10.9
//	lines, a MB                      462    449
//	typed messages                  16.8   15.9
//	calls                             87     95
//	turns that are searched           51     59
//	statements to distill            125    151
//	times that zstd makes it smaller 6.3    6.9
package synthtest

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Options says how much to make up.
type Options struct {
	Sessions  int
	BytesEach int64  // of a session's file, about; a session has a prompt and an answer at least
	Images    bool   // three quarters of the bytes are base64 of images
	Seed      uint64 // another seed makes other sessions
}

// Session tells where a session that was made up stands and what it says.
type Session struct {
	ID      string
	Path    string
	Project string // name of its invented project
	Bytes   int64
	Said    []Item // what was decided, ruled out, put off and left open in it
}

// Months is the time over which sessions are spread, from First on.
const Months = 9

// First is when the first session begins.
var First = time.Date(2026, 1, 5, 8, 30, 0, 0, time.UTC)

// Write makes up sessions under dir, as projects/<folder>/<id>.jsonl, and returns
// them in order of time. Files have the time of their last record.
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

func writeSession(dir string, o Options, i int) (Session, error) {
	p := &projects[i%len(projects)]
	g := newSession(p, o, i)
	folder := filepath.Join(dir, "projects", slug(p.dir()))
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return Session{}, err
	}
	path := filepath.Join(folder, g.id+".jsonl")
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return Session{}, err
	}
	w := bufio.NewWriterSize(f, 256<<10)
	g.out = w
	g.play()
	err = g.err
	if e := w.Flush(); err == nil {
		err = e
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		return Session{}, fmt.Errorf("write %s: %w", path, err)
	}
	return Session{ID: g.id, Path: path, Project: p.name, Bytes: g.written, Said: g.said}, os.Chtimes(path, g.now, g.now)
}

// slug is how Claude Code names the folder of a directory's transcripts.
func slug(dir string) string {
	return strings.Map(func(r rune) rune {
		if r == '/' || r == '.' || r == '_' {
			return '-'
		}
		return r
	}, dir)
}

// source is a seeded source of choices.
type source struct{ *rand.Rand }

func newSource(seed, stream uint64) source {
	return source{rand.New(rand.NewPCG(seed, stream*0x9e3779b97f4a7c15+1))}
}

// uuid returns one in version 4's form.
func (r source) uuid() string {
	var b [16]byte
	binary.LittleEndian.PutUint64(b[:8], r.Uint64())
	binary.LittleEndian.PutUint64(b[8:], r.Uint64())
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// id returns n characters as services use them in ids.
func (r source) id(n int) string {
	const chars = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz123456789"
	b := make([]byte, n)
	for i := range b {
		b[i] = chars[r.IntN(len(chars))]
	}
	return string(b)
}

func (r source) one(list []string) string { return list[r.IntN(len(list))] }

// chance is true once in n times.
func (r source) chance(n int) bool { return r.IntN(n) == 0 }

// base64 appends n characters of base64, which no compression makes smaller than
// the picture they would stand for.
func (r source) base64(b []byte, n int) []byte {
	const chars = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	for n > 0 {
		bits := r.Uint64()
		for k := 0; k < 10 && n > 0; k++ {
			b = append(b, chars[bits&63])
			bits >>= 6
			n--
		}
	}
	return b
}
