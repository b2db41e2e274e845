package pipeline

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"recall/ingest"
	"recall/library"
)

// RestoreOptions say where a session is put back and which content.
type RestoreOptions struct {
	To      string // instead of the client's own place: a root, as Reader.Roots has them
	Dir     string // the folder to go on with it in, where the client goes by that; "" for the session's own
	Version int    // of the conversation; 0 for the current one
}

// A Restoring is a session on its way back.
type Restoring struct {
	Session library.Entry
	Root    string // it is put below
	Own     bool   // its client looks there without being told
	Moved   bool   // it wasn't kept there, as far as is known
	Dir     string // the folder that the client finds it from, "" if it doesn't go by that
	NoDir   bool   // that folder isn't there
	Files   []library.RestoreFile
}

// Blocked lists the files that would have to be written over.
func (r Restoring) Blocked() []library.RestoreFile {
	return slices.DeleteFunc(slices.Clone(r.Files), func(p library.RestoreFile) bool { return !p.Blocked() })
}

// Missing reports whether a file of it isn't there as it was, and can be put back.
func (r Restoring) Missing() bool {
	return slices.ContainsFunc(r.Files, func(p library.RestoreFile) bool {
		return p.State == library.PutNew || p.State == library.PutLonger
	})
}

// Resume is the command that goes on with it, to be called in Dir, and what its environment has beside that of
// everything else; no words where its client has none.
func (r Restoring) Resume() (words, env []string) {
	client := r.Session.Source.Client()
	if client.Resume == "" || strings.HasPrefix(string(r.Session.ID), "-") { // it would be taken for a flag
		return nil, nil
	}
	if !r.Own && client.Env != "" {
		env = []string{client.Env + "=" + r.Root}
	}
	return append(strings.Fields(client.Resume), string(r.Session.ID)), env
}

// PlanRestore says where each file of a session belongs and what is there now;
// Library.RestoreFiles does it. The error is ingest.ErrNoPlace where a session's
// place can't be told.
func (p *Archiver) PlanRestore(ctx context.Context, e library.Entry, o RestoreOptions) (Restoring, error) {
	reader, found, err := p.archived(e)
	if err != nil {
		return Restoring{}, err
	}
	layout, ok := reader.(ingest.Layout)
	if !ok {
		return Restoring{}, fmt.Errorf("%s: %w", e.Source, ingest.ErrNoPlace)
	}
	r := Restoring{Session: e}
	base := layout.Base(found)
	if err := p.chooseRoot(&r, reader, base, o.To); err != nil {
		return r, err
	}
	r.Moved = base == "" || RealOf(r.Root) != RealOf(base)
	places, err := layout.Places(found, p.chooseDir(ctx, &r, reader, layout, found, o.Dir))
	if err != nil {
		return r, err
	}
	for i, f := range found.Files {
		if f.Role == ingest.PromptLog {
			continue // no file of its own
		}
		put := library.RestoreFile{Name: f.Name, Path: filepath.Join(r.Root, filepath.FromSlash(places[f.Name])),
			Shared: f.Role == "spaces" || f.Role == ingest.MemoryFile || f.Role == ingest.PlaceFile}
		if f.Role == ingest.Transcript && i == 0 {
			put.Version = o.Version
		}
		r.Files = append(r.Files, put)
	}
	return r, p.Library.PlanRestore(ctx, e.ID, r.Files)
}

// chooseRoot takes the root that was asked for, else the one that the session
// was found under if it is on this machine, else this machine's own, else the
// one that it was found under if that would lie in this home.
func (p *Archiver) chooseRoot(r *Restoring, reader ingest.Reader, base, to string) error {
	switch {
	case to != "":
		abs, err := filepath.Abs(to)
		if err != nil {
			return err
		}
		r.Root = abs
	case base != "" && ingest.IsFolder(base):
		r.Root = base
	default:
		roots := p.RootsOf(reader)
		if home := homeRoot(reader.Source()); len(roots) == 0 && home != "" {
			roots = []string{home}
		}
		if len(roots) == 0 && inHome(base) {
			r.Root, r.Own = base, true // its client's folder went as a whole
			return nil
		}
		if len(roots) == 0 {
			return fmt.Errorf("%s keeps nothing on this machine: %w", reader.Source(), ingest.ErrNoPlace)
		}
		r.Root = roots[0]
		switch filepath.Base(r.Root) {
		case "projects", "sessions", "archived_sessions", "tmp": // in which its client keeps them
			r.Root = filepath.Dir(r.Root)
		}
	}
	r.Own = slices.ContainsFunc(append(reader.Roots(), homeRoot(reader.Source())), func(root string) bool {
		a, errA := os.Stat(r.Root)
		b, errB := os.Stat(root)
		return r.Root == root || errA == nil && errB == nil && os.SameFile(a, b)
	})
	return nil
}

