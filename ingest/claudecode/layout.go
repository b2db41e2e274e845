package claudecode

import (
	"cmp"
	"fmt"
	"path"
	"path/filepath"
	"strings"
	"unicode/utf16"

	"recall/ingest"
	"recall/internal/text"
)

var _ ingest.Layout = Reader{}

// Base returns the configuration folder above projects/<slug>/<session>.jsonl.
func (Reader) Base(f ingest.Found) string {
	for _, file := range f.Files {
		if _, base, ok := inProjects(file); ok {
			return filepath.FromSlash(base)
		}
	}
	return ""
}

// Places implements ingest.Layout.
func (r Reader) Places(f ingest.Found, dir string) (map[string]string, error) {
	if files := r.conversation(f); len(files) > 0 && files[0].Role == ingest.PromptLog {
		return nil, fmt.Errorf("session %s: only its prompts are left: %w", f.ID, ingest.ErrNoPlace)
	}
	slug, stem, base := Slug(dir), string(f.ID), filepath.ToSlash(r.Base(f))
	for _, file := range f.Files {
		if was, _, ok := inProjects(file); ok && file.Name == ingest.MainName {
			slug = cmp.Or(slug, was)
			stem = strings.TrimSuffix(path.Base(ingest.SlashPath(file.Path)), ".jsonl")
		}
	}
	if len(slug) > maxSlug && dir != "" {
		return nil, fmt.Errorf("session %s: the folder for %s isn't known, as its name is too long: %w", f.ID, dir,
			ingest.ErrNoPlace)
	}
	if slug == "" {
		return nil, fmt.Errorf("session %s: the folder that it worked in isn't known: %w", f.ID, ingest.ErrNoPlace)
	}
	return ingest.Cut(func(file ingest.File) (string, string) {
		return base, placeOf(file, slug, stem, base)
	}).Places(f)
}

// placeOf returns the client's path for a file, below its configuration folder.
func placeOf(file ingest.File, slug, stem, base string) string {
	first, rest, nested := strings.Cut(file.Name, "/")
	switch {
	case file.Name == ingest.MainName:
		return path.Join("projects", slug, stem+".jsonl")
	case file.Role == ingest.Transcript: // left by a worktree in another slug
		if was, _, ok := inProjects(file); ok {
			slug = was
		}
		return path.Join("projects", slug, stem+".jsonl")
	case !nested:
		return path.Join("projects", slug, stem, file.Name)
	case first == "tasks" || first == "file-history":
		return path.Join(first, stem, rest)
	}
	// A folder unknown to this version: where it was, if that is known.
	if was, ok := strings.CutPrefix(ingest.SlashPath(file.Path), base+"/"); ok && base != "" &&
		!strings.HasPrefix(was, "projects/") {
		return was
	}
	return path.Join("projects", slug, stem, file.Name)
}

// inProjects splits <base>/projects/<slug>/x.jsonl into slug and configuration folder.
func inProjects(file ingest.File) (slug, base string, ok bool) {
	if file.Role != ingest.Transcript {
		return "", "", false
	}
	dir := path.Dir(ingest.SlashPath(file.Path))
	projects := path.Dir(dir)
	return path.Base(dir), path.Dir(projects), path.Base(projects) == "projects"
}

// Slug returns the client's folder name for a directory's sessions: each UTF-16 unit that isn't an ASCII letter or
// digit becomes a dash. Beyond maxSlug the client truncates it and adds a hash that differs between builds and can't be
// computed here. "" gives "".
func Slug(dir string) string {
	var b strings.Builder
	for _, r := range dir {
		if text.Alnum(r) {
			b.WriteRune(r)
			continue
		}
		for range utf16.RuneLen(r) {
			b.WriteByte('-')
		}
	}
	return b.String()
}

const maxSlug = 200
