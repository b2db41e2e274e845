// Package guard looks at what would be lost of sessions if files and folders were removed,
// and takes into the library what is at risk.
package guard

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"recall/ingest"
	"recall/library"
	"recall/library/disk"
	"recall/pipeline"
)

// Options say how a guard looks.
type Options struct {
	VM    bool          // what is on virtual machines' own disks may go
	Limit time.Duration // for looking through folders; 0 is a minute
	Cache string        // of the library: which sessions are left out; "" if that isn't known
}

// Look tells what would be lost if the paths were removed, without changing
// anything. Each session's files there are compared byte for byte with the
// library, whose own bytes are checked against their hashes. Without paths it
// looks at every place that sessions are taken from. Without a library nothing is safe.
func Look(ctx context.Context, from pipeline.Sources, l *library.Library, paths []string,
	o Options) (*Report, error) {
	g := &guarding{Sources: from, Library: l, report: &Report{everywhere: len(paths) == 0}, options: o,
		reach: reach{known: map[string]bool{}, reals: map[string]string{}}, sessions: map[string]*Session{},
		known: map[string]bool{}, groups: map[string]int{}}
	if g.report.everywhere {
		for _, reader := range from.Readers {
			paths = append(paths, from.RootsOf(reader)...)
		}
	}
	if err := g.aim(paths); err != nil {
		return nil, err
	}
	g.sources(ctx)
	if err := g.walk(ctx); err != nil {
		return nil, err
	}
	if err := g.compare(ctx); err != nil {
		return nil, err
	}
	g.finish()
	return g.report, nil
}

// Archive takes into the library what a report found at risk: bytes only,
// the next sync does the rest.
func Archive(ctx context.Context, p *pipeline.Archiver, g *Report) ([]ingest.Problem, error) {
	unsafe := g.Unsafe()
	if len(unsafe) == 0 {
		return nil, nil
	}
	if err := p.LookAgain(); err != nil {
		return nil, err
	}
	var problems []ingest.Problem
	for _, s := range unsafe {
		for _, f := range s.found {
			rule, err := p.Excludes(ctx, f)
			if rule != "" {
				continue
			}
			var change library.Change
			if err == nil {
				change, err = p.Library.Archive(ctx, f)
			}
			switch {
			case ctx.Err() != nil || errors.Is(err, library.ErrNewer):
				return problems, cmp.Or(ctx.Err(), err)
			case errors.Is(err, library.ErrForgotten):
			case err != nil: // of this one alone; what stays at risk is told by the next look
				problems = append(problems, ingest.Problem{Path: pipeline.PathOf(f), Reason: err.Error()})
			}
			problems = append(problems, change.Problems...)
		}
	}
	return problems, nil
}

// guarding is one call of Look under way.
type guarding struct {
	pipeline.Sources
	Library  *library.Library
	options  Options
	report   *Report
	reach    reach
	sessions map[string]*Session // by source and id
	known    map[string]bool     // real paths of sessions' files
	own      string              // the library's real folder, ""

	loose   []string       // files that may be sessions and aren't known
	anchors []string       // folders that look like a client's
	groups  map[string]int // files that aren't known, by group
}

// aim resolves the paths, and notices that the library would go, or a part of it.
func (g *guarding) aim(paths []string) error {
	for _, path := range paths {
		abs, err := filepath.Abs(path)
		if err != nil {
			return err
		}
		at := Path{Path: abs, Real: abs}
		fi, err := os.Stat(abs)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			at.Gone = true
		case err != nil:
			return err
		default:
			at.Real = pipeline.RealOf(abs)
			g.reach.targets = append(g.reach.targets, fi)
		}
		if !slices.Contains(g.report.Paths, at) {
			g.report.Paths = append(g.report.Paths, at)
		}
	}
	if g.Library == nil {
		return nil
	}
	g.own = pipeline.RealOf(g.Library.Dir())
	if g.reach.has(g.own) {
		g.danger(g.own, DangerLibrary, true)
		return nil
	}
	for _, at := range g.within(g.own) {
		g.danger(at.Real, DangerLibrary, true)
	}
	return nil
}

func (g *guarding) danger(path string, kind DangerKind, blocks bool) {
	if d := (Danger{path, kind, blocks}); !slices.Contains(g.report.Dangers, d) {
		g.report.Dangers = append(g.report.Dangers, d)
	}
}

