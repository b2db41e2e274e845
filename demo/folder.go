package demo

import (
	"fmt"
	"os"
	"path/filepath"

	"recall/hint"
)

// The contents of a demo's folder: the samples, and the libraries made from them.
const (
	Sources = "sources"
	ByRules = "Recall"
	ByModel = "Recall-model"
)

// marker is a file beside them.
const marker = ".recall-demo"

// Has reports whether a path is or lies in what Folder empties: its content is invented, and no data of a person's
// belongs there.
func Has(path string) bool {
	up, name := filepath.Dir(path), filepath.Base(path)
	if name == Sources || name == ByRules || name == ByModel {
		if _, err := os.Stat(filepath.Join(up, marker)); err == nil {
			return true
		}
	}
	return up != path && Has(up)
}

// Folder returns an empty folder for a demo, "" for one in the user's cache. One left by an earlier demo is emptied; a
// folder with anything else is refused.
func Folder(dir string) (string, error) {
	if dir == "" {
		base, err := os.UserCacheDir()
		if err != nil {
			return "", hint.With(err, "name an empty folder with --dir")
		}
		dir = filepath.Join(base, "recall", "demo")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	marked := filepath.Join(dir, marker)
	entries, err := os.ReadDir(dir)
	if err == nil && len(entries) > 0 {
		if _, err := os.Stat(marked); err != nil {
			return "", hint.With(fmt.Errorf("%s isn't empty", dir), "name an empty folder with --dir")
		}
		for _, name := range []string{Sources, ByRules, ByModel} {
			if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
				return "", err
			}
		}
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	return dir, os.WriteFile(marked, []byte("recall demo may empty this folder\n"), 0o600)
}
