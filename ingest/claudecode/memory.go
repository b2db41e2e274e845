package claudecode

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"recall/ingest"
	"recall/ingest/jsonl"
	"recall/text"
)

var _ ingest.Keeper = Reader{}

// Memory is what the client remembers beside its sessions: the notes of projects/<slug>/memory/ and the prompts of
// history.jsonl, below a configuration folder.
func (Reader) Memory(root string, leave func(ingest.SessionID, string, time.Time) bool) (ingest.Found,
	[]ingest.Problem) {
	real, err := ingest.RealPath(root)
	if err != nil || !isConfigRoot(real) {
		return ingest.Found{}, nil
	}
	f := &finder{Search: ingest.Search{Context: context.Background(), Root: real}}
	m := ingest.Found{ID: memoryID(real), Source: ingest.Memory, Root: real}
	add := func(name, path string, info fs.FileInfo) {
		if leave == nil || !leave("", "", info.ModTime()) {
			m.Files = append(m.Files, ingest.FileAt(name, ingest.MemoryFile, path, info))
		}
	}
	left := map[string]bool{} // slugs of folders that are known, and whether they are left out
	history := filepath.Join(real, "history.jsonl")
	if info, err := os.Lstat(history); err == nil && info.Mode().IsRegular() {
		file := ingest.FileAt("history.jsonl", ingest.MemoryFile, history, info)
		if leave != nil {
			file, err = without(file, leave, left)
		}
		if err != nil {
			f.Problem(history, err)
		} else {
			m.Files = append(m.Files, file)
		}
	}
	slugs, err := os.ReadDir(filepath.Join(real, "projects"))
	if err != nil {
		return m, f.Problems // the sessions' own search says so
	}
	for _, slug := range slugs {
		dir := filepath.Join(real, "projects", slug.Name(), "memory")
		if !slug.IsDir() || !isDir(dir) {
			continue
		}
		out, known := left[slug.Name()]
		if !known && leave != nil {
			out = leave("", ranIn(filepath.Dir(dir), slug.Name()), time.Time{})
		}
		if !out {
			f.below(dir, func(name, path string, info fs.FileInfo) {
				add("projects/"+slug.Name()+"/memory/"+name, path, info)
			})
		}
	}
	return m, f.Problems
}

// ranIn is the folder whose sessions lie in another, which is named by its slug; "" if none of them says so.
func ranIn(dir, slug string) string {
	paths, _ := filepath.Glob(filepath.Join(dir, "*.jsonl")) // none, if a name has what Glob doesn't take
	for _, path := range paths {
		if head, err := peek(path); err == nil && Slug(head.cwd) == slug {
			return head.cwd
		}
	}
	return ""
}

// without is history.jsonl without the prompts of sessions of which something isn't to be kept, and enters the
// folders where that is so. With such it is no file of this machine: the library's differs from it on purpose.
func without(file ingest.File, leave func(ingest.SessionID, string, time.Time) bool, left map[string]bool) (
	ingest.File, error) {
	type prompt struct {
		line []byte
		of   ingest.SessionID
		out  bool
	}
	var all []prompt
	ids := map[ingest.SessionID]bool{}
	err := ingest.EachLine(context.Background(), file, func(line jsonl.Line) {
		var m remembered
		_ = json.Unmarshal(line.Bytes, &m) // of a line that isn't one nothing is known
		out := leave(m.Session, m.Project, m.at())
		if all = append(all, prompt{bytes.Clone(line.Bytes), m.Session, out}); out {
			ids[m.Session] = m.Session != ""
		}
		if m.Project != "" {
			left[Slug(m.Project)] = left[Slug(m.Project)] || leave("", m.Project, time.Time{})
		}
	})
	var rest bytes.Buffer
	for _, p := range all {
		if !p.out && !ids[p.of] {
			rest.Write(append(bytes.TrimSpace(p.line), '\n'))
		}
	}
	if len(ids) > 0 {
		file.Path, file.Stamp, file.Size = "", "", int64(rest.Len())
		file.Open = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(rest.Bytes())), nil }
	}
	return file, err
}

// memoryID names the memory of one configuration folder.
func memoryID(root string) ingest.SessionID {
	return ingest.SessionID("memory-" + text.Hash(filepath.ToSlash(root), 4))
}
