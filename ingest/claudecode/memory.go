package claudecode

import (
	"io/fs"
	"os"
	"path/filepath"

	"recall/ingest"
	"recall/text"
)

var _ ingest.Keeper = Reader{}

// Memory is what the client remembers of its own beside its sessions: the notes
// of projects/<slug>/memory/ and the prompts of history.jsonl, below a
// configuration folder.
func (Reader) Memory(root string) (ingest.Found, []ingest.Problem) {
	real, err := ingest.RealPath(root)
	if err != nil || !isConfigRoot(real) {
		return ingest.Found{}, nil
	}
	f := &finder{Search: ingest.Search{Root: real}}
	m := ingest.Found{ID: memoryID(real), Source: ingest.Memory, Root: real}
	add := func(name, path string, info fs.FileInfo) {
		m.Files = append(m.Files, ingest.FileAt(name, ingest.MemoryFile, path, info))
	}
	history := filepath.Join(real, "history.jsonl")
	if info, err := os.Lstat(history); err == nil && info.Mode().IsRegular() {
		add("history.jsonl", history, info)
	}
	slugs, err := os.ReadDir(filepath.Join(real, "projects"))
	if err != nil {
		return m, f.Problems // the sessions' own search says so
	}
	for _, slug := range slugs {
		dir := filepath.Join(real, "projects", slug.Name(), "memory")
		if slug.IsDir() && isDir(dir) {
			f.below(dir, func(name, path string, info fs.FileInfo) {
				add("projects/"+slug.Name()+"/memory/"+name, path, info)
			})
		}
	}
	return m, f.Problems
}

// memoryID names the memory of one configuration folder.
func memoryID(root string) ingest.SessionID {
	return ingest.SessionID("memory-" + text.Hash(filepath.ToSlash(root), 4))
}
