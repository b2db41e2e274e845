// Package check finds what in a library isn't as it was written, and makes good what can be.
package check

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"recall/ingest"
	"recall/library"
	"recall/library/disk"
	"recall/library/raw"
)

// A Finding is one thing that Verify found.
type Finding struct {
	Path    string           `json:"path"`              // relative to the library, slash-separated
	Session ingest.SessionID `json:"session,omitempty"` // "" of a file at the top, or where none is known
	State   FindingState     `json:"state"`
	What    string           `json:"what"`           // precisely
	Mend    Mend             `json:"mend,omitempty"` // of damage: how it can be made good

	segment raw.Segment // of a damaged one
}

// FindingState tells damage from what only should be known.
type FindingState string

const (
	Damaged    FindingState = "damaged"    // other bytes than were written, or none
	Edited     FindingState = "edited"     // by a person, where that is allowed: not damage
	Unfinished FindingState = "unfinished" // a write that was cut off: the next sync makes it good
	Leftover   FindingState = "leftover"   // of a write that was cut off; nothing needs it
	Unknown    FindingState = "unknown"    // not recall's file, so nothing can be said of it
)

// Mend says how damage can be made good.
type Mend string

const (
	MendRender Mend = "render" // it is made again from what else is there
	MendSource Mend = "source" // its source is still there, and may have the same bytes
	MendLines  Mend = "lines"  // its lines are taken as they read, or put aside where nothing rests on them
	MendNone   Mend = ""       // only from a backup
)

// Verified is the outcome of Verify.
type Verified struct {
	Sessions int       `json:"sessions"`
	Files    int       `json:"files"`        // looked at
	Bytes    int64     `json:"bytes"`        // read of the library
	Source   int64     `json:"source_bytes"` // bytes of the sources that were hashed, uncompressed
	Findings []Finding `json:"findings"`
}

// Damage counts the findings that are damage.
func (v Verified) Damage() int {
	n := 0
	for _, f := range v.Findings {
		if f.State == Damaged {
			n++
		}
	}
	return n
}

// Options say how thoroughly.
type Options struct {
	Quick    bool                    // check segments as they are stored, without unpacking them
	Progress func(done, total int64) // bytes of the library's segments; called from one goroutine at a time
}

// Verify reads every file again and compares it with its checksums. It changes nothing and takes no lock but for a
// second look where a session shows a fault: it may have been written meanwhile. The error is for a library that can't
// be read at all.
func Verify(ctx context.Context, l *library.Library, o Options) (Verified, error) {
	entries, err := l.Shelved()
	if err != nil {
		return Verified{}, err
	}
	broken := l.Broken()
	c := &checking{l: l.Inside(), ctx: ctx, options: o}
	c.folders(entries)
	c.top(entries)
	c.answers()
	for _, b := range broken {
		c.brokenFolder(b)
	}
	c.strays(entries)
	if err := ctx.Err(); err != nil {
		return Verified{}, err
	}
	c.out.Sessions = len(entries)
	c.out.Bytes, c.out.Source, c.out.Files = c.bytes.Load(), c.source.Load(), int(c.files.Load())
	slices.SortFunc(c.out.Findings, func(a, b Finding) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.What, b.What))
	})
	return c.out, nil
}

// checking is a Verify at work.
type checking struct {
	l       library.Inside
	ctx     context.Context
	options Options

	bytes, source, files, done atomic.Int64

	mu  sync.Mutex
	out Verified
}

// folders checks those of sessions, on all cores: a segment at a time, or the rest of a folder.
func (c *checking) folders(entries []library.Entry) {
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	inTime := func(do func()) {
		g.Go(func() error {
			if c.ctx.Err() == nil {
				do()
			}
			return nil
		})
	}
	var all []*folderCheck
	var total int64
	for _, e := range entries {
		f := newFolderCheck(c, e)
		all = append(all, f)
		for _, s := range f.segs {
			total += s.Length
		}
	}
	for _, f := range all {
		inTime(f.rest)
		for _, s := range f.segs {
			inTime(func() {
				f.checkSegment(s)
				c.progress(s.Length, total)
			})
		}
	}
	_ = g.Wait() // of no errors
	for _, f := range all {
		c.settle(f)
	}
}

func (c *checking) progress(more, total int64) {
	done := c.done.Add(more)
	if c.options.Progress != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.options.Progress(done, total)
	}
}

// settle takes over what was found of a session, after a second look while nobody writes to it.
func (c *checking) settle(f *folderCheck) {
	if len(f.findings) > 0 && c.ctx.Err() == nil {
		e := f.entry
		again := func() error {
			f = c.again(e)
			return nil
		}
		// A lock would bring a library of an earlier format to this one.
		if file, err := c.l.File(); err != nil || file.Format != library.Format ||
			c.l.UnderLock(library.SessionLock(e.ID), again) != nil {
			_ = again()
		}
	}
	c.out.Findings = append(c.out.Findings, f.findings...)
}

func (c *checking) again(was library.Entry) *folderCheck {
	e, err := library.ReadEntry(was.Folder)
	if err != nil {
		c.l.Reload() // it was moved, or session.json is the trouble
		if e, err = c.l.Session(was.ID); err != nil {
			e = was
		}
	}
	second := newFolderCheck(c, e)
	for _, s := range second.segs {
		second.checkSegment(s)
	}
	second.rest()
	return second
}

func (c *checking) found(f Finding) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.out.Findings = append(c.out.Findings, f)
}

