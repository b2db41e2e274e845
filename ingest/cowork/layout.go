package cowork

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"recall/ingest"
)

var _ ingest.Layout = Reader{}

// ByFolder is false: the app lists the sessions of an account.
func (Reader) ByFolder() bool { return false }

// Base is the folder with the accounts' folders.
func (Reader) Base(f ingest.Found) string {
	for _, file := range f.Files {
		if base, _, ok := inRoot(f.ID, file); ok {
			return filepath.FromSlash(base)
		}
	}
	return ""
}

// Places implements ingest.Layout. Nothing of a session hangs on dir.
func (Reader) Places(f ingest.Found, _ string) (map[string]string, error) {
	places := map[string]string{}
	for _, file := range f.Files {
		_, at, ok := inRoot(f.ID, file)
		if !ok || !filepath.IsLocal(filepath.FromSlash(at)) {
			return nil, fmt.Errorf("session %s: %s was at %q: %w", f.ID, file.Name, file.Path, ingest.ErrNoPlace)
		}
		places[file.Name] = at
	}
	return places, nil
}

// inRoot cuts a file's path at the root: account, organisation and, of the
// app's own agents, "agent" stand above the session.
func inRoot(id ingest.SessionID, file ingest.File) (base, rel string, ok bool) {
	parts := strings.Split(ingest.SlashPath(file.Path), "/")
	at := slices.IndexFunc(parts, func(p string) bool { return p == string(id) || p == string(id)+".json" })
	if file.Role == SpacesFile { // <account>/<organisation>/spaces.json
		at = len(parts) - 1
	}
	if at > 0 && parts[at-1] == "agent" {
		at--
	}
	if at -= 2; at < 1 {
		return "", "", false
	}
	base = strings.Join(parts[:at], "/")
	if base == "" {
		base = "/"
	}
	return base, path.Join(parts[at:]...), true
}
