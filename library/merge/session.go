package merge

import (
	"bytes"
	"context"
	"errors"
	"path"
	"path/filepath"
	"slices"

	"recall/library"
	"recall/library/disk"
	"recall/library/raw"
	"recall/library/render"
)

// adopt copies the folder of a session that isn't here, unchanged.
func (m *merging) adopt(ctx context.Context, src *library.Folder) error {
	files, err := m.stageCopies(ctx, src, src.Names())
	if err != nil {
		return err
	}
	defer dropCopies(files)
	temps := map[string]string{}
	for _, f := range files {
		temps[f.name] = f.temp
	}
	err = m.l.Build(src.Entry, temps)
	switch {
	case errors.Is(err, library.ErrForgotten):
		return nil
	case err == nil:
		m.count(func(d *Merged) { d.New += sessions([]library.Entry{src.Entry}) })
	}
	return err
}

// follow makes a session's folder equal to the other's, which has all that it has: first the files that never change,
// then what names them, session.json last. Files no longer needed are removed after that.
func (m *merging) follow(ctx context.Context, src, dst *library.Folder) error {
	var names []string
	for name, size := range src.Size {
		have, ok := dst.Size[name]
		if !ok || have != size || path.Dir(name) == "raw" && !storedAlike(src.Versions, dst.Versions, path.Base(name)) {
			names = append(names, name)
		}
	}
	for name, text := range src.Text {
		if have, ok := dst.Text[name]; !ok || !bytes.Equal(have, text) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	files, err := m.stageCopies(ctx, src, names)
	if err != nil {
		return err
	}
	defer dropCopies(files)
	if files, err = m.dropDamaged(src, dst, files); err != nil {
		return err
	}
	return m.l.WithSession(src.Entry.ID, func(now library.Entry) error {
		if fresh, err := now.Versions(); err != nil || fresh.Read != dst.Versions.Read ||
			now.Input != dst.Entry.Input {
			return errors.Join(err, library.ErrStale)
		}
		if err := dst.Versions.MakeList(now.Folder, m.l.Put); err != nil {
			return err
		}
		if err := putInOrder(now.Folder, files); err != nil {
			return err
		}
		if err := m.dropUnneeded(now.Folder, src, dst); err != nil {
			return err
		}
		fresh, err := library.ReadEntry(now.Folder)
		if err != nil {
			return err
		}
		return m.l.Remember(fresh)
	})
}

// storedAlike reports whether, by their known checksums, two files of a segment may be equal.
func storedAlike(a, b *raw.Versions, name string) bool {
	return len(a.CRCs[name]) == 0 || len(b.CRCs[name]) == 0 ||
		slices.ContainsFunc(a.CRCs[name], func(crc string) bool { return slices.Contains(b.CRCs[name], crc) })
}

// followOrder ranks files by the order in which they must be moved into place.
func followOrder(name string) int {
	switch {
	case name == "session.json" || name == "payload.md":
		return 3
	case name == "raw/versions.jsonl":
		return 1
	case path.Dir(name) == "raw" || path.Dir(name) == "outputs":
		return 0
	}
	return 2
}

// putInOrder moves copies, sorted by name, into place: each rank durably before the next. An old payload.md is removed
// before session.json comes, with whose payload it would look as if a person had edited it.
func putInOrder(folder string, files []copied) error {
	at := func(name string) string { return filepath.Join(folder, filepath.FromSlash(name)) }
	for rank := range 4 {
		var moves [][2]string
		for _, f := range files {
			if followOrder(f.name) == rank {
				moves = append(moves, [2]string{f.temp, at(f.name)})
			}
		}
		if rank == 3 && len(moves) == 2 {
			if err := disk.RemoveIfThere(at("payload.md")); err != nil {
				return err
			}
			slices.Reverse(moves)
		}
		for _, m := range moves {
			if err := disk.MakeDirs(filepath.Dir(m[1])); err != nil {
				return err
			}
			if err := disk.Rename(m[0], m[1]); err != nil {
				return err
			}
		}
		if len(moves) > 0 {
			if err := errors.Join(disk.SyncDir(folder), disk.SyncDir(filepath.Join(folder, "raw"))); err != nil {
				return err
			}
		}
	}
	return nil
}

// dropUnneeded removes what the other folder no longer has: segments that were merged, outputs and parts of
// transcripts.
func (m *merging) dropUnneeded(folder string, src, dst *library.Folder) error {
	needed := map[string]bool{} // also those that the other has lost
	for _, s := range src.Versions.Stored() {
		needed["raw/"+s.String()] = true
	}
	for name := range dst.Size {
		if _, ok := src.Size[name]; !ok && !needed[name] {
			if err := disk.RemoveIfThere(filepath.Join(folder, filepath.FromSlash(name))); err != nil {
				return err
			}
		}
	}
	for name := range dst.Text {
		if _, ok := src.Text[name]; !ok && render.IsTranscript(name) {
			if err := disk.RemoveIfThere(filepath.Join(folder, name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// mergeBoth adds what the other has of a session.
func (m *merging) mergeBoth(ctx context.Context, src, dst *library.Folder) error {
	if err := m.l.MergeVersions(ctx, src, m.from); err != nil {
		return err
	}
	id := src.Entry.ID
	changed, err := m.l.MergeEdits(id, src, "import")
	if err != nil {
		return err
	}
	_, none := dst.Payload()
	p, err := src.Payload()
	switch {
	case !errors.Is(none, library.ErrNoPayload) || errors.Is(err, library.ErrNoPayload):
	case err != nil:
		return raw.AtSource(err)
	default:
		return m.l.SavePayload(id, library.Derived{Payload: p, Markdown: []byte(p.Written), Seen: dst.Text["payload.md"]})
	}
	if changed {
		return m.l.MarkBehind(id) // the next sync renders it with all edits
	}
	return nil
}
