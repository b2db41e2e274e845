package library

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"

	"github.com/pelletier/go-toml/v2"

	"recall/library/disk"
	"recall/library/render"
)

// Formats of the library:
//
//	1  as the package comment describes, with checksums only for segments
//	2  everything carries a checksum; see disk/check.go
//	3  a conversation that is one file in one segment has no raw/versions.jsonl
//
// The first process that writes to a library upgrades it to the current format; a session's folder is upgraded when it
// is next written. Segments stay as they are, lines get checksums, and rendered files are summed as they are then.

// seal adds a checksum to each line of an append-only file.
func (l *Library) seal(path string) error {
	text, err := disk.ReadIfThere(path)
	if err != nil || text == nil {
		return err
	}
	return errors.Join(l.replaceShared(path, text, disk.SealLines(text), nil),
		disk.SyncDir(filepath.Dir(path)))
}

// lookAtFormat notices that a newer recall has upgraded the library while this process had it open.
func (l *Library) lookAtFormat() {
	fi, err := os.Stat(filepath.Join(l.dir, "library.toml"))
	if err != nil {
		return
	}
	l.formatMu.Lock()
	defer l.formatMu.Unlock()
	if stampOf(fi) == l.fileStamp {
		return
	}
	if f, err := readLibraryFile(l.dir); err == nil {
		l.fileStamp = stampOf(fi)
		l.format.Store(max(l.format.Load(), int32(f.Format)))
	}
}

// upgrade brings the files at the top to the current format before the first write.
func (l *Library) upgrade() error {
	l.lookAtFormat()
	if err := l.ReadOnly(); err != nil {
		return err
	}
	l.formatMu.Lock()
	defer l.formatMu.Unlock()
	if l.format.Load() == Format {
		return nil
	}
	unlock, err := l.acquire("folders", l.lockWait)
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

// upgradeTop seals the files at the top. library.toml comes last: it says that the others are done.
func (l *Library) upgradeTop(f File) error {
	f.Format = Format
	for _, path := range l.Inside().TopLogs() {
		if err := l.seal(path); err != nil {
			return err
		}
	}
	if l.ownReadme() != nil {
		if err := l.put(filepath.Join(l.dir, "README.md"), readme); err != nil { // it explains how to read this format
			return err
		}
	}
	projects := filepath.Join(l.dir, "projects.toml")
	text, err := disk.ReadIfThere(projects)
	if text != nil && disk.SealOfTOML(text) == disk.SealNone {
		err = cmp.Or(err, l.put(projects, disk.SealTOML(text)))
	}
	if err != nil {
		return err
	}
	return l.putLibraryFile(f)
}

// putLibraryFile writes library.toml.
func (l *Library) putLibraryFile(f File) error {
	if text := l.ownReadme(); text != nil {
		f.Readme = disk.HexSum(text)
	}
	text, err := toml.Marshal(f)
	if err != nil {
		return err
	}
	return l.put(filepath.Join(l.dir, "library.toml"), disk.SealTOML(text))
}

// ownReadme returns README.md if recall wrote it, else nil.
func (l *Library) ownReadme() []byte {
	text, err := disk.ReadPlain(filepath.Join(l.dir, "README.md"))
	if err != nil || !bytes.HasPrefix(text, []byte("# A recall library\n")) {
		return nil
	}
	return text
}

// upgradeFolder upgrades a session's folder, before session.json is written in the current format.
func (l *Library) upgradeFolder(e *Entry) error {
	if e.Format >= 2 {
		e.Format = Format
		return nil
	}
	for _, name := range []string{"raw/versions.jsonl", "edits.jsonl", "notes.jsonl"} {
		if err := l.seal(filepath.Join(e.Folder, filepath.FromSlash(name))); err != nil {
			return err
		}
	}
	sums := map[string]string{}
	files, _ := disk.Glob(e.Folder, "*") // the pattern is valid
	for _, path := range files {
		if name := filepath.Base(path); name == "payload.json" || render.IsTranscript(name) {
			sum, err := disk.SumFile(path)
			if err != nil {
				return err
			}
			sums[name] = sum.SHA256
		}
	}
	maps.Copy(sums, e.Sums)
	e.Format, e.Sums = Format, sums
	return nil
}
