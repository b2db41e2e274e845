package hooks

import (
	"bytes"
	"encoding/json"
	"fmt"

	"recall/ingest"
)

// While a session runs, it is told once that its context is filling up, and the person once where it could well end.

// tailMost is how many bytes of a transcript's end are read.
const tailMost = 512 << 10

// tokensIn returns how many tokens a transcript's conversation holds according to the service's last answer; 0 if
// there is none since a compaction.
func tokensIn(path string) int {
	tail := []byte(ingest.ReadEnd(path, tailMost))
	for len(tail) > 0 {
		line := tail[bytes.LastIndexByte(bytes.TrimRight(tail, "\n"), '\n')+1:]
		tail = tail[:len(tail)-len(line)]
		if n, done := tokensOf(line); done {
			return n
		}
	}
	return 0
}

// tokensOf reads the count from one record; done is false if an earlier record must be read.
func tokensOf(line []byte) (tokens int, done bool) {
	if bytes.Contains(line, []byte(`"subtype":"compact_boundary"`)) {
		return 0, true
	}
	if !bytes.Contains(line, []byte(`"usage"`)) {
		return 0, false
	}
	var r struct {
		Type    string `json:"type"`
		Side    bool   `json:"isSidechain"`
		Message struct {
			Usage struct {
				In      int `json:"input_tokens"`
				Read    int `json:"cache_read_input_tokens"`
				Written int `json:"cache_creation_input_tokens"`
				Out     int `json:"output_tokens"`
			} `json:"usage"`
		} `json:"message"`
	}
	if json.Unmarshal(line, &r) != nil || r.Type != "assistant" || r.Side {
		return 0, false
	}
	u := r.Message.Usage
	return u.In + u.Read + u.Written + u.Out, true
}

// boundary proposes, once in a session, to end it where the work was just committed and half of the context is used; ""
// otherwise. A nudge is due at three quarters of it.
func (h *Host) boundary(in Input, m *memo) string {
	committed := m.Committed
	m.Committed = false
	if !committed || m.Proposed || h.Nudge == 0 || tokensIn(in.Transcript) < h.Nudge*2/3 {
		return ""
	}
	m.Proposed = true
	return "recall: committed, and half of the context is used: the next piece of work could begin in a new session " +
		"(recall wrap-up hands over)"
}

// nudge says that the context is filling up; "" if it isn't, or that was said since the last compaction.
func (h *Host) nudge(in Input, m *memo) string {
	if h.Nudge == 0 || m.Nudged || in.Transcript == "" {
		return ""
	}
	n := tokensIn(in.Transcript)
	if m.Nudged = n >= h.Nudge; !m.Nudged {
		return ""
	}
	return fmt.Sprintf("<!-- recall -->\nNote from recall: this conversation holds some %d,000 tokens. Before the client "+
		"cuts it down to a summary, say plainly what must not be lost: what was decided and why, what is ruled out, the "+
		"next action "+
		"(recall_note keeps it). The user may hand over now instead: recall wrap-up.\n<!-- /recall -->", n/1000)
}