// within lists the paths that are a folder or lie in it.
func (g *guarding) within(dir string) []Path {
	fi, err := os.Stat(dir)
	one := reach{targets: []fs.FileInfo{fi}, known: map[string]bool{}}
	return slices.DeleteFunc(slices.Clone(g.report.Paths), func(at Path) bool {
		return err != nil || at.Gone || !one.has(at.Real)
	})
}

// sources finds the sessions of the configured places that the paths touch.
func (g *guarding) sources(ctx context.Context) {
	for _, reader := range g.Readers {
		for _, root := range g.RootsOf(reader) {
			real := pipeline.RealOf(root)
			if !ingest.IsFolder(real) {
				continue
			}
			all := g.reach.has(real)
			if all {
				g.danger(real, DangerSource, false)
			}
			if all || len(g.within(real)) > 0 {
				g.find(ctx, reader, root)
			}
		}
	}
}

// find takes what a reader finds under a path.
func (g *guarding) find(ctx context.Context, reader ingest.Reader, path string) {
	found, problems := reader.Find(ctx, path, nil)
	for _, pr := range problems {
		if !g.reach.has(pipeline.RealOf(pr.Path)) {
			continue
		}
		g.report.Problems = append(g.report.Problems, pr)
		if info, err := os.Lstat(pr.Path); (err != nil || info.Mode()&fs.ModeSymlink == 0) &&
			!g.heldLoose(ctx, pr.Path) { // a link itself holds nothing
			g.danger(pr.Path, DangerLoose, true)
		}
	}
	for _, f := range found {
		g.take(f)
	}
	if k, ok := reader.(ingest.Keeper); ok {
		of := pipeline.Archiver{Sources: g.Sources, Library: g.Library, Cache: g.options.Cache}
		f, _ := k.Memory(path, of.Unwanted())
		g.take(f)
	}
}

// heldLoose reports whether the library has a sub-agent's file whose session's own
// file is gone: SESSION/subagents/agent-….jsonl.
func (g *guarding) heldLoose(ctx context.Context, path string) bool {
	fi, err := os.Stat(path)
	if err != nil || g.Library == nil || filepath.Base(filepath.Dir(path)) != "subagents" {
		return false
	}
	e, err := g.Library.Session(ingest.SessionID(filepath.Base(filepath.Dir(filepath.Dir(path)))))
	return err == nil && slices.ContainsFunc(e.Files, func(f library.FileState) bool {
		return filepath.Base(filepath.FromSlash(f.Name)) == filepath.Base(path) &&
			g.Library.Held(ctx, e.ID, ingest.File{Name: f.Name, Path: path, Role: f.Role, Size: fi.Size(),
				Mod: fi.ModTime()}) == nil
	})
}

// take notes a session's files that lie under the paths.
func (g *guarding) take(f ingest.Found) {
	at := f
	at.Files = slices.Clone(f.Files)
	for i := range at.Files {
		if file := &at.Files[i]; file.Path == "" { // kept but in part
			file.Path = filepath.Join(f.Root, filepath.FromSlash(file.Name))
		}
	}
	at.Files = slices.DeleteFunc(at.Files, func(file ingest.File) bool {
		real := g.reach.real(file.Path)
		if g.known[real] || !g.reach.has(real) {
			return true
		}
		g.known[real], g.known[ingest.OnDisk(real)] = true, true
		return false
	})
	if len(at.Files) == 0 {
		return
	}
	key := string(f.Source) + " " + string(f.ID)
	s := g.sessions[key]
	if s == nil {
		s = &Session{ID: f.ID, Source: f.Source}
		g.sessions[key] = s
	}
	s.found, s.there = append(s.found, f), append(s.there, at)
	s.Files += len(at.Files)
	for _, file := range at.Files {
		s.Bytes += file.Size
		if f.Source == ingest.Memory {
			g.report.Memory = append(g.report.Memory, file.Path)
		}
		if file.Role == ingest.OutputFile {
			s.Outputs++
		}
	}
}

// compare holds every file against the library.
func (g *guarding) compare(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, s := range g.sessions {
		group.Go(func() error {
			g.compareOne(ctx, s)
			return ctx.Err()
		})
	}
	return group.Wait()
}