// read reads a small file and counts it.
func (c *checking) read(path string) ([]byte, error) {
	text, err := disk.ReadPlain(path)
	if err == nil {
		c.files.Add(1)
		c.bytes.Add(int64(len(text)))
	}
	return text, err
}

// brokenFolder tells of a folder whose session.json can't be used.
func (c *checking) brokenFolder(b ingest.Problem) {
	if disk.RealDir(b.Path) != nil { // a link where a folder or file of the library belongs
		same := func(f Finding) bool { return f.Path == c.l.Rel(b.Path) }
		if !slices.ContainsFunc(c.out.Findings, same) {
			c.found(Finding{Path: c.l.Rel(b.Path), State: Damaged, What: b.Reason})
		}
		return
	}
	mend := MendNone
	if disk.Exists(raw.ListPath(b.Path)) || raw.Implied(raw.In(b.Path), "") != nil ||
		disk.Exists(filepath.Join(b.Path, "payload.json")) {
		mend = MendRender
	}
	c.found(Finding{Path: c.l.Rel(filepath.Join(b.Path, "session.json")), State: Damaged, What: b.Reason, Mend: mend})
}

// top checks the files that are no session's.
func (c *checking) top(entries []library.Entry) {
	var f library.File
	path := filepath.Join(c.l.Dir(), "library.toml")
	text, err := c.read(path)
	if err == nil {
		f, err = c.l.File()
	}
	switch {
	case err != nil:
		c.found(Finding{Path: "library.toml", State: Damaged, What: err.Error()})
	case f.Format < 2 && disk.SealOfTOML(text) == disk.SealNone:
		// of before there were any
	case disk.SealOfTOML(text) != disk.SealGood:
		c.found(Finding{Path: "library.toml", State: Damaged, What: "not what its last line says was written",
			Mend: MendRender})
	}
	c.readme(f)
	text, err = c.read(filepath.Join(c.l.Dir(), "projects.toml"))
	if what := c.l.LostProjects(text, err, f.Format >= 2, entries); what != "" {
		c.found(Finding{Path: "projects.toml", State: Damaged, What: what, Mend: MendRender})
	}
	for _, path := range c.l.TopLogs() {
		name := c.l.Rel(path)
		if what, state, mend := c.lines(path, f.Format >= 2); what != "" {
			c.found(Finding{Path: name, State: state, What: what, Mend: mend})
		}
	}
}

// lines says what is wrong with an append-only file, "" if nothing is or there is none, and how that can be made good.
func (c *checking) lines(path string, sealed bool) (what string, state FindingState, mend Mend) {
	f, err := disk.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", "", MendNone
	}
	if err == nil {
		defer f.Close()
		var size int64
		what, state, size, err = checkLines(f, sealed)
		c.files.Add(1)
		c.bytes.Add(size)
	}
	var text []byte
	if err == nil && what != "" {
		text, err = disk.ReadPlain(path)
	}
	if err != nil {
		return err.Error(), Damaged, MendNone
	}
	if what == "" {
		return "", "", MendNone
	}
	name := filepath.Base(path)
	_, aside, doubtful := sortLines(text, name)
	// A write that was cut off was never said to be done; the journal tells what happened when, and nothing rests on it.
	if len(aside)+doubtful == 0 || state == Unfinished || name == "journal.jsonl" {
		mend = MendLines
	}
	return what, state, mend
}

func (c *checking) readme(f library.File) {
	text, err := c.read(filepath.Join(c.l.Dir(), "README.md"))
	switch {
	case f.Readme == "":
	case errors.Is(err, fs.ErrNotExist):
		c.found(Finding{Path: "README.md", State: Damaged, What: "it is gone", Mend: MendRender})
	case err != nil:
		c.found(Finding{Path: "README.md", State: Damaged, What: err.Error()})
	case disk.HexSum(text) != f.Readme:
		c.found(Finding{Path: "README.md", State: Damaged, What: "not as recall wrote it", Mend: MendRender})
	}
}

// strays tells of what lies in the library and isn't recall's.
func (c *checking) strays(entries []library.Entry) {
	known := map[string]bool{}
	for _, e := range entries {
		known[e.Folder] = true
	}
	for _, b := range c.l.Broken() {
		known[b.Path] = true
	}
	groups, _ := disk.ReadDir(c.l.Dir())
	for _, g := range groups {
		path := filepath.Join(c.l.Dir(), g.Name())
		if !g.IsDir() {
			if !c.l.IsTop(g.Name()) {
				c.found(Finding{Path: g.Name(), State: Unknown, What: stray(g.Name())})
			}
			continue
		}
		if library.IsOwn(g.Name()) {
			continue
		}
		inside, _ := disk.ReadDir(path)
		for _, d := range inside {
			at := filepath.Join(path, d.Name())
			if known[at] || !d.IsDir() && d.Name() == library.LinksName || disk.Exists(filepath.Join(at, "session.json")) {
				continue
			}
			c.found(Finding{Path: c.l.Rel(at), State: Unknown, What: "not a session"})
		}
	}
}

// answers checks what models answered: what can't be read is asked for again.
func (c *checking) answers() {
	_ = disk.Walk(filepath.Join(c.l.Dir(), library.CacheName), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || c.ctx.Err() != nil || filepath.Ext(path) != ".zst" {
			return nil
		}
		packed, err := c.read(path)
		if err == nil {
			_, err = raw.Unpack(packed)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			c.found(Finding{Path: c.l.Rel(path), State: Damaged,
				What: "a model's answer that can't be read: " + err.Error(), Mend: MendRender})
		}
		return nil
	})
}
