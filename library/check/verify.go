// Package check finds what in a library isn't as it was written, and repairs what can be repaired.
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
	Session ingest.SessionID `json:"session,omitempty"` // "" for a file at the top, or if unknown
	State   FindingState     `json:"state"`
	What    string           `json:"what"`           // the exact fault
	Mend    Mend             `json:"mend,omitempty"` // for damage: how it can be repaired

	segment raw.Segment // the damaged one
}

// FindingState tells damage from what is only worth knowing.
type FindingState string

const (
	Damaged    FindingState = "damaged"    // other bytes than were written, or none
	Edited     FindingState = "edited"     // by a person, where that is allowed: not damage
	Unfinished FindingState = "unfinished" // an interrupted write, which the next sync finishes
	Leftover   FindingState = "leftover"   // from an interrupted write; nothing needs it
	Unknown    FindingState = "unknown"    // not recall's file
)

// Mend says how damage can be repaired.
type Mend string

const (
	MendRender Mend = "render" // it can be made again from what else is there
	MendSource Mend = "source" // its source still exists and might have the same bytes
	MendLines  Mend = "lines"  // its lines are accepted as they are, or set aside if nothing depends on them
	MendNone   Mend = ""       // only from a backup
)

// Verified is the outcome of Verify.
type Verified struct {
	Sessions int       `json:"sessions"`
	Files    int       `json:"files"`        // checked
	Bytes    int64     `json:"bytes"`        // read from the library
	Source   int64     `json:"source_bytes"` // bytes of the sources that were hashed, uncompressed
	Findings []Finding `json:"findings"`
}

const badSeal = "its content doesn't match the checksum in its last line"

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

// Verify reads every file again and compares it with its checksums. It changes nothing. It takes a lock only to check
// a session with a fault a second time, as it may just have been written to. The error is for a library that can't be
// read at all. progress (which may be nil) is told, by one goroutine at a time, how many sessions are done.
func Verify(ctx context.Context, l *library.Library, progress func(done, total int)) (Verified, error) {
	entries, err := l.AllEntries()
	if err != nil {
		return Verified{}, err
	}
	broken := l.Broken()
	c := &checking{l: l, ctx: ctx, tell: progress}
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

// checking is a Verify in progress.
type checking struct {
	l    *library.Library
	ctx  context.Context
	tell func(done, total int)

	bytes, source, files atomic.Int64

	mu   sync.Mutex
	out  Verified
	done int // sessions
}

// folders checks the sessions' folders, several at once.
func (c *checking) folders(entries []library.Entry) {
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for _, e := range entries {
		g.Go(func() error {
			found := c.folder(e)
			if len(found) > 0 { // it may just have been written to
				again := func() error {
					found = c.folder(c.now(e))
					return nil
				}
				if c.l.UnderLock(library.SessionLock(e.ID), again) != nil {
					_ = again()
				}
			}
			c.mu.Lock()
			defer c.mu.Unlock()
			c.out.Findings = append(c.out.Findings, found...)
			if c.done++; c.tell != nil {
				c.tell(c.done, len(entries))
			}
			return nil
		})
	}
	_ = g.Wait() // they return none
}

// now returns a session's entry as it is on disk.
func (c *checking) now(was library.Entry) library.Entry {
	e, err := library.ReadEntry(was.Folder)
	if err == nil {
		return e
	}
	c.l.Reload() // it was moved, or session.json is the problem
	if e, err = c.l.Session(was.ID); err != nil {
		return was
	}
	return e
}

func (c *checking) found(f Finding) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.out.Findings = append(c.out.Findings, f)
}

// read reads and counts a small file.
func (c *checking) read(path string) ([]byte, error) {
	text, err := disk.ReadPlain(path)
	if err == nil {
		c.files.Add(1)
		c.bytes.Add(int64(len(text)))
	}
	return text, err
}

// brokenFolder reports a folder whose session.json is unusable.
func (c *checking) brokenFolder(b ingest.Problem) {
	if disk.RealDir(b.Path) != nil { // a link where a folder or file of the library belongs
		same := func(f Finding) bool { return f.Path == c.l.Rel(b.Path) }
		if !slices.ContainsFunc(c.out.Findings, same) {
			c.found(Finding{Path: c.l.Rel(b.Path), State: Damaged, What: b.Reason()})
		}
		return
	}
	mend := MendNone
	if disk.Exists(raw.ListPath(b.Path)) || raw.Implied(raw.In(b.Path), "") != nil ||
		library.PayloadIn(b.Path) != nil {
		mend = MendRender
	}
	c.found(Finding{Path: c.l.Rel(filepath.Join(b.Path, "session.json")), State: Damaged, What: b.Reason(), Mend: mend})
}

// top checks the files outside sessions' folders.
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
	case disk.TOML.SealOf(text) != disk.SealGood:
		c.found(Finding{Path: "library.toml", State: Damaged, What: badSeal, Mend: MendRender})
	}
	c.readme(f)
	text, err = c.read(filepath.Join(c.l.Dir(), "projects.toml"))
	if what := c.l.LostProjects(text, err, entries); what != "" {
		c.found(Finding{Path: "projects.toml", State: Damaged, What: what, Mend: MendRender})
	}
	for _, path := range c.l.TopLogs() {
		name := c.l.Rel(path)
		if what, state, mend := c.lines(path); what != "" {
			c.found(Finding{Path: name, State: state, What: what, Mend: mend})
		}
	}
}

// lines says what is wrong with an append-only file and how that can be repaired; "" if nothing is or it doesn't
// exist.
func (c *checking) lines(path string) (what string, state FindingState, mend Mend) {
	text, err := c.read(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", "", MendNone
	case err != nil:
		return err.Error(), Damaged, MendNone
	}
	if what, state = checkLines(text); what == "" {
		return "", "", MendNone
	}
	name := filepath.Base(path)
	_, aside, doubtful := sortLines(text, name)
	// An interrupted write was never confirmed, and nothing depends on the journal, which only says what happened
	// when.
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

// strays reports what is in the library and isn't recall's.
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
			if !library.IsTop(g.Name()) {
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

// answers checks models' answers. One that can't be read is asked for again.
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
