// Package guard finds out what sessions would lose if files and folders were removed, and archives what is at risk.
package guard

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"recall/ingest"
	"recall/library"
	"recall/library/disk"
	"recall/pipeline"
)

// Options configures Look.
type Options struct {
	VM    bool   // don't block on virtual machines' disks
	Cache string // the library's cache, which knows the sessions left out; may be ""
}

// Look finds out what would be lost if the paths were removed, without changing anything. It compares the sessions'
// files there byte for byte with the library, whose own bytes are checked against their hashes. Without paths it
// checks every place that sessions come from. Without a library nothing is safe.
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

// Archive archives what a report found at risk: only the bytes, the next sync does the rest.
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
			case err != nil: // only this one; the next look shows what is still at risk
				problems = append(problems, ingest.Problem{Path: pipeline.PathOf(f), Err: err})
			}
			problems = append(problems, change.Problems...)
		}
	}
	return problems, nil
}

// guarding is a call of Look in progress.
type guarding struct {
	pipeline.Sources
	Library  *library.Library
	options  Options
	report   *Report
	reach    reach
	sessions map[string]*Session // by source and id
	known    map[string]bool     // real paths of sessions' files
	own      string              // the library's real folder; may be ""

	loose   []string       // unknown files that may be sessions
	anchors []string       // folders that look like a client's
	strange bool           // what is found now is in none of the configured places
	groups  map[string]int // counts of unknown files, by group
}

// aim resolves the paths, and notices if the library or a part of it is among them.
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
			at.Real = disk.RealPath(abs)
			g.reach.targets = append(g.reach.targets, fi)
		}
		g.report.Paths = ingest.Union(g.report.Paths, at)
	}
	if g.Library == nil {
		return nil
	}
	g.own = disk.RealPath(g.Library.Dir())
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
	within := func(d Danger) bool { return d.Kind == DangerSource && disk.Below(d.Path, path) }
	if kind == DangerSource && slices.ContainsFunc(g.report.Dangers, within) {
		return // a client's folder in another one's
	}
	g.report.Dangers = ingest.Union(g.report.Dangers, Danger{path, kind, blocks})
}

// within lists the paths that are dir or below it.
func (g *guarding) within(dir string) []Path {
	fi, err := os.Stat(dir)
	one := reach{targets: []fs.FileInfo{fi}, known: map[string]bool{}}
	return slices.DeleteFunc(slices.Clone(g.report.Paths), func(at Path) bool {
		return err != nil || at.Gone || !one.has(at.Real)
	})
}

// sources finds the sessions of the configured places that overlap the paths.
func (g *guarding) sources(ctx context.Context) {
	for _, reader := range g.Readers {
		for _, root := range g.RootsOf(reader) {
			real := disk.RealPath(root)
			if !ingest.IsFolder(real) {
				continue
			}
			all := g.reach.has(real)
			if all {
				g.danger(real, DangerSource, false)
			}
			if all || len(g.within(real)) > 0 {
				g.find(ctx, reader, root)
			} else {
				g.memory(reader, root) // some of it may lie behind a link
			}
		}
	}
}

// find adds what a reader finds under a path.
func (g *guarding) find(ctx context.Context, reader ingest.Reader, path string) {
	found, problems := reader.Find(ctx, path, nil)
	for _, pr := range problems {
		if !g.reach.has(disk.RealPath(pr.Path)) {
			continue
		}
		g.report.Problems = append(g.report.Problems, pr)
		if info, err := os.Lstat(pr.Path); err != nil || info.Mode()&fs.ModeSymlink == 0 { // a link contains nothing
			g.danger(pr.Path, DangerLoose, true)
		}
	}
	for _, f := range found {
		g.take(f)
	}
	g.memory(reader, path)
}

// memory adds what a client remembers outside its sessions.
func (g *guarding) memory(reader ingest.Reader, path string) {
	of := pipeline.Archiver{Sources: g.Sources, Library: g.Library, Cache: g.options.Cache}
	f, _ := ingest.MemoryOf(reader, path, of.Unwanted(nil))
	g.take(f)
}

// take records a session's files that are under the paths, or, of all places, wherever links led to them.
func (g *guarding) take(f ingest.Found) {
	at := f
	at.Files = slices.Clone(f.Files)
	for i := range at.Files {
		if file := &at.Files[i]; file.Path == "" { // only kept in part
			file.Path = filepath.Join(f.Root, filepath.FromSlash(file.Name))
		}
	}
	at.Files = slices.DeleteFunc(at.Files, func(file ingest.File) bool {
		real := g.reach.real(file.Path)
		if g.known[real] || !g.report.everywhere && !g.reach.has(real) {
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
	s.strange = s.strange || g.strange
	s.Files += len(at.Files)
	for _, file := range at.Files {
		s.Bytes += file.Size
		if file.Role == ingest.OutputFile {
			s.Outputs++
		}
	}
}

// compare compares every file with the library.
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
	forgotten, kept, left := false, false, "" // left is the rule that leaves out what isn't archived
	if g.Library != nil {
		held = func(f ingest.File) error { return g.Library.Held(ctx, s.ID, f) }
		closed, err := g.Library.Closed(s.ID)
		forgotten = closed && err == nil // if unknown, it counts as a risk
		if e, err := g.Library.Session(s.ID); err == nil {
			s.Title = e.Title
			kept = true
		}
	}
	excludes := sync.OnceValues(func() (string, error) { return g.Excludes(ctx, s.found[0]) }) // parses it
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
			case err == nil && s.Source.IsMemory() && file.Stamp == "": // the rest of the memory isn't kept
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
			if f.Role == ingest.Transcript && f.State != Forgotten && !s.strange {
				s.Deleted = pipeline.Earlier(s.Deleted, pipeline.DeletedOn(found, file))
			}
		}
	}
}

// finish puts the report in order.
func (g *guarding) finish() {
	r := g.report
	for _, s := range g.sessions {
		r.Sessions = append(r.Sessions, *s)
	}
	slices.SortFunc(r.Sessions, func(a, b Session) int {
		if a.unsafe() != b.unsafe() {
			return map[bool]int{true: -1, false: 1}[a.unsafe()]
		}
		return cmp.Compare(a.ID, b.ID)
	})
	slices.SortFunc(r.Dangers,
		func(a, b Danger) int { return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Kind, b.Kind)) })
}

// reach tells what is below some files and folders, by identity, not by name: links and spelling don't hide
// anything.
type reach struct {
	targets []fs.FileInfo
	known   map[string]bool
	reals   map[string]string // of folders
}

func (r *reach) real(path string) string {
	dir, name := filepath.Split(path)
	if r.reals[dir] == "" {
		r.reals[dir] = disk.RealPath(dir)
	}
	return filepath.Join(r.reals[dir], name)
}

// has reports whether a real path is one of the targets or below one.
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

// The contents of the folder of recall demo: the samples, the libraries made from them, and a file that marks it.
const (
	DemoSources = "sources"
	DemoByRules = "Recall"
	DemoByModel = "Recall-model"
	DemoMarker  = ".recall-demo"
)

// IsDemo reports whether a path is or lies in what recall demo made and may empty: its content is invented, and no data
// of a person's belongs there.
func IsDemo(path string) bool {
	up, name := filepath.Dir(path), filepath.Base(path)
	if name == DemoSources || name == DemoByRules || name == DemoByModel {
		if _, err := os.Stat(filepath.Join(up, DemoMarker)); err == nil {
			return true
		}
	}
	return up != path && IsDemo(up)
}