func (g *guarding) compareOne(ctx context.Context, s *Session) {
	held := func(ingest.File) error { return library.ErrNotHeld }
	forgotten, kept, left := false, false, "" // left is the rule by which it stays as the library has it
	if g.Library != nil {
		held = func(f ingest.File) error { return g.Library.Held(ctx, s.ID, f) }
		forgotten, _ = g.Library.Forgotten(s.ID) // what can't be told counts as a risk
		if frozen, err := g.Library.Frozen(s.ID); err == nil {
			forgotten = forgotten || frozen
		}
		if e, err := g.Library.Session(s.ID); err == nil {
			s.Title = e.Title
			kept = true
		}
	}
	excludes := sync.OnceValues(func() (string, error) { return g.Excludes(ctx, s.found[0]) }) // which parses it
	for _, found := range s.there {
		for _, file := range found.Files {
			f := File{Path: file.Path, Role: file.Role, Size: file.Size, State: New}
			err := held(file)
			if err != nil && !forgotten && left == "" {
				rule, fault := excludes()
				forgotten = fault == nil && rule != "" && !kept
				if kept {
					left = rule
				}
			}
			switch {
			case err == nil && s.Source == ingest.Memory && file.Stamp == "": // the rest of it isn't kept
				f.State = Forgotten
			case err == nil:
				continue
			case forgotten:
				f.State = Forgotten
			case left != "":
				f.State, f.Why = InPart, left
			case errors.Is(err, library.ErrDamaged):
				f.State, f.Why = Damaged, err.Error()
			case !errors.Is(err, library.ErrNotHeld):
				f.State, f.Why = Unreadable, err.Error()
			}
			s.AtRisk = append(s.AtRisk, f)
			if f.Role == ingest.Transcript && f.State != Forgotten {
				s.Deleted = pipeline.Sooner(s.Deleted, pipeline.DeletedOn(found, file))
			}
		}
	}
}

// finish puts the report in order.
func (g *guarding) finish() {
	r := g.report
	for _, s := range g.sessions {
		r.Sessions = append(r.Sessions, *s)
		if s.Source == ingest.Memory && s.Forgotten() {
			r.Memory = nil
		}
	}
	slices.SortFunc(r.Sessions, func(a, b Session) int {
		if a.unsafe() != b.unsafe() {
			return map[bool]int{true: -1, false: 1}[a.unsafe()]
		}
		return cmp.Compare(a.ID, b.ID)
	})
	slices.Sort(r.Memory)
	r.stuck = g.stuck()
	slices.SortFunc(r.Dangers,
		func(a, b Danger) int { return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Kind, b.Kind)) })
}

// stuck says why a sync couldn't take in what is at risk, and what is to be done first;
// "" if nothing is known to be in the way.
func (g *guarding) stuck() string {
	if g.Library == nil {
		return ""
	}
	dir, need := g.Library.Dir(), int64(0)
	for _, s := range g.report.Unsafe() {
		for _, f := range s.AtRisk {
			need += f.Size
		}
	}
	if err := g.Library.ReadOnly(); err != nil && need > 0 {
		return "the library is only read: " + err.Error()
	}
	if err := disk.Writable(dir); err != nil && need > 0 {
		return fmt.Sprintf("the library can't be written to (%v): mend that, then recall sync", err)
	}
	if free := disk.Free(dir); free < need {
		return fmt.Sprintf("the library's disk has %d KB left for %d KB: make room there, then recall sync", free>>10,
			(need+1023)>>10)
	}
	return ""
}

// reach tells what lies under some files and folders, by what they are, not by
// name: links and spelling don't hide anything.
type reach struct {
	targets []fs.FileInfo
	known   map[string]bool
	reals   map[string]string // of folders
}

func (r *reach) real(path string) string {
	dir, name := filepath.Split(path)
	if r.reals[dir] == "" {
		r.reals[dir] = pipeline.RealOf(dir)
	}
	return filepath.Join(r.reals[dir], name)
}

// has reports whether a real path is one of the targets or lies below one.
func (r *reach) has(path string) bool {
	if v, ok := r.known[path]; ok {
		return v
	}
	fi, err := os.Stat(path)
	v := err == nil && slices.ContainsFunc(r.targets, func(t fs.FileInfo) bool { return os.SameFile(t, fi) })
	if up := filepath.Dir(path); !v && up != path {
		v = r.has(up)
	}
	r.known[path] = v
	return v
}
