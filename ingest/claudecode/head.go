package claudecode

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"time"

	"recall/ingest"
	"recall/ingest/jsonl"
)

// Started returns the time of a transcript's first turn, zero if it has none.
func Started(f ingest.File) time.Time {
	// Parsing the session will report errors.
	head, _ := ingest.HeadOf(context.Background(), Reader{}, ingest.Found{ID: "x", Files: []ingest.File{f}})
	return head.Started
}

// peeked is what a file's beginning says about it.
type peeked struct {
	ours      bool // lines of Claude Code
	sidechain bool
	session   string
	agent     string
	cwd       string
}

const peekBytes = 256 << 10

func peek(path string) (peeked, error) {
	var h peeked
	file, err := os.Open(path)
	if err != nil {
		return h, err
	}
	defer file.Close()
	lines := jsonl.NewLines(io.LimitReader(file, peekBytes))
	defer lines.Close()
	r := newRecordReader()
	for range 200 {
		line, err := lines.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return h, err
		}
		if !r.readRecord(jsonl.NewCursor(line.Bytes)) && !r.looksOurs() {
			continue
		}
		if len(r.auditAt) > 0 {
			return peeked{}, nil
		}
		h.ours = h.ours || r.looksOurs()
		if h.session == "" {
			h.session = jsonl.Unquote(r.session)
		}
		if len(r.uuid) > 0 && (string(r.kind) == "user" || string(r.kind) == "assistant") {
			h.sidechain, h.agent, h.cwd = r.sidechain, jsonl.Unquote(r.agent), jsonl.Unquote(r.cwd)
			return h, nil
		}
	}
	return h, nil
}

// looksOurs reports whether a record is one that Claude Code writes.
func (r *record) looksOurs() bool {
	switch string(r.kind) {
	case "user", "assistant":
		return len(r.msg.blocks) > 0 || r.msg.plain != nil
	case "system", "attachment", "progress":
		return len(r.uuid) > 0
	case "summary":
		return len(r.title) > 0
	case "":
		return false
	}
	return len(r.session) > 0 || string(r.kind) == "file-history-snapshot"
}

// What is read of a transcript's beginning and end, in bytes.
const (
	headMost = 64 << 10
	tailMost = 512 << 10
)

// ContextOf returns how many tokens a transcript's conversation holds according to the service's last answer; 0 if
// there is none since a compaction.
func ContextOf(transcript string) int {
	tail := []byte(ingest.ReadEnd(transcript, tailMost))
	for r := newRecordReader(); len(tail) > 0; {
		line := tail[bytes.LastIndexByte(bytes.TrimRight(tail, "\n"), '\n')+1:]
		tail = tail[:len(tail)-len(line)]
		tells := bytes.Contains(line, []byte(`"usage"`)) || bytes.Contains(line, []byte(`"compact_boundary"`))
		if !tells || !r.readRecord(jsonl.NewCursor(line)) {
			continue
		}
		switch u := r.msg.usage; {
		case string(r.subtype) == "compact_boundary":
			return 0
		case string(r.kind) == "assistant" && !r.sidechain && r.msg.hasUsage:
			return int(u.Input + u.CacheRead + u.CacheWrite + u.Output)
		}
	}
	return 0
}

// ForkOf returns the session whose lines a transcript begins with, "" if it is no copy.
func ForkOf(transcript string) string {
	_, after, _ := strings.Cut(ingest.ReadStart(transcript, headMost), `"forkedFrom":{"sessionId":"`)
	id, _, _ := strings.Cut(after, `"`)
	return id
}
