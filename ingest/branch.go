package ingest

import (
	"os"
	"path/filepath"
	"strings"
)

// BranchOf is the branch checked out in a directory of this machine, as the
// working tree's own HEAD says it; "" outside of a repository and on no branch.
func BranchOf(dir string) string {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return ""
	}
	for at := real; ; at = filepath.Dir(at) {
		if head, ok := headOf(filepath.Join(at, ".git")); ok {
			branch, _ := strings.CutPrefix(head, "ref: refs/heads/")
			if branch == head {
				return ""
			}
			return branch
		}
		if filepath.Dir(at) == at {
			return ""
		}
	}
}

// headOf reads HEAD of a .git folder, or of the folder that a .git file names.
func headOf(dot string) (string, bool) {
	fi, err := os.Stat(dot)
	if err != nil {
		return "", false
	}
	if !fi.IsDir() {
		dir, ok := strings.CutPrefix(strings.TrimSpace(readSmall(dot)), "gitdir: ")
		if !ok {
			return "", false
		}
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(filepath.Dir(dot), dir)
		}
		dot = dir
	}
	head := strings.TrimSpace(readSmall(filepath.Join(dot, "HEAD")))
	return head, head != ""
}
