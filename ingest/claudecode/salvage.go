package claudecode

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"recall/ingest"
	"recall/ingest/jsonl"
	"recall/text"
)

// promptsName is the name of what is left of a session without a transcript.
const promptsName = "prompts.jsonl"

// OnlyPrompts begins the title of a session of which nothing is left but what was typed.
const OnlyPrompts = "prompts only: "

// remembered is a line of history.jsonl: one prompt, of any session.
type remembered struct {
	Display   string            `json:"display"`
	Pasted    map[string]pasted `json:"pastedContents"` // by the number in its mark
	Timestamp int64             `json:"timestamp"`      // ms
	Project   string            `json:"project"`        // folder
	Session   ingest.SessionID  `json:"sessionId"`      // "" in lines of old clients
}

// pasted is what was pasted into a prompt; Content is "" where the client keeps it elsewhere.
type pasted struct {
	Content string `json:"content"`
}

func (m *remembered) at() time.Time { return time.UnixMilli(m.Timestamp).UTC() }

// asks reports whether a prompt is more than a command of the client.
func (m *remembered) asks() bool {
	s := strings.TrimSpace(m.Display)
	return s != "" && s != "exit" && s != "quit" && !strings.HasPrefix(s, "/")
}

// text is the prompt as the assistant got it, with what was pasted.
func (m *remembered) text() string {
	return pasteMark().ReplaceAllStringFunc(m.Display, func(mark string) string {
		return cmp.Or(m.Pasted[pasteMark().FindStringSubmatch(mark)[1]].Content, mark)
	})
}

var pasteMark = text.Pattern(`\[Pasted text #(\d+)(?: \+\d+ lines)?\]`)

// Salvage lists the sessions that history.jsonl tells of, each its lines as they stand there; unreadable ones are
// counted.
func (Reader) Salvage(ctx context.Context, memory ingest.Found, wanted func(ingest.SessionID) bool) (
	found []ingest.Found, rep ingest.Report, err error) {
	at := slices.IndexFunc(memory.Files, func(f ingest.File) bool { return f.Name == "history.jsonl" })
	if at < 0 {
		return nil, rep, nil
	}
	type session struct {
		lines bytes.Buffer
		last  time.Time
		asks  bool
	}
	wants, sessions := map[ingest.SessionID]bool{}, map[ingest.SessionID]*session{}
	err = ingest.EachLine(ctx, memory.Files[at], func(line jsonl.Line) {
		var m remembered
		err := json.Unmarshal(line.Bytes, &m)
		if err == nil && m.Session == "" {
			return // of an old client: it is kept with the memory, of whichever session it is
		}
		if err = cmp.Or(err, ingest.CheckID(m.Session)); err != nil {
			rep.Skip(ingest.Skip{File: memory.Files[at].Name, Line: line.N, Offset: line.Offset, Reason: err.Error()})
			return
		}
		if _, asked := wants[m.Session]; !asked {
			wants[m.Session] = wanted(m.Session)
		}
		if !wants[m.Session] {
			return
		}
		s := sessions[m.Session]
		if s == nil {
			s = &session{}
			sessions[m.Session] = s
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
		if !s.asks {
			continue
		}
		found = append(found, ingest.Found{ID: id, Source: ingest.ClaudeCode, Root: memory.Root,
			Files: []ingest.File{{Name: promptsName, Role: ingest.PromptLog, Size: int64(s.lines.Len()), Mod: s.last,
				Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(s.lines.Bytes())), nil }}}})
	}
	return found, rep, nil
}

// recordOf is the record of a transcript that a remembered prompt would be.
func recordOf(b []byte, line int) ([]byte, error) {
	var m remembered
	if err := json.Unmarshal(b, &m); err != nil {
		return nil, err
	}
	return json.Marshal(map[string]any{"type": "user", "uuid": fmt.Sprintf("%s-%d", m.Session, line),
		"sessionId": m.Session, "timestamp": m.at(), "cwd": m.Project, "message": map[string]string{"content": m.text()}})
}
