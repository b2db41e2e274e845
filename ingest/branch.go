package ingest

import (
	"os"
	"path/filepath"
	"strings"
)

// BranchOf is the branch checked out in a directory of this machine, as the
// working tree's own HEAD says it; "" outside of a repository and on no branch.
func BranchOf(dir string) string {
	head, _ := upward(dir, headOf)
	branch, ok := strings.CutPrefix(head, "ref: refs/heads/")
	if !ok {
		return ""
	}
	return branch
}

// headOf reads HEAD of a directory's .git folder, or of the folder that its .git file names.
func headOf(dir string) (string, bool) {
	dot := filepath.Join(dir, ".git")
	fi, err := os.Stat(dot)
	if err != nil {
		return "", false
	}
	if !fi.IsDir() {
		var ok bool
		if dot, ok = namedIn(dot); !ok {
			return "", false
		}
	}
	head := strings.TrimSpace(readSmall(filepath.Join(dot, "HEAD")))
	return head, head != ""
}
