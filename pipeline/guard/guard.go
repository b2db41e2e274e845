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
	"strings"
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
}

// Look tells what would be lost if the paths were removed, without changing
// anything. Each session's files there are compared byte for byte with the
// library, whose own bytes are checked against their hashes. Without paths it
// looks at every place that sessions are taken from. Library may be nil: then
// nothing is safe.
func Look(ctx context.Context, p *pipeline.Pipeline, paths []string, o Options) (*Report, error) {
	g := &guarding{Pipeline: p, report: &Report{}, options: o, sessions: map[string]*Session{},
		known: map[string]bool{}}
	if o.Limit == 0 {
		g.options.Limit = time.Minute
	}
	if len(paths) == 0 {
		g.report.everywhere = true
		for _, reader := range p.Readers {
			paths = append(paths, p.RootsOf(reader)...)
		}
	}
	if err := g.aim(paths); err != nil {
		return nil, err
	}
	g.libraryItself()
	g.sources(ctx)
	if err := g.look(ctx); err != nil {
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
func Archive(ctx context.Context, p *pipeline.Pipeline, g *Report) ([]ingest.Problem, error) {
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
			change, err := p.Library.Archive(ctx, f)
			if err != nil {
				return problems, err
			}
			problems = append(problems, change.Problems...)
		}
	}
	return problems, nil
}

// guarding is one call of Look under way.
type guarding struct {
	*pipeline.Pipeline
	options  Options
	report   *Report
	reach    reach
	sessions map[string]*Session // by source and id
	known    map[string]bool     // real paths of sessions' files
	own      string              // the library's real folder, ""
}

// aim resolves the paths.
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
	g.reach.known = map[string]bool{}
	return nil
}

// libraryItself notices that the library would go, or a part of it.
func (g *guarding) libraryItself() {
	if g.Library == nil {
		return
	}
	g.own = pipeline.RealOf(g.Library.Dir())
	if g.reach.has(g.own) {
		g.danger(Danger{Path: g.own, Kind: DangerLibrary, Blocks: true})
		return
	}
	for _, at := range g.report.Paths {
		if !at.Gone && isBelow(at.Real, g.own) {
			g.danger(Danger{Path: at.Real, Kind: DangerLibrary, Blocks: true})
		}
	}
}

func (g *guarding) danger(d Danger) {
	if !slices.Contains(g.report.Dangers, d) {
		g.report.Dangers = append(g.report.Dangers, d)
	}
}

