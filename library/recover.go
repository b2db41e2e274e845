package library

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"recall/internal/text"
	"recall/library/disk"
)

var idLine = text.Pattern(`(?m)^id\s*=\s*['"]([a-z2-7]{16})['"]`)

// Recover opens a library whose library.toml is missing or unusable, after recreating it. Its id is from a backup, else
// as the damaged file still has it, else new, which costs a reindex; how says which. A damaged file becomes
// library.toml.damaged. The error is ErrNoLibrary if the folder has no session either.
func Recover(dir string, backup *Library) (l *Library, how string, err error) {
	if l, err = Open(dir); err == nil {
		return l, "", nil
	}
	sessions, globErr := disk.Glob(dir, "*", "*", "raw", "*.zst")
	if globErr != nil || len(sessions) == 0 {
		return nil, "", fmt.Errorf("%s: there is no session in it: %w", dir, ErrNoLibrary)
	}
	path := filepath.Join(dir, "library.toml")
	text, readErr := disk.ReadPlain(path)
	if readErr != nil && !errors.Is(readErr, fs.ErrNotExist) {
		return nil, "", fmt.Errorf("open library: %w", readErr)
	}
	id, how := recoverID(backup, text)
	l, err = newLibrary(dir, id)
	if err != nil {
		return nil, "", err
	}
	defer l.Close()
	if readErr == nil {
		if err := errors.Join(disk.Rename(path, disk.FreeName(l.dir, "library.toml.damaged")),
			disk.SyncDir(l.dir)); err != nil {
			return nil, "", err
		}
	}
	if err := l.putLibraryFile(File{ID: id, Format: Format}); err != nil {
		return nil, "", err
	}
	l, err = Open(dir)
	return l, how, err
}

func recoverID(backup *Library, text []byte) (id, how string) {
	if backup != nil {
		return backup.id, "its id from the backup"
	}
	if m := idLine().FindSubmatch(text); m != nil {
		return string(m[1]), "its id as still readable in the damaged file"
	}
	return newID(), "with a new id, as the old one is unknown"
}
