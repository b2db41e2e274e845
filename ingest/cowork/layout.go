package cowork

import (
	"cmp"
	"slices"
	"strings"

	"recall/ingest"
)

var _ ingest.Layout = Reader{}

// ByFolder is false: the app lists the sessions of an account.
func (Reader) ByFolder() bool { return false }

// Base is the folder with the accounts' folders.
func (Reader) Base(f ingest.Found) string { return inRoot(f.ID).Base(f) }

// Places implements ingest.Layout. Nothing of a session hangs on dir.
func (Reader) Places(f ingest.Found, _ string) (map[string]string, error) {
	return inRoot(f.ID).Places(f)
}

// inRoot cuts a path at the root: account, organisation and, of the app's own agents, "agent" stand above the session.
func inRoot(id ingest.SessionID) ingest.Cut {
	return func(file ingest.File) (base, rel string) {
		parts := strings.Split(ingest.SlashPath(file.Path), "/")
		at := slices.IndexFunc(parts, func(p string) bool { return p == string(id) || p == string(id)+".json" })
		if file.Role == SpacesFile { // <account>/<organisation>/spaces.json
			at = len(parts) - 1
		}
		if at > 0 && parts[at-1] == "agent" {
			at--
		}
		if at -= 2; at < 1 {
			return "", ""
		}
		return cmp.Or(strings.Join(parts[:at], "/"), "/"), strings.Join(parts[at:], "/")
	}
}
