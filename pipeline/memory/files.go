// Package memory knows the files that clients read before a session: a person's rules, and what clients note by
// themselves.
package memory

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"recall/ingest"
	"recall/ingest/claudecode"
	"recall/library"
	"recall/library/disk"
)

// A File is a file that clients read before a session: a person's rules, or what a client noted by itself.
type File struct {
	Path    string
	Project string // name; "" if it is read everywhere
	Noted   string // the client that noted it, "" for a person's rules
	Kept    bool   // it is archived with the client's memory

	Of        string // the client's folder, whose settings say where it keeps such notes
	Elsewhere string // under which name it is archived though it lies elsewhere, "" if it doesn't
}

// Title says what a file is: "CLAUDE.md of billing", "Claude Code's memory, redis.md".
func (f File) Title() string {
	name := filepath.Base(f.Path)
	switch {
	case f.Noted != "":
		return f.Noted + "'s memory, " + name
	case f.Project == "":
		return "your " + name
	}
	return name + " of " + f.Project
}

// Files lists the files that clients read before a session of a project, or of any for "": some may not be there.
func Files(l *library.Library, project string) (files []File) {
	p, err := l.Project(project)
	known := project != "" && err == nil
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
	codex, claude := folder(ingest.Codex), folder(ingest.ClaudeCode)
	for _, path := range []string{filepath.Join(claude, "CLAUDE.md"), filepath.Join(codex, "AGENTS.md"),
		filepath.Join(folder(ingest.Gemini), "GEMINI.md")} {
		files = append(files, File{Path: path})
	}
	noted := func(dir string, f File) {
		found, _ := filepath.Glob(filepath.Join(dir, "*.md")) // an invalid pattern finds none
		for _, f.Path = range found {
			files = append(files, f)
		}
	}
	noted(filepath.Join(codex, "memories"), File{Noted: ingest.Codex.Client().Name})
	if known {
		dir, own := memoryFolder(home, claude, p.Root)
		first := len(files)
		noted(dir, File{Noted: ingest.ClaudeCode.Client().Name, Project: p.Name, Kept: true, Of: claude})
		for i := first; i < len(files) && !own; i++ {
			files[i].Elsewhere = "projects/" + claudecode.Slug(p.Root) + "/memory/elsewhere/" + filepath.Base(files[i].Path)
		}
	}
	return files
}

// mostOfSettings is how many bytes of a client's settings are read.
const mostOfSettings = 256 << 10

// memoryFolder returns where Claude Code keeps its notes on a project, and whether that is its own place: settings can
// name another, those of the project one inside it.
func memoryFolder(home, claude, root string) (dir string, own bool) {
	dir, own = filepath.Join(claude, "projects", claudecode.Slug(root), "memory"), true
	within := filepath.Join(root, ".claude")
	for _, file := range []string{filepath.Join(claude, "settings.json"), filepath.Join(within, "settings.json"),
		filepath.Join(within, "settings.local.json")} {
		var s struct {
			Dir string `json:"autoMemoryDirectory"`
		}
		data, err := disk.ReadRegular(file, mostOfSettings)
		if err != nil || json.Unmarshal(data, &s) != nil || s.Dir == "" {
			continue
		}
		named := filepath.FromSlash(s.Dir)
		if rest, ok := strings.CutPrefix(s.Dir, "~/"); ok {
			named = filepath.Join(home, rest)
		} else if !filepath.IsAbs(named) {
			named = filepath.Join(root, named)
		}
		rel, err := filepath.Rel(root, named)
		if filepath.Dir(file) != within || err == nil && filepath.IsLocal(rel) {
			dir, own = named, false
		}
	}
	return dir, own
}
