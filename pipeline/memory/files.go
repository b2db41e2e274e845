// Package memory knows the files that clients read before a session: a person's rules, and what clients note by
// themselves.
package memory

import (
	"cmp"
	"os"
	"path"
	"path/filepath"
	"strings"

	"recall/ingest"
	"recall/ingest/claudecode"
	"recall/library"
)

// A File is a file that clients read before a session: a person's rules, or what a client noted by itself.
type File struct {
	Path    string
	Project string        // name; "" if it is read everywhere
	Noted   ingest.Source // whose agent noted it, "" for a person's rules
	Kept    bool          // it is archived with what the client remembers
}

// Title says what a file is: "CLAUDE.md of billing", "Claude Code's memory, redis.md".
func (f File) Title() string {
	name := filepath.Base(f.Path)
	switch {
	case f.Noted != "":
		return Title(f.Noted, name)
	case f.Project == "":
		return "your " + name
	}
	return name + " of " + f.Project
}

// Title says what a client remembers by the name of a file, below its folder: "Claude Code's memory, redis.md".
func Title(of ingest.Source, name string) string {
	kind := "memory"
	if IsPlan(name) {
		kind = "plan"
	}
	return of.Client().Name + "'s " + kind + ", " + path.Base(name)
}

// IsPlan tells a plan by its name below the client's folder.
func IsPlan(name string) bool { return strings.Contains("/"+name, "/plans/") }

// Files lists the files that clients read before a session of a project, or of any for "": some may not be there.
func Files(l *library.Library, project string) (files []File) {
	p, err := l.Project(project)
	known := project != "" && err == nil && p.Root != "" // "none" has no folder
	if known {
		for _, name := range []string{"CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "GEMINI.md"} {
			files = append(files, File{Path: filepath.Join(p.Root, filepath.FromSlash(name)), Project: p.Name})
		}
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return files
	}
	folder := func(of ingest.Source) string {
		c := of.Client()
		return cmp.Or(strings.Split(os.Getenv(c.Env), ",")[0], filepath.Join(home, c.Home))
	}
	codex, claude, gemini := folder(ingest.Codex), folder(ingest.ClaudeCode), folder(ingest.Gemini)
	files = append(files, File{Path: filepath.Join(claude, "CLAUDE.md")}, File{Path: filepath.Join(codex, "AGENTS.md")},
		File{Path: filepath.Join(gemini, "GEMINI.md"), Kept: ingest.Gemini.OwnFolder(gemini)})
	noted := func(dir string, f File) {
		for _, f.Path = range notesIn(dir) {
			files = append(files, f)
		}
	}
	noted(filepath.Join(codex, "memories"), File{Noted: ingest.Codex, Kept: ingest.Codex.OwnFolder(codex)})
	if known {
		noted(filepath.Join(claude, "projects", claudecode.Slug(p.Root), "memory"),
			File{Noted: ingest.ClaudeCode, Project: p.Name, Kept: true})
	}
	return files
}

func notesIn(dir string) []string {
	found, _ := filepath.Glob(filepath.Join(dir, "*.md")) // an invalid pattern finds none
	return found
}
