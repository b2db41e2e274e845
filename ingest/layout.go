package ingest

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
)

// ErrNoPlace means that it isn't known where a client would look for a session's files.
var ErrNoPlace = errors.New("it isn't known where the client looks for it")

// ErrInDatabase is an ErrNoPlace: what is missing was kept in a client's database.
var ErrInDatabase error = noPlace("it isn't in its client's database, and recall writes nothing there")

type noPlace string

func (e noPlace) Error() string { return string(e) }
func (noPlace) Unwrap() error   { return ErrNoPlace }

// A Layout is a Reader that knows where its client looks for a session's files, so that they can be restored.
type Layout interface {
	// Cut says where the client keeps a session's files. Where it derives paths from dir, the folder the session worked
	// in, so does Cut; otherwise, or if dir is "", it goes by where each file was. The error is ErrNoPlace.
	Cut(f Found, dir string) (Cut, error)
}

// A Cut splits a file's path into the root (see Reader.Roots) that its session was kept under and the rest,
// slash-separated; "" if it can't tell.
type Cut func(file File) (base, rel string)

// CutAt returns a Cut before one element of a path: at gives its place, less than 1 if there is none.
func CutAt(at func(file File, parts []string) int) Cut {
	return func(file File) (base, rel string) {
		parts := strings.Split(SlashPath(file.Path), "/")
		i := at(file, parts)
		if i < 1 {
			return "", ""
		}
		return cmp.Or(strings.Join(parts[:i], "/"), "/"), strings.Join(parts[i:], "/")
	}
}

// BaseOf returns the root that a session was kept under, "" if its files' paths don't show it.
func BaseOf(l Layout, f Found) string {
	cut, err := l.Cut(f, "")
	for _, file := range f.Files {
		if err != nil {
			break
		}
		if base, rel := cut(file); rel != "" {
			return filepath.FromSlash(base)
		}
	}
	return ""
}

// PlacesOf gives each of a session's files, by name, its path below such a root, never leaving it.
func PlacesOf(l Layout, f Found, dir string) (map[string]string, error) {
	cut, err := l.Cut(f, dir)
	if err != nil {
		return nil, err
	}
	places := map[string]string{}
	for _, file := range f.Files {
		_, at := cut(file)
		if !filepath.IsLocal(filepath.FromSlash(at)) {
			return nil, fmt.Errorf("session %s: %s was at %q: %w", f.ID, file.Name, file.Path, ErrNoPlace)
		}
		places[file.Name] = at
	}
	return places, nil
}

// LastName returns the last element of a path of any system.
func LastName(path string) string {
	path = strings.TrimRight(path, `/\`)
	return path[strings.LastIndexAny(path, `/\`)+1:]
}

// SlashPath converts a path of any system to slashes, without "." and "..".
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

// DatabaseURI returns the URI by which SQLite opens a database, given its absolute path and query parameters. A drive
// gets no slash before it: SQLite's own VFS for Windows would remove it again, ours doesn't.
func DatabaseURI(path, query string) string {
	path = filepath.ToSlash(path)
	u := url.URL{Scheme: "file", OmitHost: !strings.HasPrefix(path, "/"), Path: path, RawQuery: query}
	return u.String()
}
