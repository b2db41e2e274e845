package payload

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
)

// Look names what a person sees of an item: it changes when its kind, its words or its state do.
func Look(it *Item) string {
	h := sha256.New()
	for _, part := range []string{string(it.Kind), LineOf(it)} {
		writePart(h, part)
	}
	return hex.EncodeToString(h.Sum(nil)[:6])
}

// An Unseen is an item that nobody has looked at as it is now.
type Unseen struct {
	Item
	Changed bool // somebody has, as it was before
}

// Unreviewed lists, in the payload's order, the items that nobody wrote, changed or kept as they are now.
func Unreviewed(p *Payload, edits []Edit) []Unseen {
	kept := seenIn(edits)
	var out []Unseen
	for i := range p.Items {
		it := &p.Items[i]
		seen := kept[it.ID]
		settled := !it.Current() || it.Maker == ByHuman || formatItem(it) == "" || seen == Look(it)
		if settled {
			continue
		}
		out = append(out, Unseen{*it, seen != ""})
	}
	return out
}

// Kept are the items that a person wrote, changed, pinned, or kept as they are now.
func Kept(p *Payload, edits []Edit) map[ItemID]bool {
	seen, kept := seenIn(edits), map[ItemID]bool{}
	for i := range p.Items {
		it := &p.Items[i]
		kept[it.ID] = it.Maker == ByHuman || it.Pinned || seen[it.ID] == Look(it)
	}
	return kept
}

// seenIn is what people last saw of the items that they kept, as Look names it.
func seenIn(edits []Edit) map[ItemID]string {
	seen := map[ItemID]string{}
	for _, e := range edits {
		if e.Op == OpKeep {
			seen[e.ID] = e.Seen
		}
	}
	return seen
}

// LineOf is what an item's line says in payload.md, without bullet.
func LineOf(it *Item) string {
	plain := *it
	plain.Pinned = false
	return formatItem(&plain)
}

// Reword returns the edits, with the time and author of edit, by which an item's line becomes another, written as in
// payload.md: "text (scope: condition) — because why".
func Reword(p *Payload, id ItemID, line string, edit Edit) ([]Edit, error) {
	old := p.find(id)
	if old == nil {
		return nil, fmt.Errorf("%s: no such item", id)
	}
	now := parseItem(old.Kind, bullet().ReplaceAllString(visible(line), ""))
	if now.Text == "" && now.Path == "" {
		return nil, errors.New("a line that says nothing")
	}
	shown := parseItem(old.Kind, LineOf(old))
	now.Pinned = shown.Pinned
	m := merger{p: p, edit: edit}
	m.changed(id, &shown, &now)
	return m.edits, nil
}
