package payload

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"recall/internal/text"
)

// Op is what a person did to an item.
type Op string

const (
	OpSet   Op = "set"   // changed fields of it
	OpDrop  Op = "drop"  // took it out, for good
	OpAdd   Op = "add"   // wrote it
	OpPin   Op = "pin"   // wants it kept when the budget is tight
	OpUnpin Op = "unpin" // takes a pin back
	OpTitle Op = "title" // gave the session another title; has no item
	OpKeep  Op = "keep"  // looked at it and left it as it is; changes nothing
	OpMark  Op = "mark"  // marked the session, see MarksOf; has no item
)

// Edit is a line of edits.jsonl, the authoritative record of what people did to a payload. Edits are undone by
// further edits.
type Edit struct {
	Op   Op        `json:"op"`
	ID   ItemID    `json:"id,omitempty"` // "" for OpTitle and OpMark
	At   time.Time `json:"at"`
	Who  string    `json:"who,omitempty"`
	Set  *Fields   `json:"set,omitempty"`  // for OpSet: the fields that change
	Item *Item     `json:"item,omitempty"` // for OpAdd

	Title string `json:"title,omitempty"` // for OpTitle
	Seen  string `json:"seen,omitempty"`  // for OpKeep: the item's Fingerprint; "" takes an earlier one back
	Mark  *Mark  `json:"mark,omitempty"`  // for OpMark
}

// Fields are the parts of an item that a person can change; nil leaves a part unchanged.
type Fields struct {
	Kind         *Kind     `json:"kind,omitempty"`
	Text         *string   `json:"text,omitempty"`
	Why          *string   `json:"why,omitempty"`
	Scope        *string   `json:"scope,omitempty"`
	Alternatives *[]string `json:"alternatives,omitempty"`
	Path         *string   `json:"path,omitempty"`
	Status       *string   `json:"status,omitempty"`
	State        *State    `json:"state,omitempty"`
}

// Check returns what is wrong with an edit, or nil.
func (e Edit) Check() error {
	switch {
	case e.Op == OpTitle && e.Title == "":
		return errors.New("title without a title")
	case e.Op == OpMark && e.Mark == nil:
		return errors.New("mark without a mark")
	case e.Op == OpTitle, e.Op == OpMark:
		return nil
	case e.ID == "":
		return errors.New("edit without an item's id")
	case e.Op == OpSet && e.Set == nil:
		return fmt.Errorf("set of %s without what to set", e.ID)
	case e.Op == OpAdd && e.Item == nil:
		return fmt.Errorf("add of %s without its item", e.ID)
	case !slices.Contains([]Op{OpSet, OpDrop, OpAdd, OpPin, OpUnpin, OpKeep}, e.Op):
		return fmt.Errorf("unknown edit %q of %s", e.Op, e.ID)
	}
	return nil
}

// Apply returns a copy of p with the edits applied in order. A person's edits win over the distillation: an item that
// they set, added or pinned stands even if it was retired since. Dropped items are among the retired, unless a later
// edit undoes the drop. Apply is idempotent.
func Apply(p *Payload, edits []Edit) *Payload {
	out := *p
	out.Items, out.Retired = slices.Clone(p.Items), slices.Clone(p.Retired)
	dropped := map[ItemID]bool{} // after all edits
	for _, e := range edits {
		if e.Op != OpUnpin && e.Op != OpKeep {
			dropped[e.ID] = e.Op == OpDrop
		}
	}
	for i := range edits {
		switch e := &edits[i]; {
		case e.Op == OpTitle:
			out.Title = e.Title
		case dropped[e.ID]:
			out.applyDropped(e)
		default:
			out.apply(e)
		}
	}
	sortRetired(out.Retired)
	return &out
}

// applyDropped applies an edit of an item that this or a later edit drops.
func (p *Payload) applyDropped(e *Edit) {
	switch known := slices.ContainsFunc(slices.Concat(p.Items, p.Retired), func(it Item) bool { return it.ID == e.ID }); {
	case e.Op == OpAdd && !known && e.Item != nil:
		p.add(e)
	case e.Op == OpDrop:
		p.retire(e.ID)
	}
}

func (p *Payload) apply(e *Edit) {
	switch e.Op {
	case OpAdd:
		if p.revive(e.ID) == nil && e.Item != nil {
			p.add(e)
		}
	case OpSet:
		if it := p.revive(e.ID); it != nil {
			it.set(e.Set)
			p.replace(*it)
		}
	case OpPin:
		if it := p.revive(e.ID); it != nil {
			it.Pinned = true
		}
	case OpUnpin:
		if it := p.find(e.ID); it != nil {
			it.Pinned = false
		}
	}
}

// find returns the item if it isn't retired, or nil.
func (p *Payload) find(id ItemID) *Item {
	if i := slices.IndexFunc(p.Items, func(it Item) bool { return it.ID == id }); i >= 0 {
		return &p.Items[i]
	}
	return nil
}