// inHome says that a path lies in the home folder of who asks, there or not.
func inHome(path string) bool {
	home, err := os.UserHomeDir()
	return err == nil && path != "" && slices.ContainsFunc([]string{home, RealOf(home)}, func(home string) bool {
		rel, err := filepath.Rel(home, path)
		return err == nil && rel != "." && filepath.IsLocal(rel)
	})
}

// homeRoot is where a client keeps its files unless told otherwise, "" where that isn't in a home.
func homeRoot(s ingest.Source) string {
	home, err := os.UserHomeDir()
	if err != nil || s.Client().Home == "" {
		return ""
	}
	return filepath.Join(home, s.Client().Home)
}

// chooseDir finds the folder that the session is continued in, for clients
// that go by that, and returns it if the session's place must be told anew from
// it: its own folder isn't on this machine, or another one was asked for.
func (p *Archiver) chooseDir(ctx context.Context, r *Restoring, reader ingest.Reader, layout ingest.Layout,
	found ingest.Found, asked string) string {
	if found.Source.Client().Resume == "" {
		return ""
	}
	if asked != "" {
		r.Dir = RealOf(asked)
		r.NoDir = !ingest.IsFolder(r.Dir)
		return r.Dir
	}
	s, err := reader.Parse(ctx, found)
	if err != nil || len(s.Where.Cwds) == 0 {
		return "" // the place that it was found in must do
	}
	own := s.Where.Cwds[0].Dir
	r.Dir = own
	if !ingest.IsFolder(own) {
		for _, dir := range p.elsewhere(own, layout.Base(found)) {
			if ingest.IsFolder(dir) {
				r.Dir = RealOf(dir)
				return r.Dir
			}
		}
		r.NoDir = true
	}
	if layout.Base(found) == "" { // its place isn't known, and told from its folder
		return own
	}
	return ""
}

// elsewhere lists where a folder of another machine, or of an earlier time,
// could be on this one: below a project's root of now, or below this home.
func (p *Archiver) elsewhere(dir, base string) []string {
	var list []string
	swap := func(from, to string) {
		from, dir := strings.TrimSuffix(ingest.SlashPath(from), "/"), ingest.SlashPath(dir)
		rest, ok := strings.CutPrefix(dir, from)
		moved := ok && from != "" && to != "" && (rest == "" || rest[0] == '/')
		if moved {
			list = append(list, filepath.Join(to, filepath.FromSlash(rest)))
		}
	}
	projects, _ := p.Library.Projects()
	for _, pr := range projects {
		for _, old := range slices.Concat(pr.Former, pr.Merged) {
			swap(old, pr.Root)
		}
	}
	if home, err := os.UserHomeDir(); err == nil {
		swap(path.Dir(ingest.SlashPath(base)), home) // of ~/.claude
	}
	return list
}

// RealOf is a folder's path as its client would name it.
func RealOf(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	return dir
}

// Restore puts a session back as planned. The error is library.ErrInTheWay,
// and nothing is written, if a file would have to be written over.
func (p *Archiver) Restore(ctx context.Context, r Restoring) error {
	err := p.Library.RestoreFiles(ctx, r.Session.ID, r.Files)
	if errors.Is(err, library.ErrInTheWay) {
		err = fmt.Errorf("%w; nothing of it was overwritten", err)
	}
	if err != nil {
		return fmt.Errorf("restore %s: %w", r.Session.ID, err)
	}
	return p.Library.Journal("restore", map[string]any{"session": r.Session.ID, "to": r.Root, "files": len(r.Files)})
}
