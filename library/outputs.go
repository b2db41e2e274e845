package library

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"recall/ingest"
	"recall/library/disk"
)

// outputs/ holds the current version of the files that a session produced, plain, for people to open; raw/ has the
// authoritative bytes of every version. A person's changes are never overwritten: a file that isn't as recall wrote
// it is kept beside the new one as "name (changed)".

// SaveOutputs brings outputs/ up to date with what is archived. It leaves what is there already or has vanished at
// its source.
func (l *Library) SaveOutputs(ctx context.Context, id ingest.SessionID) error {
	e, err := l.Session(id)
	if err != nil {
		return err
	}
	kept := e.Outputs()
	var faults []error // a file that can't be written doesn't stop the others
	for _, f := range e.Files {
		name := kept[f.Name]
		if name == "" {
			continue
		}
		if e.Sums[name] == f.Sum && disk.Exists(filepath.Join(e.Folder, filepath.FromSlash(name))) {
			continue
		}
		if err := l.saveOutput(ctx, id, f, name); err != nil {
			faults = append(faults, fmt.Errorf("session %s: %s: %w", id, f.Name, err))
		}
	}
	return errors.Join(faults...)
}

// Outputs returns where each output is kept in the session's folder, by the name of its file.
func (e Entry) Outputs() map[string]string {
	kept, taken := map[string]string{}, map[string]bool{}
	for _, f := range e.Files {
		if f.Role == ingest.OutputFile {
			kept[f.Name] = outputName(f.Name, taken)
		}
	}
	return kept
}

// outputName returns where an output is kept in a session's folder: a path that is safe on every system and not
// taken.
func outputName(name string, taken map[string]bool) string {
	var parts []string
	for p := range strings.SplitSeq(strings.TrimPrefix(name, "outputs/"), "/") {
		if p = disk.SafeName(p, 120); p == "" {
			p = "_"
		}
		parts = append(parts, p)
	}
	path := "outputs/" + strings.Join(parts, "/")
	ext := filepath.Ext(parts[len(parts)-1])
	stem := strings.TrimSuffix(path, ext)
	for n := 2; taken[strings.ToLower(path)]; n++ {
		path = fmt.Sprintf("%s~%d%s", stem, n, ext)
	}
	taken[strings.ToLower(path)] = true
	return path
}

func (l *Library) saveOutput(ctx context.Context, id ingest.SessionID, f FileState, name string) error {
	r, _, err := l.OpenVersion(id, f.Name, f.Version)
	if err != nil {
		return err
	}
	defer r.Close()
	temp, sum, err := l.TempOf(disk.Until(ctx, r))
	if err != nil {
		return err
	}
	defer disk.Unlink(temp) // after a failure
	if err := disk.SyncFiles([]string{temp}); err != nil {
		return err
	}
	return l.WithSession(id, func(e Entry) error {
		target := filepath.Join(e.Folder, filepath.FromSlash(name))
		if err := disk.MakeDirs(filepath.Dir(target)); err != nil {
			return err
		}
		if err := l.KeepChanged(target, e.Sums[name], sum.SHA256); err != nil {
			return err
		}
		if err := disk.Rename(temp, target); err != nil {
			return err
		}
		if err := disk.SyncDir(filepath.Dir(target)); err != nil {
			return err
		}
		e = e.Clone()
		e.Sums[name] = sum.SHA256
		return l.SaveEntry(e)
	})
}

// KeepChanged renames a file that is neither as recall wrote it nor as it is about to.
func (l *Library) KeepChanged(path, written, next string) error {
	sum, err := disk.SumFile(path)
	if errors.Is(err, os.ErrNotExist) || err == nil && (sum.SHA256 == written || sum.SHA256 == next) {
		return nil
	}
	if err != nil {
		return err
	}
	ext := filepath.Ext(path)
	aside := disk.FreeName(filepath.Dir(path), strings.TrimSuffix(filepath.Base(path), ext)+" (changed)"+ext)
	return disk.Rename(path, aside)
}
