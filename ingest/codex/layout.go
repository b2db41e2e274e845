package codex

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"recall/ingest"
)

var _ ingest.Layout = Reader{}

// ByFolder is true: "codex resume" lists the threads of the folder that it is called in, and goes on there.
func (Reader) ByFolder() bool { return true }

// Base is the folder above sessions/ or archived_sessions/.
func (Reader) Base(f ingest.Found) string {
	for _, file := range f.Files {
		if base, _, ok := inHome(file); ok {
			return filepath.FromSlash(base)
		}
	}
	return ""
}

// Places implements ingest.Layout: each file goes where it was. Nothing hangs on dir.
func (Reader) Places(f ingest.Found, _ string) (map[string]string, error) {
	places := map[string]string{}
	for _, file := range f.Files {
		_, at, ok := inHome(file)
		if !ok || !filepath.IsLocal(filepath.FromSlash(at)) {
			return nil, fmt.Errorf("session %s: %s was at %q: %w", f.ID, file.Name, file.Path, ingest.ErrNoPlace)
		}
		places[file.Name] = at
	}
	return places, nil
}

// inHome cuts a file's path at Codex's own folder.
func inHome(file ingest.File) (base, rel string, ok bool) {
	parts := strings.Split(ingest.SlashPath(file.Path), "/")
	at := len(parts) - 1
	for at >= 0 && parts[at] != "sessions" && parts[at] != "archived_sessions" {
		at--
	}
	if at < 1 {
		return "", "", false
	}
	return strings.Join(parts[:at], "/"), path.Join(slices.Clone(parts[at:])...), true
}
