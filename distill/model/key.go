package model

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"maps"
	"slices"

	"recall/ingest"
)

// Keys of the Store consist of a task, "-" and 40 hexadecimal digits. "extract" holds answers about windows, "pair" the
// answer about a pair of items; "cut" says where a window ended.

// cutKey is the key for where the window after another one ends; for a session's first
// window it is made from the session. With one key for the first windows of all sessions,
// every session that grew would be asked about from the beginning again.
func cutKey(of ingest.SessionID, chain string) string {
	if chain == "" {
		return keyOf("cut", "of", string(of))
	}
	return keyOf("cut", chain)
}

// windowKey is the key of a window's answer. It depends on the content of its turns, not on
// how they are condensed, and on the windows before it.
func windowKey(chain string, blocks []block) string {
	h := sha256.New()
	part(h, chain)
	for i := range blocks {
		k := &blocks[i]
		if k.part > 0 {
			part(h, k.text)
			continue
		}
		writeTurn(h, k.turn)
	}
	return "extract-" + hex.EncodeToString(h.Sum(nil)[:20])
}

// keyOf makes a key from parts, hashing each with its length.
func keyOf(task string, parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		part(h, p)
	}
	return task + "-" + hex.EncodeToString(h.Sum(nil)[:20])
}

func part(h hash.Hash, s string) {
	h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(s))))
	h.Write([]byte(s))
}

// writeTurn hashes what is asked about in a turn, including its number, since answers cite
// it.
func writeTurn(h hash.Hash, t *ingest.Turn) {
	part(h, fmt.Sprintf("%s %d %s %s %v", t.ID, t.N, t.Kind, t.Name, t.Foreign))
	part(h, t.Text)
	for i := range t.Calls {
		c := &t.Calls[i]
		part(h, fmt.Sprintf("%s %s %v %v %s %s", c.Name, c.Path, c.Done, c.Failed, c.Verdict, c.Commit))
		for _, s := range []string{c.Command, c.Reason, c.CommitMessage, c.Result} {
			part(h, s)
		}
		for _, a := range c.Answers {
			part(h, fmt.Sprintf("%q %q %q %q", a.Question, a.Options, a.Chosen, a.Notes))
		}
		if c.Plan != nil {
			part(h, c.Plan.Text)
		}
		for _, k := range slices.Sorted(maps.Keys(c.Input)) {
			part(h, k+"="+c.Input[k])
		}
	}
}
