package ingest

import (
	"errors"
	"strings"
)

// ErrNoPlace: it can't be told where a client would look for a session's files.
var ErrNoPlace = errors.New("where the client looks for it isn't known")

// A Layout is a Reader that knows where its client looks for a session's
// files, so that they can be put back.
type Layout interface {
	// Base is the root (see Reader.Roots) that a session was kept under, as its
	// files' paths tell, "" if they don't.
	Base(f Found) string

	// Places gives each file of a session, by name, its path below such a
	// root, slash-separated and never leaving it. dir, if not "", is the folder
	// that the session worked in, where the client goes by that: else the
	// place is told from where the file was. The error is ErrNoPlace.
	Places(f Found, dir string) (map[string]string, error)

	// ByFolder reports whether the client finds sessions by the folder that they
	// worked in.
	ByFolder() bool
}

// LastName is the last name of a path of any system.
func LastName(path string) string {
	path = strings.TrimRight(path, `/\`)
	return path[strings.LastIndexAny(path, `/\`)+1:]
}

// SlashPath is a path of any system with slashes and without "." and "..".
func SlashPath(path string) string {
	if strings.Contains(path, `\`) && (strings.HasPrefix(path, `\\`) || len(path) > 1 && path[1] == ':') {
		path = strings.ReplaceAll(path, `\`, "/")
	}
	var parts []string
	for _, p := range strings.Split(path, "/") {
		switch {
		case p == ".." && len(parts) > 0:
			parts = parts[:len(parts)-1]
		case p != "." && p != ".." && (p != "" || len(parts) == 0):
			parts = append(parts, p)
		}
	}
	return strings.Join(parts, "/")
}
