package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Replace makes data the content of a file outside of a library: written beside it, synced
// and renamed, so that it is there whole or not at all. Folders that aren't there are made.
func Replace(path string, data []byte, mode fs.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".recall-*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
