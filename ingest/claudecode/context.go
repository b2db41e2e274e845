package claudecode

import (
	"bytes"
	"strings"

	"recall/ingest"
	"recall/ingest/jsonl"
)

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
