package opencode

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"recall/ingest"
)

// Find lists the sessions of a database, or of those in a folder, with their sub-agents. A look into one that nothing
// was done to since the last is spared.
func (Reader) Find(ctx context.Context, at string, seen ingest.Seen) ([]ingest.Found, []ingest.Problem) {
	f := &finder{Search: ingest.Search{Context: ctx, Seen: seen}}
	f.LookFor(at, f.walk, f.file)
	return f.found, f.Problems
}

type finder struct {
	ingest.Search
	found []ingest.Found
}

// walk looks for databases in a folder: of the client's own, in it alone.
func (f *finder) walk(dir string) {
	all, _ := filepath.Glob(filepath.Join(dir, "*"+ending))
	all = slices.DeleteFunc(all, func(path string) bool { return !isDatabase(path) })
	for _, path := range all {
		f.file(path, nil)
	}
	if len(all) > 0 {
		return
	}
	if old := filepath.Join(dir, "storage"); ingest.IsFolder(filepath.Join(old, "message")) &&
		ingest.IsFolder(filepath.Join(old, "part")) {
		f.Problem(old, errors.New("sessions as OpenCode kept them before version 1.2: start a newer one once, which "+
			"takes them into its database"))
	}
	f.Walk(dir, isDatabase, f.file)
}

// isDatabase reports whether a path is named as a database is: each release channel has one.
func isDatabase(path string) bool {
	base := filepath.Base(path)
	is, _ := filepath.Match("opencode*"+ending, base)
	return is || filepath.Ext(base) == ending && base == filepath.Base(os.Getenv("OPENCODE_DB"))
}

// file takes in a file that may be a database.
func (f *finder) file(at string, _ fs.FileInfo) {
	if filepath.Ext(at) != ending {
		return
	}
	s := shelfOf(at, 0)
	if s.err != nil {
		if isDatabase(at) {
			f.Problem(at, s.err)
		}
		return
	}
	for _, found := range s.found {
		found.Root = filepath.Dir(at)
		f.found = append(f.found, found)
	}
	for _, id := range slices.Sorted(maps.Keys(s.Sessions)) {
		if k := s.Sessions[id]; !k.There {
			f.Problem(at, fmt.Errorf("%d bytes in rows of session %q, which isn't there",
				k.Spoken.Size+k.Beside.Size, id))
		}
	}
}

// inFolder cuts a path before the database's name.
var inFolder ingest.Cut = func(file ingest.File) (base, rel string) {
	parts := strings.Split(ingest.SlashPath(file.Path), "/")
	at := len(parts) - 2
	if at < 1 || path.Ext(parts[at]) != ending {
		return "", ""
	}
	return strings.Join(parts[:at], "/"), strings.Join(parts[at:], "/")
}

// Base is the folder of the database.
func (Reader) Base(f ingest.Found) string { return inFolder.Base(f) }

// Places implements ingest.Layout: in the database, where nothing is put that isn't there. Nothing hangs on dir.
func (Reader) Places(f ingest.Found, _ string) (map[string]string, error) { return inFolder.Places(f) }
