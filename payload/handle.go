package payload

import (
	"fmt"
	"strings"
	"unicode"
)

// Handle names a session as a person types it: git-sync#5 is the fifth of project git-sync.
func Handle(project string, number int) string {
	return fmt.Sprintf("%s#%d", ProjectHandle(project), number)
}

// ProjectHandle is a project's name without what a shell would want quoted: "git-sync (devenv)" is git-sync-devenv.
func ProjectHandle(name string) string {
	return strings.Join(strings.FieldsFunc(name, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || strings.ContainsRune("-()[]{}<>|&;$`'\"\\*?!#~=", r)
	}), "-")
}
