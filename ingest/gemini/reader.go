// Package gemini finds and reads the sessions of Google's Gemini CLI.
//
// On disk, below ~/.gemini (GEMINI_CLI_HOME names the folder above):
//
//	tmp/<project>/chats/session-<time>-<id's beginning>.jsonl    a session; .json, one document, until early 2026
//	tmp/<project>/chats/<session>/<agent>.jsonl                  its sub-agents'
//	tmp/<project>/.project_root                                  their folder, whose hash <project> used to be
//
// A line is a message, repeated under its id as it grows; the session's header, which comes first, and changes to it
// ($set); or a note that messages were taken back ($rewindTo). When the client compacts its context it rewrites the
// list of messages; those missing from it were said nevertheless.
//
// A session's files are named as follows, also in the library: "transcript.jsonl", "subagents/<agent>.jsonl",
// "project_root", and "transcripts/session-….jsonl" for its continuations.
package gemini

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"recall/ingest"
	"recall/ingest/jsonl"
)

// Reader finds and parses Gemini CLI's sessions. Its zero value is ready.
type Reader struct{}

var (
	_ ingest.Reader = Reader{}
	_ ingest.Layout = Reader{}
)

// Source is ingest.Gemini.
func (Reader) Source() ingest.Source { return ingest.Gemini }

// Roots lists Gemini CLI's own folders that exist.
func (Reader) Roots() []string {
	home, dir := ingest.Gemini.Client().Home, os.Getenv("GEMINI_CLI_HOME")
	if dir != "" {
		dir = filepath.Join(dir, home)
	}
	return ingest.HomeFolders([]string{dir}, home)
}

// Parse reads a session's files, then its sub-agents'.
func (Reader) Parse(ctx context.Context, f ingest.Found) (*ingest.Session, error) {
	s := &ingest.Session{ID: f.ID, Source: ingest.Gemini}
	p := newParser(s)
	for _, file := range f.FilesOf(ingest.PlaceFile) {
		b, _, err := file.Head(1 << 16)
		if err != nil {
			s.Report.Unread(file, err)
			continue
		}
		p.dir = strings.TrimSpace(strings.ToValidUTF8(string(b), ""))
	}
	if err := f.EachTranscript(ctx, p.readFile); err != nil {
		return nil, err
	}
	p.finish()
	return s, s.AddSubagents(ctx, f, func(file ingest.File) (ingest.Subagent, ingest.Report, error) {
		k := newParser(&ingest.Session{})
		k.dir = p.dir
		err := k.readFile(ctx, file)
		k.finish()
		id := strings.TrimSuffix(path.Base(file.Name), ".jsonl")
		return ingest.Subagent{ID: id, Turns: k.s.Turns}, k.s.Report, err
	})
}

func (p *parser) readFile(ctx context.Context, f ingest.File) error {
	p.file = f.Name
	open := f.Open
	f.Open = func() (io.ReadCloser, error) {
		in, err := open()
		if err != nil {
			return nil, err
		}
		r := bufio.NewReader(in)
		first, _ := r.Peek(8)
		line, _, more := bytes.Cut(first, []byte("\n"))
		return &flat{r, in, more && string(bytes.TrimSpace(line)) == "{"}, nil
	}
	return ingest.EachLine(ctx, f, p.takeLine)
}

// flat is a file being read, with a document of many lines joined into one.
type flat struct {
	*bufio.Reader
	io.Closer
	document bool
}

func (f *flat) Read(b []byte) (int, error) {
	n, err := f.Reader.Read(b)
	for i, c := range b[:n] {
		if c == '\n' && f.document {
			b[i] = ' '
		}
	}
	return n, err
}

// Find lists the sessions under a file or folder, with their sub-agents.
func (Reader) Find(ctx context.Context, at string, seen ingest.Seen) ([]ingest.Found, []ingest.Problem) {
	f := &finder{Search: ingest.Search{Context: ctx, Seen: seen}, by: map[string]*ingest.Found{}}
	f.LookFor(at, f.walk, f.file)
	return f.found(), f.Problems
}

type finder struct {
	ingest.Search
	by   map[string]*ingest.Found
	subs []ingest.File // of sub-agents; their folder is named after the session
}

// walk searches for sessions below a folder; in the client's own, only where it keeps them.
func (f *finder) walk(dir string) {
	if ingest.Gemini.OwnFolder(dir) {
		dir = filepath.Join(dir, "tmp")
	}
	f.Walk(dir, func(at string) bool {
		name, ext := filepath.Base(at), filepath.Ext(at)
		return strings.HasPrefix(name, "session-") && (ext == ".jsonl" || ext == ".json") ||
			agentOf(at) != "" && ext == ".jsonl"
	}, f.file)
}

