package merge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"recall/library"
	"recall/library/disk"
	"recall/library/raw"
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

// dropUnneeded removes what the other folder no longer has: segments that were merged, and outputs.
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

// A copied file waits under .tmp to be moved into place.
type copied struct {
	name, temp string
	sum        disk.Sums // of what was read
	bad        bool      // a segment that was already damaged there
}

// stageCopies durably copies files of another library's session to .tmp, reads them back and compares them. Names are
// those in the session's folder.
func (m *merging) stageCopies(ctx context.Context, src *library.Folder, names []string) ([]copied, error) {
	var all []copied
	fail := func(err error) ([]copied, error) {
		dropCopies(all)
		return nil, err
	}
	var temps []string
	for _, name := range names {
		c, err := m.copyOne(ctx, src, name)
		if err != nil {
			return fail(err)
		}
		all, temps = append(all, c), append(temps, c.temp)
	}
	if err := disk.SyncFiles(temps); err != nil {
		return fail(err)
	}
	for _, c := range all {
		if err := disk.CheckFile(c.temp, c.sum); err != nil {
			return fail(fmt.Errorf("copy of %s: %w", c.name, err))
		}
		m.count(func(d *Merged) { d.Files++; d.Bytes += c.sum.Size })
	}
	return all, nil
}

func (m *merging) copyOne(ctx context.Context, src *library.Folder, name string) (copied, error) {
	c := copied{name: name}
	if text, ok := src.Text[name]; ok {
		var err error
		c.temp, c.sum, err = m.l.TempOf(bytes.NewReader(text))
		return c, err
	}
	f, err := disk.Open(filepath.Join(src.Entry.Folder, filepath.FromSlash(name)))
	if errors.Is(err, fs.ErrNotExist) {
		return c, library.ErrMoved
	}
	if err != nil {
		return c, raw.AtSource(err)
	}
	defer f.Close()
	if c.temp, c.sum, err = m.l.TempOf(raw.FromSource(disk.Until(ctx, f))); err != nil {
		return c, err
	}
	c.bad = m.damaged(ctx, src, c)
	return c, nil
}

func dropCopies(all []copied) {
	for _, c := range all {
		disk.Unlink(c.temp)
	}
}

var errDamagedThere = errors.New("damaged there already; recall check says more")

// damaged reports whether a segment was damaged before it was copied, and records the problem. A session that isn't
// here yet gets the segment anyway, as something may still be recovered from it.
func (m *merging) damaged(ctx context.Context, src *library.Folder, c copied) bool {
	seg, err := raw.ParseSegment(strings.TrimPrefix(c.name, "raw/"))
	if err != nil {
		return false // no segment
	}
	want := src.Versions.CRCs[seg.String()]
	whole := func() bool { return (raw.Staged{Segment: seg, Temp: c.temp}).ReadsBack(ctx) == nil }
	if slices.Contains(want, c.sum.CRC) || len(want) == 0 && whole() {
		return false
	}
	m.problem(filepath.Join(src.Entry.Folder, filepath.FromSlash(c.name)), errDamagedThere)
	return true
}

// dropDamaged omits copies that would replace intact files here by damaged ones. The error is for a session that
// would then lack a segment: it stays as it is here.
func (m *merging) dropDamaged(src, dst *library.Folder, files []copied) ([]copied, error) {
	here := map[string]bool{}
	for name := range dst.Size {
		here[name] = true
	}
	keep := slices.DeleteFunc(slices.Clone(files), func(c copied) bool { return c.bad && here[c.name] })
	for _, c := range files {
		switch {
		case !c.bad:
			here[c.name] = true
		case here[c.name]:
			disk.Unlink(c.temp)
		}
	}
	for _, s := range src.Versions.Stored() {
		name := "raw/" + s.String()
		if !here[name] {
			return keep, raw.AtSource(errors.New("damaged there; it stays unchanged here"))
		}
	}
	return keep, nil
}