// revive returns the item, restoring it if it was retired, or nil if there is none.
func (p *Payload) revive(id ItemID) *Item {
	if it := p.find(id); it != nil {
		return it
	}
	for i, it := range p.Retired {
		if it.ID == id {
			it.State = Stands
			p.Retired = slices.Delete(p.Retired, i, i+1)
			p.Items = insertByKind(p.Items, it)
			return p.find(id)
		}
	}
	return nil
}

func (p *Payload) retire(id ItemID) {
	if it := p.find(id); it != nil {
		gone := *it
		gone.State, gone.Pinned = Retired, false
		p.Items = slices.DeleteFunc(p.Items, func(it Item) bool { return it.ID == id })
		p.Retired = append(p.Retired, gone)
	}
}

// replace puts back an item whose kind may have changed, at its proper place.
func (p *Payload) replace(it Item) {
	i := slices.IndexFunc(p.Items, func(other Item) bool { return other.ID == it.ID })
	before, after := i-1, i+1
	inPlace := (before < 0 || p.Items[before].Kind.Order() <= it.Kind.Order()) &&
		(after >= len(p.Items) || it.Kind.Order() <= p.Items[after].Kind.Order())
	if !inPlace {
		p.Items = insertByKind(slices.Delete(p.Items, i, i+1), it)
	}
}

// add adds a person's own item. The edit is its evidence.
func (p *Payload) add(e *Edit) {
	it := *e.Item
	it.ID, it.Maker = e.ID, ByHuman
	if it.By == "" {
		it.By = ByUser
	}
	if it.State == "" {
		it.State = Stands
	}
	if it.At.IsZero() {
		it.At = e.At
	}
	p.Items = insertByKind(p.Items, it)
}

// set changes the given fields. It keeps the text as distilled, so that redistilling still recognizes the item.
func (it *Item) set(f *Fields) {
	if f == nil {
		return
	}
	if f.Text != nil && *f.Text != it.Text {
		if it.Was == "" && len(it.Evidence) > 0 {
			it.Was = it.Text
		}
		it.Text = *f.Text
	}
	setIfGiven(&it.Kind, f.Kind)
	setIfGiven(&it.Why, f.Why)
	setIfGiven(&it.Scope, f.Scope)
	setIfGiven(&it.Alternatives, f.Alternatives)
	setIfGiven(&it.Path, f.Path)
	setIfGiven(&it.Status, f.Status)
	setIfGiven(&it.State, f.State)
	it.Maker = ByHuman
}

func setIfGiven[T any](field *T, v *T) {
	if v != nil {
		*field = *v
	}
}

func sortRetired(items []Item) {
	slices.SortFunc(items, func(a, b Item) int {
		return cmp.Or(a.Kind.Order()-b.Kind.Order(), a.At.Compare(b.At), strings.Compare(string(a.ID), string(b.ID)))
	})
}

// Mark is a change to a session's marks; fields not given stay unchanged.
type Mark struct {
	Star    *bool    `json:"star,omitempty"`
	Archive *bool    `json:"archive,omitempty"`
	Tag     []string `json:"tag,omitempty"`
	Untag   []string `json:"untag,omitempty"`
}

// Marks are what people said about a session as a whole, besides its title.
type Marks struct {
	Starred  bool     `json:"starred,omitempty"`
	Archived bool     `json:"archived,omitempty"` // omitted from lists and answers unless asked for
	Tags     []string `json:"tags,omitempty"`     // sorted
}

// MarksOf returns the marks that result from the edits in order.
func MarksOf(edits []Edit) (m Marks) {
	for _, e := range edits {
		if e.Op != OpMark || e.Mark == nil {
			continue
		}
		setIfGiven(&m.Starred, e.Mark.Star)
		setIfGiven(&m.Archived, e.Mark.Archive)
		m.Tags = slices.DeleteFunc(append(m.Tags, e.Mark.Tag...), func(t string) bool {
			return slices.Contains(e.Mark.Untag, t)
		})
		slices.Sort(m.Tags)
		m.Tags = slices.Compact(m.Tags)
	}
	if len(m.Tags) == 0 {
		m.Tags = nil
	}
	return m
}

// Tag normalizes a tag: #Retry becomes retry. It returns "" for an invalid one, such as one with spaces.
func Tag(text string) string {
	tag := strings.ToLower(strings.TrimPrefix(strings.TrimSpace(text), "#"))
	odd := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_./", r)
	}
	if len(tag) > 60 || strings.ContainsFunc(tag, odd) {
		return ""
	}
	return tag
}

// Fingerprint identifies what a person sees of an item: its kind, words and state.
func Fingerprint(it *Item) string {
	h := sha256.New()
	for _, part := range []string{string(it.Kind), LineOf(it)} {
		text.WritePart(h, part)
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
