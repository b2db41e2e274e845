package app

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"recall/internal/hint"
	"recall/library/disk"
	"recall/pipeline/review"
)

// WriteNew writes a file for this user only, whole or not at all. It replaces an existing one only with force.
func WriteNew(path, text string, force bool) error {
	have, err := disk.ReadRegular(path, 1<<40)
	switch {
	case err == nil && string(have) == text:
		return nil
	case err == nil && !force:
		return hint.With(fmt.Errorf("%s already exists", path), "--force replaces it, or name another file")
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if force {
		if real, err := filepath.EvalSymlinks(path); err == nil { // keep a symbolic link
			path = real
		}
		return WriteWhole(path, []byte(text))
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) // one might have been created meanwhile
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		os.Remove(path)
	}
	return err
}

// FreeName returns the first of NAME.md, NAME-2.md, … that doesn't exist or already holds the text.
func FreeName(name, ext, text string) string {
	path := name + ext
	for n := 2; ; n++ {
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			return path
		}
		if old, err := disk.ReadRegular(path, review.MostHandoff); err == nil && string(old) == text {
			return path
		}
		path = fmt.Sprintf("%s-%d%s", name, n, ext)
	}
}
