package eval

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"recall/ingest"
)

// Forget removes from a folder of runs what it holds of sessions: the model's answers and verdicts, which don't
// say what they were made from, and the runs and reports that name one of the sessions.
func Forget(dir string, ids []ingest.SessionID) error {
	err := errors.Join(os.RemoveAll(filepath.Join(dir, "answers")), os.RemoveAll(filepath.Join(dir, "verdicts")))
	return errors.Join(err, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(ids, func(id ingest.SessionID) bool { return bytes.Contains(text, []byte(id)) }) {
			return os.Remove(path)
		}
		return nil
	}))
}