// sources finds the sessions of the configured places that the paths touch.
func (g *guarding) sources(ctx context.Context) {
	for _, reader := range g.Readers {
		for _, root := range g.RootsOf(reader) {
			real := pipeline.RealOf(root)
			switch {
			case !pipeline.IsFolder(real):
			case g.reach.has(real):
				g.danger(Danger{Path: real, Kind: DangerSource})
				g.find(ctx, reader, root)
			case slices.ContainsFunc(g.report.Paths, func(at Path) bool { return !at.Gone && isBelow(at.Real, real) }):
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
			g.danger(Danger{Path: pr.Path, Kind: DangerLoose, Blocks: true})
		}
	}
	for _, f := range found {
		g.take(f)
	}
	if k, ok := reader.(ingest.Keeper); ok {
		f, _ := k.Memory(path)
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
	if err != nil {
		return false
	}
	return slices.ContainsFunc(e.Files, func(f library.FileState) bool {
		return filepath.Base(filepath.FromSlash(f.Name)) == filepath.Base(path) &&
			g.Library.Held(ctx, e.ID, ingest.File{Name: f.Name, Path: path, Role: f.Role, Size: fi.Size(),
				Mod: fi.ModTime()}) == nil
	})
}

// take notes a session's files that lie under the paths.
func (g *guarding) take(f ingest.Found) {
	at := f
	at.Files = nil
	for _, file := range f.Files {
		real := g.reach.real(file.Path)
		if g.known[real] || !g.reach.has(real) {
			continue
		}
		g.known[real] = true
		at.Files = append(at.Files, file)
	}
	if len(at.Files) == 0 {
		return
	}
	key := string(f.Source) + " " + string(f.ID)
	s := g.sessions[key]
	if s == nil {
		s = &Session{ID: f.ID, Source: f.Source}
		g.sessions[key] = s
	}
	s.found = append(s.found, f)
	for _, file := range at.Files {
		if f.Source == ingest.Memory {
			g.report.Memory = append(g.report.Memory, file.Path)
		}
		s.Files++
		s.Bytes += file.Size
		if file.Role == ingest.OutputFile {
			s.Outputs++
		}
	}
	s.AtRisk = append(s.AtRisk, riskOf(at.Files)...)
}

// riskOf takes all files for being at risk, until they are compared.
func riskOf(files []ingest.File) []File {
	var all []File
	for _, f := range files {
		all = append(all, File{Path: f.Path, Role: f.Role, Size: f.Size, State: New})
	}
	return all
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
	forgotten := false
	if g.Library != nil {
		held = func(f ingest.File) error { return g.Library.Held(ctx, s.ID, f) }
		forgotten, _ = g.Library.Forgotten(s.ID) // what can't be told counts as a risk
		if e, err := g.Library.Session(s.ID); err == nil {
			s.Title = e.Title
		}
	}
	var left []File
	for _, f := range s.AtRisk {
		root, file := fileAt(s.found, f.Path)
		err := held(file)
		switch {
		case err == nil:
			continue
		case forgotten:
			f.State = Forgotten
		case errors.Is(err, library.ErrDamaged):
			f.State, f.Why = Damaged, err.Error()
		case !errors.Is(err, library.ErrNotHeld):
			f.State, f.Why = Unreadable, err.Error()
		}
		left = append(left, f)
		if f.Role == ingest.Transcript && f.State != Forgotten {
			s.Deleted = earliest(s.Deleted, pipeline.DeletedOn(root, file))
		}
	}
	s.AtRisk = left
}

func fileAt(found []ingest.Found, path string) (ingest.Found, ingest.File) {
	for _, f := range found {
		for _, file := range f.Files {
			if file.Path == path {
				return f, file
			}
		}
	}
	return ingest.Found{}, ingest.File{Path: path}
}

func earliest(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// finish puts the report in order.
func (g *guarding) finish() {
	for _, s := range g.sessions {
		g.report.Sessions = append(g.report.Sessions, *s)
	}
	slices.SortFunc(g.report.Sessions, func(a, b Session) int {
		if a.unsafe() != b.unsafe() {
			return map[bool]int{true: -1, false: 1}[a.unsafe()]
		}
		return cmp.Compare(a.ID, b.ID)
	})
	slices.Sort(g.report.Memory)
	if slices.ContainsFunc(g.report.Sessions,
		func(s Session) bool { return s.Source == ingest.Memory && s.forgotten() }) {
		g.report.Memory = nil
	}
	g.report.stuck = g.stuck()
	slices.SortFunc(g.report.Dangers,
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

// real resolves a path's folder.
func (r *reach) real(path string) string {
	dir := filepath.Dir(path)
	real, ok := r.reals[dir]
	if !ok {
		real = pipeline.RealOf(dir)
		if r.reals == nil {
			r.reals = map[string]string{}
		}
		r.reals[dir] = real
	}
	return filepath.Join(real, filepath.Base(path))
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

// isBelow reports whether a real path is a folder or lies in it.
func isBelow(path, dir string) bool {
	one := reach{known: map[string]bool{}}
	fi, err := os.Stat(dir)
	if err != nil {
		return path == dir || strings.HasPrefix(path, dir+string(filepath.Separator))
	}
	one.targets = []fs.FileInfo{fi}
	return one.has(path)
}
