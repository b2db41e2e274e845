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
	"recall/library/disk"
	"recall/library/restore"
)

// RestoreOptions says where a session is restored to, and which version of it.
type RestoreOptions struct {
	To      string // a root, as of Reader.Roots, instead of the client's own
	Dir     string // the folder to continue it in, if the client goes by that; "" for the session's own
	Version int    // of the conversation and of the outputs that have so many; 0 for the current ones

	Parsed *ingest.Session // what it is, if that was read already
}

// A RestorePlan is a planned restore of a session.
type RestorePlan struct {
	Session library.Entry
	Root    string // where it is restored
	Own     bool   // its client looks there by default
	Moved   bool   // as far as is known, it wasn't kept there before
	Dir     string // the folder from which the client finds it; "" if it doesn't go by that
	NoDir   bool   // Dir doesn't exist
	Files   []restore.File
}

// Blocked lists the files that would have to be overwritten.
func (r RestorePlan) Blocked() []restore.File {
	return slices.DeleteFunc(slices.Clone(r.Files), func(p restore.File) bool { return !p.Blocked() })
}

// Missing reports whether any file can be restored because it is missing or was cut short.
func (r RestorePlan) Missing() bool {
	return slices.ContainsFunc(r.Files, func(p restore.File) bool {
		return p.State == restore.New || p.State == restore.Longer
	})
}

// Resume returns the command that continues the session, to be run in Dir, and the environment variables that it
// needs in addition; no words if the client has no such command.
func (r RestorePlan) Resume() (words, env []string) {
	client := r.Session.Source.Client()
	if client.Resume == "" || strings.HasPrefix(string(r.Session.ID), "-") { // would be taken for a flag
		return nil, nil
	}
	if !r.Own && client.Env != "" {
		env = []string{client.Env + "=" + r.Root}
	}
	return append(strings.Fields(client.Resume), string(r.Session.ID)), env
}

// PlanRestore determines where each file of a session belongs and what is there now; Restore carries it out. The
// error is ingest.ErrNoPlace if the session's place is unknown.
func (p *Archiver) PlanRestore(ctx context.Context, e library.Entry, o RestoreOptions) (RestorePlan, error) {
	reader, found, err := p.archived(e)
	if err != nil {
		return RestorePlan{}, err
	}
	layout, ok := reader.(ingest.Layout)
	if e.Source.IsMemory() {
		layout, ok = ingest.InMemory, true
	}
	if !ok {
		return RestorePlan{}, fmt.Errorf("%s: %w", e.Source, ingest.ErrNoPlace)
	}
	r := RestorePlan{Session: e}
	base := ingest.BaseOf(layout, found)
	if err := p.chooseRoot(&r, reader, base, o.To); err != nil {
		return r, err
	}
	r.Moved = base == "" || disk.RealPath(r.Root) != disk.RealPath(base)
	places, err := ingest.PlacesOf(layout, found, p.chooseDir(ctx, &r, reader, base, found, o))
	if err != nil {
		return r, err
	}
	var versions []library.FileVersion
	if o.Version > 0 {
		if versions, err = p.Library.Versions(e.ID); err != nil {
			return r, err
		}
	}
	has := func(file string) bool { // "": any file
		return slices.ContainsFunc(versions, func(v library.FileVersion) bool {
			return v.Version == o.Version && (v.Name == file || file == "")
		})
	}
	for i, f := range found.Files {
		if f.Role == ingest.PromptLog {
			continue // not a file of its own
		}
		put := restore.File{Name: f.Name, Path: filepath.Join(r.Root, filepath.FromSlash(places[f.Name])),
			Shared: f.Role == "spaces" || f.Role == ingest.MemoryFile || f.Role == ingest.PlaceFile}
		conversation := f.Role == ingest.Transcript && i == 0
		chosen := o.Version > 0 && (conversation || f.Role == ingest.OutputFile)
		switch state := e.File(f.Name); {
		case chosen && (has(f.Name) || !has("")):
			put.Version = o.Version
		case o.Version == 0 && conversation && state != nil:
			put.Version = state.Fullest // 0 if the current one is
			if e.Less && state.Fullest == 0 {
				put.Version = state.Version - 1 // what it is now isn't less in bytes
			}
		}
		r.Files = append(r.Files, put)
	}
	return r, restore.Plan(ctx, p.Library, e.ID, r.Files)
}

// chooseRoot uses the root that was asked for, else the one where the session was found if it exists on this
// machine, else this machine's own, else the one where it was found if that is in this user's home.
func (p *Archiver) chooseRoot(r *RestorePlan, reader ingest.Reader, base, to string) error {
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
			r.Root, r.Own = base, true // its client's whole folder was deleted
			return nil
		}
		if len(roots) == 0 {
			return fmt.Errorf("%s keeps nothing on this machine: %w", reader.Source(), ingest.ErrNoPlace)
		}
		r.Root = roots[0]
		switch filepath.Base(r.Root) {
		case "projects", "sessions", "archived_sessions", "tmp": // the folder that contains this one is the root
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

// inHome reports whether a path lies in the user's home folder, whether or not it exists.
func inHome(path string) bool {
	home, err := os.UserHomeDir()
	return err == nil && path != "" && disk.Below(disk.RealPath(home), disk.RealPath(path))
}

// homeRoot returns where a client keeps its files by default, "" if that isn't in the home folder.
func homeRoot(s ingest.Source) string {
	home, err := os.UserHomeDir()
	if err != nil || s.Client().Home == "" {
		return ""
	}
	return filepath.Join(home, s.Client().Home)
}

// chooseDir finds the folder in which to continue the session, for clients that go by that. It returns that folder
// if the session's place must be derived from it, because its own folder isn't on this machine or another was asked
// for, else "".
func (p *Archiver) chooseDir(ctx context.Context, r *RestorePlan, reader ingest.Reader, base string,
	found ingest.Found, o RestoreOptions) string {
	if found.Source.Client().Resume == "" {
		return ""
	}
	if o.Dir != "" {
		r.Dir = disk.RealPath(o.Dir)
		r.NoDir = !ingest.IsFolder(r.Dir)
		return r.Dir
	}
	s := o.Parsed
	var err error
	if s == nil {
		s, err = reader.Parse(ctx, found)
	}
	if err != nil || len(s.Where.Cwds) == 0 {
		return "" // use the place where it was found
	}
	own := s.Where.Cwds[0].Dir
	r.Dir = own
	if !ingest.IsFolder(own) {
		for _, dir := range p.elsewhere(own, base) {
			if ingest.IsFolder(dir) {
				r.Dir = disk.RealPath(dir)
				return r.Dir
			}
		}
		r.NoDir = true
	}
	if base == "" { // its place is unknown and derived from its folder
		return own
	}
	return ""
}

// elsewhere lists where a folder of another machine, or of an earlier time, could be on this one: below a project's
// current root, or below this home.
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

// Restore restores a session as planned. If a file would have to be overwritten, it writes nothing and the error is
// restore.ErrInTheWay.
func (p *Archiver) Restore(ctx context.Context, r RestorePlan) error {
	err := restore.Put(ctx, p.Library, r.Session.ID, r.Files)
	if errors.Is(err, restore.ErrInTheWay) {
		err = fmt.Errorf("%w; nothing was overwritten", err)
	}
	if err != nil {
		return fmt.Errorf("restore %s: %w", r.Session.ID, err)
	}
	return p.Library.Journal("restore", map[string]any{"session": r.Session.ID, "to": r.Root, "files": len(r.Files)})
}
