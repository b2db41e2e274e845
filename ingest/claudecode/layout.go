package claudecode

import (
	"cmp"
	"fmt"
	"path"
	"strings"
	"unicode/utf16"

	"recall/ingest"
	"recall/internal/text"
)

var _ ingest.Layout = Reader{}

// Cut implements ingest.Layout: a session is in projects/<slug of dir>, below the configuration folder.
func (r Reader) Cut(f ingest.Found, dir string) (ingest.Cut, error) {
	if files := r.conversation(f); len(files) > 0 && files[0].Role == ingest.PromptLog {
		return nil, fmt.Errorf("session %s: only its prompts are left: %w", f.ID, ingest.ErrNoPlace)
	}
	slug, stem, base := Slug(dir), string(f.ID), ""
	for _, file := range f.Files {
		was, above, ok := inProjects(file)
		if base = cmp.Or(base, above); ok && file.Name == ingest.MainName {
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
	return func(file ingest.File) (string, string) { return base, placeOf(file, slug, stem, base) }, nil
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
	case first == "tasks":
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
	if path.Base(projects) != "projects" {
		return "", "", false
	}
	return path.Base(dir), path.Dir(projects), true
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
