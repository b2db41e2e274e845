package library

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"recall/ingest"
	"recall/library/raw"
)

// Found is an archived session as discovery would have found it: each file's current version, opened from the library.
// What is read is checked: a damaged segment's error (ErrDamaged) comes at its end, before that of the file. Path is
// where the file was last found, there or not.
func (l *Library) Found(id ingest.SessionID) (ingest.Found, error) {
	e, v, err := l.versionsOf(id)
	if err != nil {
		return ingest.Found{}, err
	}
	f := ingest.Found{ID: e.ID, Source: e.Source, Root: e.Root}
	files := slices.Clone(e.Files)
	last := map[ingest.FileRole]int{ingest.PromptLog: 1} // a transcript may have turned up since
	slices.SortStableFunc(files, func(a, b FileState) int { return cmp.Or(last[a.Role]-last[b.Role], a.Place-b.Place) })
	for _, state := range files {
		ver := v.At(state.Name, state.Version)
		if ver == nil {
			return f, fmt.Errorf("session %s: %s: %w: version %d is not in versions.jsonl", id, state.Name, ErrDamaged,
				state.Version)
		}
		file := ingest.File{Name: state.Name, Role: state.Role, Size: ver.Size, Open: func() (io.ReadCloser, error) {
			return l.openVersion(e, state.Name, state.Version, ver.Segs), nil
		}}
		for _, s := range state.Sources {
			if s.Version == state.Version {
				file.Path, file.Mod = s.Path, s.Mod
			}
		}
		f.Files = append(f.Files, file)
	}
	return f, nil
}

// openVersion streams a version's content.
func (l *Library) openVersion(e Entry, name string, n int, segs []raw.Segment) *raw.Reader {
	r := raw.Read(e.Folder, segs...)
	r.Anew = func() *raw.Reader {
		if now, v, err := l.versionsOf(e.ID); err == nil {
			if ver := v.At(name, n); ver != nil {
				return raw.Read(now.Folder, ver.Segs...)
			}
		}
		return raw.Read(e.Folder)
	}
	return r
}
