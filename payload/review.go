package payload

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
)

// Fingerprint identifies what a person sees of an item: its kind, words and state.
func Fingerprint(it *Item) string {
	h := sha256.New()
	for _, part := range []string{string(it.Kind), LineOf(it)} {
		writePart(h, part)
	}
	return hex.EncodeToString(h.Sum(nil)[:6])
}

// An Unseen is an item that nobody has reviewed in its current form.
type Unseen struct {
	Item
	Changed bool // somebody reviewed an earlier form
}

// Unreviewed returns, in the payload's order, the items that nobody wrote, changed or kept in their current form.
func Unreviewed(p *Payload, edits []Edit) []Unseen {
	kept := lastKept(edits)
	var out []Unseen
	for i := range p.Items {
		it := &p.Items[i]
		seen := kept[it.ID]
		settled := !it.Current() || it.Maker == ByHuman || formatItem(it) == "" || seen == Fingerprint(it)
		if settled {
			continue
		}
		out = append(out, Unseen{*it, seen != ""})
	}
	return out
}

// Kept reports for each item whether a person wrote, changed or pinned it, or kept it in its current form.
func Kept(p *Payload, edits []Edit) map[ItemID]bool {
	seen, kept := lastKept(edits), map[ItemID]bool{}
	for i := range p.Items {
		it := &p.Items[i]
		kept[it.ID] = it.Maker == ByHuman || it.Pinned || seen[it.ID] == Fingerprint(it)
	}
	return kept
}

// lastKept returns the last Fingerprint of each item that people kept.
func lastKept(edits []Edit) map[ItemID]string {
	seen := map[ItemID]string{}
	for _, e := range edits {
		if e.Op == OpKeep {
			seen[e.ID] = e.Seen
		}
	}
	return seen
}

// LineOf returns an item's line in payload.md, without bullet and pin.
func LineOf(it *Item) string {
	plain := *it
	plain.Pinned = false
	return formatItem(&plain)
}

// Reword returns the edits, with edit's time and author, that turn an item's line into another, written as in
// payload.md: "text (scope: condition) — because why".
func Reword(p *Payload, id ItemID, line string, edit Edit) ([]Edit, error) {
	old := p.find(id)
	if old == nil {
		return nil, fmt.Errorf("%s: no such item", id)
	}
	now := parseItem(old.Kind, bullet().ReplaceAllString(visible(line), ""))
	if now.Text == "" && now.Path == "" {
		return nil, errors.New("the line says nothing")
	}
	shown := parseItem(old.Kind, LineOf(old))
	now.Pinned = shown.Pinned
	m := merger{p: p, edit: edit}
	m.changed(id, &shown, &now)
	return m.edits, nil
}
