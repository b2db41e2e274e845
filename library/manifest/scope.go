package manifest

import (
	"path"
	"strings"

	"recall/ingest"
	"recall/text"
)

// A transcript says what it likes: that the session wrote /etc/passwd, or worked in /root. So no path in it decides
// where a script may delete or write: only the session's own folders, by its source's record and its place on disk, and
// those that the person names.

// Folders are a session's own: its home in its virtual machine, and its storage on the host, each only if named after
// the session. One of Claude Code has none.
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

// AsFolder is a folder that a person allows, as scripts take it; false if not absolute, or the root of everything.
func AsFolder(dir string) (string, bool) {
	dir = path.Clean(dir)
	return dir, usable(dir)
}

// within reports whether a path is usable and lies below one of the folders, or is one.
func within(p string, folders []string) bool {
	if !usable(p) {
		return false
	}
	for _, f := range folders {
		if p == f || strings.HasPrefix(p, f+"/") {
			return true
		}
	}
	return false
}

// home is the session's home in its virtual machine, "" where that isn't among the folders.
func home(folders []string) string {
	for _, f := range folders {
		if path.Dir(f) == "/sessions" {
			return f
		}
	}
	return ""
}
