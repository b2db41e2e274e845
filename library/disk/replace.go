package disk

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Beside durably writes a file beside path, outside of a library, to be given its name. Missing folders are made;
// nothing is left after an error.
func Beside(path string, write func(io.Writer) error) (temp string, err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".recall-*")
	if err != nil {
		return "", err
	}
	err = write(f)
	if err == nil {
		err = SyncFile(f)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		os.Remove(f.Name())
	}
	return f.Name(), err
}

// Replace makes data the content of a file outside of a library, there whole or not at all.
func Replace(path string, data []byte, mode fs.FileMode) error {
	temp, err := Beside(path, func(w io.Writer) error { _, err := w.Write(data); return err })
	if err != nil {
		return err
	}
	defer os.Remove(temp)
	if err := os.Chmod(temp, mode); err != nil {
		return err
	}
	return os.Rename(temp, path)
}
