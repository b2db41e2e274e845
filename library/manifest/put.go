package manifest

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"recall/ingest"
)

// Put writes a script, or a file beside it, whole or not at all.
func Put(to *os.Root, name string, text []byte) error {
	part := name + ".part"
	to.Remove(part)
	f, err := to.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = to.Rename(part, name)
	}
	if err != nil {
		to.Remove(part)
	}
	return err
}

// PutFiles writes beside the script what it puts in place.
func PutFiles(to *os.Root, dir string, files []Placed, found ingest.Found) error {
	if len(files) == 0 {
		return nil
	}
	if err := to.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	for _, f := range files {
		text := f.Content
		if f.Archived != "" {
			var err error
			if text, err = archived(found, f.Archived); err != nil {
				return err
			}
		}
		if err := Put(to, filepath.Join(dir, f.Name), text); err != nil {
			return err
		}
	}
	return nil
}

func archived(found ingest.Found, name string) ([]byte, error) {
	for _, f := range found.Files {
		if f.Name != name {
			continue
		}
		r, err := f.Open()
		if err != nil {
			return nil, err
		}
		defer r.Close()
		return io.ReadAll(r)
	}
	return nil, fmt.Errorf("%s isn't in the library", name)
}
