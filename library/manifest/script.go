package manifest

import (
	"fmt"
	"path"
	"strings"
	"unicode"

	"recall/sink"
)

// here is where in a script's text what is written for the session belongs.
const here = "\n# HERE\n"

// quote is a word for a POSIX shell that means exactly s.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// comment is a text as it may stand in a script's comment: on one line.
func comment(s string) string { return sink.Line(s, sink.Terminal) }

// usable reports whether a path may stand in a script: whole, absolute, leading nowhere else, no secret taken out.
func usable(p string) bool {
	return strings.HasPrefix(p, "/") && path.Clean(p) == p && p != "/" && !strings.ContainsRune(p, 0) &&
		!strings.Contains(p, "‹")
}

// short is the part of a session's id that names files.
func (m Manifest) short() string {
	id := strings.TrimPrefix(string(m.Session), "local_")
	id = strings.Map(func(r rune) rune {
		if r < 128 && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return r
		}
		return -1
	}, id)
	return id[:min(len(id), 8)]
}

// KeptName is the folder beside the scripts that cleanup copies to.
func (m Manifest) KeptName() string { return "recall-kept-" + m.short() }

// FilesName is the folder beside the scripts with what rebuild puts in place.
func (m Manifest) FilesName() string { return "recall-files-" + m.short() }

// RebuildName is the file of the script that brings everything back.
func (m Manifest) RebuildName() string { return "recall-rebuild-" + m.short() + ".sh" }

// about is a line at the head of a script.
func (m Manifest) about(b *strings.Builder, what, rest string) {
	fmt.Fprintf(b, "# %s the session %q (%s) of %s%s.\n", what, comment(m.Task), m.Session,
		m.Start.UTC().Format("2006-01-02"), rest)
}

// ErrNothing: the session ran on the host and has no machine to clear up.
type ErrNothing struct{ Why string }

func (e ErrNothing) Error() string { return e.Why }
