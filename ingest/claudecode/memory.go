package claudecode

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"

	"recall/ingest"
)

var _ ingest.Keeper = Reader{}

// Memory is what the client remembers of its own beside its sessions: the notes
// of projects/<slug>/memory/ and the prompts of history.jsonl, below a
// configuration folder.
func (Reader) Memory(root string) (ingest.Found, []ingest.Problem) {
	real, err := filepath.EvalSymlinks(root)
	if err == nil {
		real, err = filepath.Abs(real)
	}
	if err != nil || !isConfigRoot(real) {
		return ingest.Found{}, nil
	}
	f := &finder{root: real}
	m := ingest.Found{ID: memoryID(real), Source: ingest.Memory, Root: real}
	add := func(path string, e fs.DirEntry) {
		rel, err := filepath.Rel(real, path)
		if err != nil || !e.Type().IsRegular() {
			return
		}
		if info, ok := f.stat(path, e); ok {
			m.Files = append(m.Files, ingest.FileAt(filepath.ToSlash(rel), ingest.MemoryFile, path, info))
		}
	}
	history := filepath.Join(real, "history.jsonl")
	if info, err := os.Lstat(history); err == nil {
		add(history, fs.FileInfoToDirEntry(info))
	}
	slugs, err := os.ReadDir(filepath.Join(real, "projects"))
	if err != nil {
		return m, f.problems // the sessions' own search says so
	}
	for _, slug := range slugs {
		dir := filepath.Join(real, "projects", slug.Name(), "memory")
		if !slug.IsDir() || !isDir(dir) {
			continue
		}
		_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err != nil {
				f.problem(path, err)
				return nil
			}
			add(path, e)
			return nil
		}) // errors are in problems
	}
	return m, f.problems
}

// memoryID names the memory of one configuration folder.
func memoryID(root string) ingest.SessionID {
	sum := sha256.Sum256([]byte(filepath.ToSlash(root)))
	return ingest.SessionID("memory-" + hex.EncodeToString(sum[:4]))
}
