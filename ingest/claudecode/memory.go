package claudecode

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"recall/ingest"
	"recall/ingest/jsonl"
	"recall/internal/text"
)

var (
	_ ingest.Keeper   = Reader{}
	_ ingest.Salvager = Reader{}
)

// About implements ingest.Keeper: a note is in the memory of a folder's slug.
func (Reader) About(root, name string, known []string) string {
	slug, _, ok := strings.Cut(strings.TrimPrefix(name, "projects/"), "/")
	if !ok || !strings.HasPrefix(name, "projects/") {
		return ""
	}
	if i := slices.IndexFunc(known, func(dir string) bool { return Slug(dir) == slug }); i >= 0 {
		return known[i]
	}
	if len(known) > 0 {
		return ""
	}
	return folderOfSlug(filepath.Join(root, "projects", slug), slug)
}

const logName = "history.jsonl"

// Prompts implements ingest.Salvager.
func (Reader) Prompts(root string, leave ingest.Leave) (log ingest.File, dirs []string, err error) {
	at := filepath.Join(root, logName)
	info, err := os.Lstat(at)
	if err != nil || !info.Mode().IsRegular() {
		return log, nil, nil
	}
	log = ingest.FileAt(logName, ingest.MemoryFile, at, info)
	if leave != nil {
		log, dirs, err = withoutExcluded(log, leave)
	}
	return log, dirs, err
}

// folderOfSlug finds the folder that the sessions in dir, named by its slug, ran in; "" if none of them says so.
func folderOfSlug(dir, slug string) string {
	paths, _ := filepath.Glob(filepath.Join(dir, "*.jsonl")) // an invalid pattern finds none
	for _, path := range paths {
		if head, err := peek(path); err == nil && Slug(head.cwd) == slug {
			return head.cwd
		}
	}
	return ""
}

// withoutExcluded removes from history.jsonl the prompts of sessions of which something is excluded, and returns the
// folders that it names. If there were any, the result is no longer a file of this machine, as the library's copy
// differs from it on purpose.
func withoutExcluded(file ingest.File, leave ingest.Leave) (_ ingest.File, dirs []string, err error) {
	type prompt struct {
		line []byte
		of   ingest.SessionID
		out  bool
	}
	var all []prompt
	ids := map[ingest.SessionID]bool{}
	err = ingest.EachLine(context.Background(), file, func(line jsonl.Line) {
		var m remembered
		_ = json.Unmarshal(line.Bytes, &m) // an invalid line yields nothing
		out := m.Session+ingest.SessionID(m.Project) != "" && leave(m.Session, m.Project)
		if all = append(all, prompt{bytes.Clone(line.Bytes), m.Session, out}); out {
			ids[m.Session] = m.Session != ""
		}
		dirs = ingest.Union(dirs, m.Project)
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
	return file, dirs, err
}

// promptsName is the name of the remaining file of a session without a transcript.
const promptsName = "prompts.jsonl"

// OnlyPrompts begins the title of a session of which only the prompts are left.
const OnlyPrompts = "prompts only: "

// remembered is a line of history.jsonl: one prompt of any session.
type remembered struct {
	Display   string            `json:"display"`
	Pasted    map[string]pasted `json:"pastedContents"` // by the number in its mark
	Timestamp int64             `json:"timestamp"`      // ms
	Project   string            `json:"project"`        // folder
	Session   ingest.SessionID  `json:"sessionId"`      // "" in lines of old clients
}

// pasted is text pasted into a prompt; Content is "" where the client keeps it elsewhere.
type pasted struct {
	Content string `json:"content"`
}

func (m *remembered) at() time.Time { return time.UnixMilli(m.Timestamp).UTC() }

// asks reports whether a prompt is more than a client command.
func (m *remembered) asks() bool {
	s := strings.TrimSpace(m.Display)
	return s != "" && s != "exit" && s != "quit" && !strings.HasPrefix(s, "/")
}

// text returns the prompt as the assistant received it, with pasted text.
func (m *remembered) text() string {
	return pasteMark().ReplaceAllStringFunc(m.Display, func(mark string) string {
		return cmp.Or(m.Pasted[pasteMark().FindStringSubmatch(mark)[1]].Content, mark)
	})
}

var pasteMark = text.Pattern(`\[Pasted text #(\d+)(?: \+\d+ lines)?\]`)

// Salvage lists the sessions mentioned in history.jsonl, each with its original lines; unreadable ones are counted.
func (Reader) Salvage(ctx context.Context, memory ingest.Found, wanted func(ingest.SessionID) bool) (
	found []ingest.Found, rep ingest.Report, err error) {
	at := slices.IndexFunc(memory.Files, func(f ingest.File) bool { return f.Name == logName })
	if at < 0 {
		return nil, rep, nil
	}
	type session struct {
		lines bytes.Buffer
		last  time.Time
		asks  bool
	}
	sessions := map[ingest.SessionID]*session{} // nil for one that isn't wanted
	err = ingest.EachLine(ctx, memory.Files[at], func(line jsonl.Line) {
		var m remembered
		err := json.Unmarshal(line.Bytes, &m)
		if err == nil && m.Session == "" {
			return // from an old client: kept with the memory only, as its session is unknown
		}
		if err = cmp.Or(err, ingest.CheckID(m.Session)); err != nil {
			rep.Skip(ingest.Skip{File: memory.Files[at].Name, Line: line.N, Reason: err.Error()})
			return
		}
		s, known := sessions[m.Session]
		if !known && wanted(m.Session) {
			s = &session{}
		}
		if sessions[m.Session] = s; s == nil {
			return
		}
		s.lines.Write(bytes.TrimSpace(line.Bytes))
		s.lines.WriteByte('\n')
		s.asks = s.asks || m.asks()
		if m.at().After(s.last) {
			s.last = m.at()
		}
	})
	if err != nil {
		return nil, rep, err
	}
	for _, id := range slices.SortedFunc(maps.Keys(sessions), cmp.Compare[ingest.SessionID]) {
		s := sessions[id]
		if s == nil || !s.asks {
			continue
		}
		found = append(found, ingest.Found{ID: id, Source: ingest.ClaudeCode, Root: memory.Root,
			Files: []ingest.File{{Name: promptsName, Role: ingest.PromptLog, Size: int64(s.lines.Len()), Mod: s.last,
				Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(s.lines.Bytes())), nil }}}})
	}
	return found, rep, nil
}

// recordOf converts a remembered prompt to a transcript record.
func recordOf(b []byte, line int) ([]byte, error) {
	var m remembered
	if err := json.Unmarshal(b, &m); err != nil {
		return nil, err
	}
	return json.Marshal(map[string]any{"type": "user", "uuid": fmt.Sprintf("%s-%d", m.Session, line),
		"sessionId": m.Session, "timestamp": m.at(), "cwd": m.Project,
		"message": map[string]string{"content": m.text()}})
}
