package opencode

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"

	"recall/ingest"
)

// Find lists the sessions of a database, or of those in a folder, with their sub-agents. A database that hasn't changed
// since the last time isn't opened.
func (Reader) Find(ctx context.Context, at string, seen ingest.Seen) ([]ingest.Found, []ingest.Problem) {
	f := &finder{Search: ingest.Search{Context: ctx, Seen: seen}, has: map[string]bool{}}
	f.LookFor(at, f.walk, f.file)
	return f.found, f.Problems
}

type finder struct {
	ingest.Search
	found []ingest.Found
	has   map[string]bool // sessions in databases; nil if one can't be read
}

// walk searches for databases in a folder; in the client's own, not below it.
func (f *finder) walk(dir string) {
	all, _ := filepath.Glob(filepath.Join(dir, "*"+dbExt))
	all = slices.DeleteFunc(all, func(path string) bool { return !isDatabase(path) })
	for _, path := range all {
		f.file(path, nil)
	}
	f.former(filepath.Join(dir, "storage"), len(all) > 0)
	if len(all) > 0 {
		return
	}
	f.Walk(dir, isDatabase, f.file)
}

// former reports sessions in the files of versions before 1.2 that no database beside them has: the client moves them
// into one, but leaves the files.
func (f *finder) former(storage string, moved bool) {
	if f.has == nil || !ingest.IsFolder(filepath.Join(storage, "part")) {
		return
	}
	all, _ := filepath.Glob(filepath.Join(storage, "message", "*"))
	left := slices.DeleteFunc(all, func(path string) bool {
		return !ingest.IsFolder(path) || f.has[filepath.Base(path)]
	})
	if len(left) == 0 {
		return
	}
	how := "start a newer one once to import them into its database"
	if moved {
		how = "OpenCode moves them into a database only where there is none yet"
	}
	f.Problem(storage, fmt.Errorf("sessions in the format of OpenCode before version 1.2 that no database has (%d): %s",
		len(left), how))
}

// isDatabase reports whether a path has a database's name; each release channel has one.
func isDatabase(path string) bool {
	base := filepath.Base(path)
	is, _ := filepath.Match("opencode*"+dbExt, base)
	return is || filepath.Ext(base) == dbExt && base == filepath.Base(os.Getenv("OPENCODE_DB"))
}

// file adds a file that could be a database.
func (f *finder) file(at string, _ fs.FileInfo) {
	if filepath.Ext(at) != dbExt {
		return
	}
	s := contentsOf(at, 0)
	if s.err != nil {
		if isDatabase(at) {
			f.Problem(at, s.err)
			f.has = nil
		}
		return
	}
	for _, found := range s.found {
		found.Root = filepath.Dir(at)
		f.found = append(f.found, found)
	}
	for _, id := range slices.Sorted(maps.Keys(s.Sessions)) {
		k := s.Sessions[id]
		if f.has != nil {
			f.has[id] = k.There
		}
		if !k.There {
			f.Problem(at, fmt.Errorf("%d bytes in rows of session %q, which is missing",
				k.Spoken.Size+k.Beside.Size, id))
		}
	}
}

// Cut implements ingest.Layout: a file is in the database, into which nothing missing is ever put.
func (Reader) Cut(ingest.Found, string) (ingest.Cut, error) {
	return ingest.CutAt(func(_ ingest.File, parts []string) int {
		at := len(parts) - 2
		if at < 1 || path.Ext(parts[at]) != dbExt {
			return 0
		}
		return at
	}), nil
}
