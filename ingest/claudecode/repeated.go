package claudecode

import (
	"hash/maphash"
	"slices"
	"strings"

	"recall/ingest"
	"recall/ingest/jsonl"
)

// saysMore reports whether a record with the uuid of an earlier one says what no
// turn has said: two writers, or a snapshot of a message that grew.
func (p *parser) saysMore(r *record) bool {
	if r.sidechain || r.meta || r.synthetic {
		return false
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
			if text = clipText(typed.Text); typed.Kind != ingest.Prompt {
				continue
			}
		}
		if text != "" && !p.stands(text) {
			return true
		}
	}
	return false
}

// told finds again what a draft said.
type told struct {
	at     int            // place of the draft that was found last
	whole  map[uint64]int // hash of a text of a draft → the draft's place
	hashed int            // so many drafts are in whole, as they were then
	looked int64          // bytes of drafts that were searched
}

// How many bytes of drafts may be searched for what is repeated: so many, and so
// many times those read. Whoever means well doesn't come near it: what is repeated
// was said in the same words, and is found by them, or in the same order.
const (
	mayLook      = 256 << 20
	mayLookAgain = 32
)

// stands reports whether a text is part of a turn. It looks first for a turn that
// says just that, then from where it found the last one: what is repeated comes in
// the order in which it was said, and may be all of a long file. Where that takes
// too long it isn't one: said twice is better than lost.
func (p *parser) stands(text string) bool {
	if at, ok := p.wholes()[maphash.String(p.seen.hasher, text)]; ok && p.drafts[at].says(text) {
		p.told.at = at
		return true
	}
	for i := range p.drafts {
		if p.told.looked > mayLook+mayLookAgain*p.off {
			return false
		}
		at := (p.told.at + i) % len(p.drafts)
		d := p.drafts[at]
		if p.told.looked += d.size(); d.says(text) {
			p.told.at = at
			return true
		}
	}
	return false
}

// wholes are the texts of all drafts; a draft that grew since has its first ones.
func (p *parser) wholes() map[uint64]int {
	t := &p.told
	if t.whole == nil {
		t.whole = map[uint64]int{}
	}
	for ; t.hashed < len(p.drafts); t.hashed++ {
		d := p.drafts[t.hashed]
		t.whole[maphash.String(p.seen.hasher, strings.TrimSpace(d.turn.Text))] = t.hashed
		for _, b := range d.parts {
			t.whole[maphash.String(p.seen.hasher, strings.TrimSpace(b.text))] = t.hashed
		}
	}
	return t.whole
}

// says reports whether a text is part of what a draft says.
func (d *draft) says(text string) bool {
	return strings.Contains(d.turn.Text, text) || slices.ContainsFunc(d.parts, func(b part) bool { return strings.Contains(b.text, text) })
}

// size is what a search through a draft costs, in bytes of text.
func (d *draft) size() int64 {
	n := 64 + len(d.turn.Text)
	for _, b := range d.parts {
		n += 16 + len(b.text)
	}
	return int64(n)
}
