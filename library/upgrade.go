package library

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"

	"github.com/pelletier/go-toml/v2"

	"recall/library/disk"
	"recall/library/render"
)

// Formats of the library:
//
//	1  as the package describes it, without checksums but those of segments
//	2  everything carries one; see disk/check.go
//
// A library is brought to the newest format by the first one who writes to it,
// a session's folder when it is next written. Nothing is rewritten for that:
// what has no checksum is summed as it is then.

// inherited is the beginning of an append-only file that an earlier format
// wrote.
type inherited struct {
	Size int64  `json:"size" toml:"size"`
	Sum  string `json:"sha256" toml:"sha256"`
}

// inherit sums a file as it is, of which only whole lines count. There is none
// of an empty one.
func inherit(path string) (inherited, bool, error) {
	text, err := disk.ReadPlain(path)
	if errors.Is(err, fs.ErrNotExist) {
		return inherited{}, false, nil
	}
	if err != nil {
		return inherited{}, false, err
	}
	text = text[:bytes.LastIndexByte(text, '\n')+1]
	return inherited{int64(len(text)), disk.HexSum(text)}, len(text) > 0, nil
}

// upgrade brings the files at the top to this format before the first write.
func (l *Library) upgrade() error {
	if err := l.ReadOnly(); err != nil {
		return err
	}
	l.formatMu.Lock()
	defer l.formatMu.Unlock()
	if l.format.Load() == Format {
		return nil
	}
	unlock, err := l.acquire("folders")
	if err != nil {
		return err
	}
	defer unlock()
	f, err := readLibraryFile(l.dir)
	if err == nil && f.Format < Format { // nobody was faster
		err = l.upgradeTop(f)
	}
	if err != nil {
		return fmt.Errorf("upgrade library: %w", err)
	}
	l.format.Store(int32(max(f.Format, Format)))
	return l.ReadOnly()
}

// upgradeTop seals what is at the top. library.toml comes last: it says that
// the rest is.
func (l *Library) upgradeTop(f libraryFile) error {
	f.Format, f.Inherited = Format, map[string]inherited{}
	// A new name, so that the events to come don't follow on those there are.
	inbox := filepath.Join(l.dir, "inbox")
	if disk.Exists(filepath.Join(inbox, eventsName)) {
		err := disk.Rename(filepath.Join(inbox, eventsName), filepath.Join(inbox, "events-format1.jsonl"))
		if err := errors.Join(err, disk.SyncDir(inbox)); err != nil {
			return err
		}
	}
	for _, pattern := range []string{"*.jsonl", filepath.Join("inbox", "*.jsonl")} {
		paths, err := disk.Glob(l.dir, pattern)
		if err != nil {
			return err
		}
		for _, path := range paths {
			in, some, err := inherit(path)
			if err != nil {
				return err
			}
			if name, err := filepath.Rel(l.dir, path); some && err == nil {
				f.Inherited[filepath.ToSlash(name)] = in
			}
		}
	}
	if err := l.sealLinks(); err != nil {
		return err
	}
	page := filepath.Join(l.dir, "README.md")
	if text, err := disk.ReadPlain(page); err == nil && ownReadme(text) {
		if err := l.put(page, readme); err != nil { // it tells how this format is read
			return err
		}
	}
	projects := filepath.Join(l.dir, "projects.toml")
	text, err := disk.ReadPlain(projects)
	if err == nil && disk.SealOfTOML(text) == disk.SealNone {
		err = l.put(projects, disk.SealTOML(text))
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return errors.Join(l.putLibraryFile(f), disk.SyncDir(l.dir))
}

// sealLinks rewrites the links, whose files move with their projects.
func (l *Library) sealLinks() error {
	files, err := l.linkFiles()
	if err != nil {
		return err
	}
	for _, path := range files {
		text, err := disk.ReadPlain(path)
		if err != nil {
			return err
		}
		if err := errors.Join(l.put(path, disk.SealLines(text)), disk.SyncDir(filepath.Dir(path))); err != nil {
			return err
		}
	}
	return nil
}

// putLibraryFile writes library.toml. The caller syncs the folder.
func (l *Library) putLibraryFile(f libraryFile) error {
	if text, err := disk.ReadPlain(filepath.Join(l.dir, "README.md")); err == nil && ownReadme(text) {
		f.Readme = disk.HexSum(text)
	}
	text, err := toml.Marshal(f)
	if err != nil {
		return err
	}
	return l.put(filepath.Join(l.dir, "library.toml"), disk.SealTOML(text))
}

// ownReadme reports whether a README.md is one that recall writes, or wrote.
func ownReadme(text []byte) bool {
	return bytes.HasPrefix(text, []byte("# A recall library\n"))
}

// inherit notes what an earlier format left in a session's folder, before
// session.json is written in this one.
func (e *Entry) inherit() error {
	if e.Format >= Format {
		return nil
	}
	old := map[string]inherited{}
	for _, name := range []string{"raw/versions.jsonl", "edits.jsonl", "notes.jsonl"} {
		in, some, err := inherit(filepath.Join(e.Folder, filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		if some {
			old[name] = in
		}
	}
	sums := map[string]string{}
	names := []string{"payload.json"}
	for i := 0; i == 0 || disk.Exists(filepath.Join(e.Folder, render.TranscriptName(i))); i++ {
		names = append(names, render.TranscriptName(i))
	}
	for _, name := range names {
		sum, err := fileSum(filepath.Join(e.Folder, name))
		if err == nil {
			sums[name] = sum
		} else if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	maps.Copy(sums, e.Sums)
	e.Format, e.Inherited, e.Sums = Format, old, sums
	return nil
}

// fileSum is the SHA-256 of a file.
func fileSum(path string) (string, error) {
	f, err := disk.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
