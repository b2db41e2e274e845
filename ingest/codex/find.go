package codex

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"recall/ingest"
	"recall/ingest/jsonl"
	"recall/internal/text"
)

// Find lists the sessions under a file or folder: rollouts, each with its sub-agents'.
func (Reader) Find(ctx context.Context, path string, seen ingest.Seen) ([]ingest.Found, []ingest.Problem) {
	f := &finder{Search: ingest.Search{Context: ctx, Seen: seen}, parent: map[string]string{}}
	f.LookFor(path, f.walk, f.file)
	return f.found(), f.Problems
}

type finder struct {
	ingest.Search
	rollouts []rollout
	parent   map[string]string // of a sub-agent's thread
}

// A rollout is a file of a thread.
type rollout struct {
	thread, path string
	info         fs.FileInfo
	of           ingest.SessionID // the session it was found to belong to earlier, "" if it is new
}

// walk searches for rollouts below a folder; in Codex's own, only where it keeps them.
func (f *finder) walk(dir string) {
	for _, top := range ingest.WatchedIn(ingest.Codex, dir) {
		if real, err := ingest.RealPath(top); err == nil || top == dir {
			is := func(path string) bool { return rolloutName().MatchString(filepath.Base(path)) }
			f.Walk(cmp.Or(real, top), is, f.file)
		}
	}
}

var (
	rolloutName = text.Pattern(`^rollout-.*\.jsonl(?:\.zst)?$`)
	threadIn    = text.Pattern(`[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}`)
)

// file adds a file that could be a rollout. A known one isn't opened.
func (f *finder) file(path string, info fs.FileInfo) {
	named := threadIn().FindString(filepath.Base(path))
	id, known := f.Known(path, info.Size(), info.ModTime())
	r, parent := rollout{thread: cmp.Or(named, string(id)), path: path, info: info, of: id}, string(id)
	if !known {
		h, err := peek(path, info)
		switch {
		case err != nil:
			f.Problem(path, err)
			return
		case h.id == "" && (named == "" || !rolloutName().MatchString(filepath.Base(path))):
			return
		}
		// By its name first, which is also known where the file isn't opened.
		r.thread, parent = ingest.FolderID(cmp.Or(named, h.id)), h.parent
	}
	if parent != "" && parent != r.thread {
		f.parent[r.thread] = parent
	}
	f.rollouts = append(f.rollouts, r)
}

// peekBytes bounds what is read of a file to recognize it: the header states the whole prompt of the client.
const peekBytes = 4 << 20

func peek(path string, info fs.FileInfo) (header, error) {
	in, err := plain(ingest.FileAt(filepath.Base(path), ingest.Transcript, path, info)).Open()
	if err != nil {
		return header{}, err
	}
	defer in.Close()
	lines := jsonl.NewLines(io.LimitReader(in, peekBytes))
	for range 5 {
		line, err := lines.Next()
		if err != nil {
			break // parsing it will report what is wrong
		}
		b := bytes.TrimSpace(line.Bytes)
		if r, ok := readRecord(jsonl.NewCursor(b), b); ok && r.kind == "session_meta" {
			return readHeader(r.payload), nil
		}
	}
	return header{}, nil
}

// found returns the sessions, ordered by id.
func (f *finder) found() []ingest.Found {
	slices.SortFunc(f.rollouts, func(a, b rollout) int {
		return cmp.Or(strings.Compare(filepath.Base(a.path), filepath.Base(b.path)), strings.Compare(a.path, b.path))
	})
	there := map[string]bool{}
	for _, r := range f.rollouts {
		there[r.thread] = true
	}
	by := map[ingest.SessionID]*ingest.Found{}
	for _, r := range f.rollouts {
		id := r.of
		if id == "" {
			id = ingest.SessionID(f.rootOf(r.thread, there))
		}
		s := by[id]
		if s == nil {
			s = &ingest.Found{ID: id, Source: ingest.Codex, Root: f.Root}
			by[id] = s
		}
		s.Files = append(s.Files, fileOf(s, r))
	}
	var all []ingest.Found
	for _, id := range slices.Sorted(maps.Keys(by)) {
		s := by[id]
		slices.SortStableFunc(s.Files, func(a, b ingest.File) int { return last(a) - last(b) })
		all = append(all, *s)
	}
	return all
}

func last(f ingest.File) int {
	if f.Role == ingest.SubagentFile {
		return 1
	}
	return 0
}

// rootOf returns the thread that a person talked to, given a sub-agent's; the thread itself if that isn't there.
func (f *finder) rootOf(thread string, there map[string]bool) string {
	root, passed := thread, map[string]bool{}
	for there[f.parent[root]] {
		if passed[root] {
			return thread // a cycle
		}
		passed[root], root = true, f.parent[root]
	}
	return root
}

// fileOf names a rollout among a session's files; the first is the conversation, compressed or not.
func fileOf(s *ingest.Found, r rollout) ingest.File {
	base := filepath.Base(r.path)
	name, role := ingest.MainName, ingest.Transcript
	switch stem := strings.TrimSuffix(base, ".zst"); {
	case ingest.SessionID(r.thread) != s.ID:
		name, role = "subagents/"+r.thread+".jsonl", ingest.SubagentFile
	case slices.ContainsFunc(s.Files, func(o ingest.File) bool {
		return o.Role == ingest.Transcript && strings.TrimSuffix(filepath.Base(o.Path), ".zst") != stem
	}):
		name = "transcripts/" + stem
	}
	if strings.HasSuffix(base, ".zst") {
		name += ".zst"
	}
	for slices.ContainsFunc(s.Files, func(o ingest.File) bool { return o.Name == name }) { // a copy elsewhere
		name = "copies/" + name
		role = ingest.SideFile
	}
	return ingest.FileAt(name, role, r.path, r.info)
}

var _ ingest.Layout = Reader{}

// Cut implements ingest.Layout: each file goes where it was, below sessions/ or archived_sessions/.
func (Reader) Cut(ingest.Found, string) (ingest.Cut, error) {
	return ingest.CutAt(func(_ ingest.File, parts []string) int {
		at := len(parts) - 1
		for at > 0 && parts[at] != "sessions" && parts[at] != "archived_sessions" {
			at--
		}
		return at
	}), nil
}
