package app

import (
	"os"
	"os/exec"
	"path/filepath"
)

// Self is this program by the name that it keeps longest: that on the PATH, or the one it was called by, where that is
// a link to it. A package manager's link outlives the version it points to.
func Self() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	for _, name := range []string{"recall", os.Args[0]} {
		found, err := exec.LookPath(name)
		if err == nil {
			found, err = filepath.Abs(found)
		}
		if err == nil && sameFile(found, self) {
			return found, nil
		}
	}
	return self, nil
}

func sameFile(a, b string) bool {
	x, err1 := os.Stat(a)
	y, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(x, y)
}