// agentOf returns the session that a sub-agent's file belongs to, "" if it isn't one.
func agentOf(at string) string {
	if up := filepath.Dir(at); filepath.Base(filepath.Dir(up)) == "chats" {
		return filepath.Base(up)
	}
	return ""
}

// file adds a file that could be a session's. A known one isn't opened.
func (f *finder) file(at string, info fs.FileInfo) {
	id, known := f.Known(at, info.Size(), info.ModTime())
	if !known {
		b, _, err := ingest.FileAt("", "", at, info).Head(64 << 10)
		if err != nil {
			f.Problem(at, err)
			return
		}
		var session, hash string // at the beginning of a document, or all of a header
		jsonl.ReadFields(b, jsonl.Fields{"sessionId": &session, "projectHash": &hash})
		if id = ingest.SessionID(ingest.FolderID(session)); session == "" || hash == "" {
			return
		}
	}
	if of := agentOf(at); of != "" {
		f.subs = append(f.subs, ingest.FileAt("subagents/"+filepath.Base(at), ingest.SubagentFile, at, info))
		return
	}
	s := f.by[string(id)]
	name := "transcripts/" + filepath.Base(at)
	if s == nil {
		s, name = &ingest.Found{ID: id, Source: ingest.Gemini, Root: f.Root}, ingest.MainName
		f.by[string(id)] = s
	}
	for slices.ContainsFunc(s.Files, func(o ingest.File) bool { return o.Name == name }) { // same name elsewhere
		name = "transcripts/copy-" + path.Base(name)
	}
	s.Files = append(s.Files, ingest.FileAt(name, ingest.Transcript, at, info))
}

// found returns the sessions, ordered by id.
func (f *finder) found() (all []ingest.Found) {
	for _, sub := range f.subs {
		of := agentOf(sub.Path)
		if f.by[of] == nil {
			f.by[of] = &ingest.Found{ID: ingest.SessionID(of), Source: ingest.Gemini, Root: f.Root}
		}
		f.by[of].Files = append(f.by[of].Files, sub)
	}
	for _, s := range f.by {
		if file, ok := placeOf(s.Files[0]); ok {
			s.Files = append(s.Files, file)
		}
		all = append(all, *s)
	}
	slices.SortFunc(all, func(a, b ingest.Found) int { return cmp.Compare(a.ID, b.ID) })
	return all
}

// placeOf returns what names the folder that a project's sessions ran in: a file beside them, or else a line of
// projects.json in the client's folder, which becomes a file like it.
func placeOf(session ingest.File) (place ingest.File, ok bool) {
	project := filepath.ToSlash(session.Path)
	project = project[:max(0, strings.LastIndex(project, "/chats/"))]
	root := filepath.Join(filepath.FromSlash(project), ".project_root")
	if info, err := os.Lstat(root); err == nil && info.Mode().IsRegular() {
		return ingest.FileAt("project_root", ingest.PlaceFile, root, info), true
	}
	known := ingest.ReadStart(filepath.Join(filepath.FromSlash(path.Dir(path.Dir(project))), "projects.json"), 1<<20)
	c, dir := jsonl.NewCursor([]byte(known)), ""
	c.Fields(jsonl.Fields{"projects": func() {
		c.Object(func(of []byte) {
			if c.Text() == path.Base(project) {
				dir = jsonl.Unquote(of)
			}
		})
	}})
	return ingest.File{Name: "project_root", Role: ingest.PlaceFile, Size: int64(len(dir)), Mod: session.Mod,
		Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(dir)), nil }}, dir != ""
}

// Cut implements ingest.Layout: each file goes where it was, below tmp/<project>.
func (Reader) Cut(ingest.Found, string) (ingest.Cut, error) {
	return ingest.CutAt(func(file ingest.File, parts []string) int {
		at := len(parts) - 3 // of .project_root
		if file.Role != ingest.PlaceFile {
			for at++; at > 0 && parts[at] != "chats"; at-- {
			}
			at -= 2
		}
		if at < 1 || parts[at] != "tmp" {
			return 0
		}
		return at
	}), nil
}

// About implements ingest.Keeper: what lies in tmp/<project> is about that project's folder.
func (Reader) About(root, name string, known []string) string {
	project, _, ok := strings.Cut(strings.TrimPrefix(name, "tmp/"), "/")
	if !ok || !strings.HasPrefix(name, "tmp/") {
		return ""
	}
	dir := strings.TrimSpace(ingest.ReadStart(filepath.Join(root, "tmp", project, ".project_root"), 4<<10))
	if len(known) > 0 && !slices.Contains(known, dir) {
		return ""
	}
	return dir
}
