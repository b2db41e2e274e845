package merge

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"recall/library"
	"recall/library/disk"
	"recall/library/raw"
)

const damagedThere = "damaged there already; recall check says more"

// damaged reports whether a segment was damaged before it was copied, and tells of it. A session that isn't here gets
// it all the same: something may still be got out of it.
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
	m.problem(filepath.Join(src.Entry.Folder, filepath.FromSlash(c.name)), damagedThere)
	return true
}

// spare leaves out copies that would put damaged bytes in the place of what is here. The error is for a session that
// would lack a segment then: it stays as it is here.
func (m *merging) spare(src, dst *library.Folder, files []copied) ([]copied, error) {
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
		if _, there := src.Size[name]; !there {
			m.problem(filepath.Join(src.Entry.Folder, filepath.FromSlash(name)),
				"it is gone there; recall check says more")
		}
		if !here[name] {
			return keep, raw.AtSource(errors.New("damaged there; it stays as it was here"))
		}
	}
	return keep, nil
}
