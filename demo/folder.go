package demo

import (
	"fmt"
	"os"
	"path/filepath"

	"recall/hint"
)

// marker is a file in the folder of a demo, beside its libraries.
const marker = ".recall-demo"

// Has reports whether the folder of a library is one that Folder made.
func Has(library string) bool {
	_, err := os.Stat(filepath.Join(filepath.Dir(library), marker))
	return err == nil && filepath.Base(library) == "Recall"
}

// Folder is an empty folder for a demo with its libraries, "" for one in the user's cache. One that an earlier demo
// left is emptied; a folder of anything else is refused.
func Folder(dir string, libraries ...string) (string, error) {
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
		for _, name := range append(libraries, "sources") {
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
