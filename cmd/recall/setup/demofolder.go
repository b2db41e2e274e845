package setup

import (
	"fmt"
	"os"
	"path/filepath"

	"recall/internal/hint"
	"recall/pipeline/guard"
)

// demoFolder returns an empty folder for a demo, "" for one in the cache. One left by an earlier demo is emptied;
// one that holds anything else is refused.
func demoFolder(dir string) (string, error) {
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
	marked := filepath.Join(dir, guard.DemoMarker)
	entries, err := os.ReadDir(dir)
	if err == nil && len(entries) > 0 {
		if _, err := os.Stat(marked); err != nil {
			return "", hint.With(fmt.Errorf("%s isn't empty", dir), "name an empty folder with --dir")
		}
		for _, name := range []string{guard.DemoSources, guard.DemoByRules, guard.DemoByModel} {
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
