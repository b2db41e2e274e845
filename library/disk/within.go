package disk

import (
	"fmt"
	"path/filepath"
)

// Within refuses a path that leaves, by a symbolic link, the folder it was found under: root, or its own folder where
// that lies elsewhere. Those themselves may be links: their owner put them there.
func Within(root, path string) error {
	if path == "" || path == root {
		return nil
	}
	base := root
	if rel, err := filepath.Rel(root, path); root == "" || err != nil || !filepath.IsLocal(rel) {
		base = filepath.Dir(path)
	}
	realBase, err := filepath.EvalSymlinks(base)
	if err != nil {
		return err
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	if rel, err := filepath.Rel(realBase, real); err != nil || !filepath.IsLocal(rel) {
		return fmt.Errorf("a link out of %s; not followed", base)
	}
	return nil
}

// RealPath resolves links in the part of a path that exists.
func RealPath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	if parent := filepath.Dir(path); parent != path {
		return filepath.Join(RealPath(parent), filepath.Base(path))
	}
	return path
}
