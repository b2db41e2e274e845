package manifest

import (
	_ "embed"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"

	"recall/ingest"
	"recall/internal/escape"
	"recall/internal/text"
)

//go:embed common.sh
var commonShell string // what both scripts have

// shell puts into a script's text what both have, and what is written for the session.
func shell(text, calls string) string {
	text = strings.Replace(text, "\n# COMMON\n", commonShell, 1)
	return strings.Replace(text, "\n# HERE\n", calls, 1)
}

// quote quotes s as one word for a POSIX shell.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// comment makes a text safe for a script's comment: on one line.
func comment(s string) string { return escape.Line(s, escape.Terminal) }

// usable reports whether a path may be used in a script: absolute, clean, and without a redacted secret.
func usable(p string) bool {
	return strings.HasPrefix(p, "/") && path.Clean(p) == p && p != "/" && !strings.ContainsRune(p, 0) &&
		!strings.Contains(p, "‹")
}

// short is the part of a session's id used in file names.
func (m Manifest) short() string {
	id := text.BareID(m.Session)
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

// FilesName is the folder beside the scripts with the files that rebuild puts in place.
func (m Manifest) FilesName() string { return "recall-files-" + m.short() }

// RebuildName is the file name of the script that brings everything back.
func (m Manifest) RebuildName() string { return "recall-rebuild-" + m.short() + ".sh" }

// about writes a line at the head of a script.
func (m Manifest) about(b *strings.Builder, what, rest string) {
	fmt.Fprintf(b, "# %s the session %q (%s) of %s%s.\n", what, comment(m.Task), m.Session,
		m.Start.UTC().Format("2006-01-02"), rest)
}

// ErrNothing means that there is nothing to clean up.
type ErrNothing struct{ Why string }

func (e ErrNothing) Error() string { return e.Why }

// A transcript can claim anything: that the session wrote /etc/passwd, or worked in /root. So no path in it decides
// where a script may delete or write: only the session's own folders, known from its source's record and its location
// on disk, and those that the person names.

// Folders returns a session's own folders: its home in its virtual machine, and its storage on the host, each only if
// named after the session. A session of Claude Code has none.
func Folders(s *ingest.Session) []string {
	if s.Source != ingest.Cowork {
		return nil
	}
	var own []string
	if name := s.Where.Process; processName().MatchString(name) {
		own = append(own, "/sessions/"+name)
	}
	storage := strings.TrimRight(strings.ReplaceAll(s.Where.Storage, `\`, "/"), "/")
	if usable(storage) && path.Base(storage) == string(s.ID) {
		own = append(own, storage)
	}
	return own
}

var processName = text.Pattern(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// AsFolder cleans a folder that a person allows; false if it isn't absolute, or is the root.
func AsFolder(dir string) (string, bool) {
	dir = path.Clean(dir)
	return dir, usable(dir)
}

// within reports whether a path is usable and is one of the folders or below one.
func within(p string, folders []string) bool {
	return usable(p) && slices.ContainsFunc(folders, func(f string) bool { return p == f || strings.HasPrefix(p, f+"/") })
}

// home returns the session's home in its virtual machine, "" if that isn't among the folders.
func home(folders []string) string {
	for _, f := range folders {
		if path.Dir(f) == "/sessions" {
			return f
		}
	}
	return ""
}
