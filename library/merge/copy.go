package merge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"recall/library"
	"recall/library/disk"
	"recall/library/raw"
)

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
