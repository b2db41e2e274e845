package claudecode

import (
	"hash/maphash"
	"slices"
	"strings"

	"recall/ingest"
	"recall/ingest/jsonl"
)

// saysMore reports whether a record with an earlier one's uuid says what no turn of that uuid does: two writers, or a
// snapshot of a message that grew.
func (p *parser) saysMore(r *record) (more bool) {
	if r.sidechain || r.meta || r.synthetic {
		return false
	}
	var first *draft
	if n, ok := p.byID[string(r.uuid)]; ok {
		first = p.nodes[n].said
	}
	texts := [][]byte{r.msg.plain}
	for i := range r.msg.blocks {
		if string(r.msg.blocks[i].kind) == "text" {
			texts = append(texts, r.msg.blocks[i].text)
		}
	}
	for _, raw := range texts {
		text := strings.TrimSpace(jsonl.Unquote(raw))
		if string(r.kind) == "user" {
			typed := Classify(text)
			if text = ingest.ClippedText(typed.Text); typed.Kind != ingest.Prompt {
				continue
			}
		}
		if text == "" || first != nil && first.says(text) {
			continue
		}
		if h := maphash.String(p.seen.hasher, string(r.uuid)+"\n"+text); !p.seen.lines[h] {
			p.seen.lines[h], more = true, true
		}
	}
	return more
}

// says reports whether a text is part of what a draft says.
func (d *draft) says(text string) bool {
	return strings.Contains(d.turn.Text, text) ||
		slices.ContainsFunc(d.parts, func(b part) bool { return strings.Contains(b.text, text) })
}
