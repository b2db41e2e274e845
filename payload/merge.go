package payload

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"recall/internal/text"
)

// minEditedLikeness is the likeness from which a new line and a missing one count as the same line, edited.
const minEditedLikeness = 0.35

// Merge returns what a person did to payload.md, as edits for edits.jsonl and Apply. It is a three-way merge of the
// edited page, the page as recall last wrote it (p.Written, p.WrittenIDs) and today's items. Only differences between
// the pages are attributed to the person: a line cut for the budget isn't dropped, and what was distilled since
// stays; if both changed an item, the person wins. The order of lines is recall's, except for which next action is
// first. who and at go into the edits. If a line of edited can't be read, the error names it and nothing is merged.
func Merge(p *Payload, edited, who string, at time.Time) ([]Edit, error) {
	if edited == p.Written {
		return nil, nil
	}
	if strings.Count(edited, "\x00")*8 > len(edited) { // UTF-16, or a file that a crash emptied
		return nil, errors.New("payload.md: it isn't text in UTF-8; save it as that, or delete it to have it written anew")
	}
	if strings.TrimSpace(edited) == "" {
		return nil, nil // lost rather than edited: items are dropped line by line
	}
	now, err := read(edited)
	if err != nil {
		return nil, fmt.Errorf("payload.md: %w", err)
	}
	if now.cut {
		return nil, fmt.Errorf("payload.md: its last line, <!-- /recall -->, is missing, " +
			"so it may be cut off and nothing is taken from it; put that line back, or remove <!-- recall … --> too")
	}
	m := merger{p: p, now: now, edit: Edit{Who: who, At: at.UTC()}}
	if m.base, m.written, err = baseOf(p); err != nil {
		return nil, err
	}
	m.title()
	m.pair()
	m.settle()
	for i := range now.Lines {
		if k := m.pairs[i]; k >= 0 {
			m.changed(m.base.IDs[k], &m.base.Lines[k].Item, &now.Lines[i].Item)
		} else {
			m.added(i)
		}
	}
	m.dropped()
	m.first()
	return m.edits, nil
}

// baseOf returns the page as last written, with an id per line, and true. If that can't be read, it returns today's
// items as a page and false.
func baseOf(p *Payload) (base *Doc, written bool, err error) {
	base, err = Read(p.Written)
	if err == nil && len(p.WrittenIDs) > 0 && len(base.Lines) == len(p.WrittenIDs) {
		base.IDs = p.WrittenIDs
		return base, true, nil
	}
	r := Render(p, Options{Budget: -1})
	base, err = Read(r.Text)
	if err != nil || len(base.Lines) != len(r.Shown) {
		return nil, false, fmt.Errorf("merge %s: its own page doesn't read back: %v", p.Session, err)
	}
	base.IDs = r.Shown
	return base, false, nil
}

type merger struct {
	p         *Payload
	base, now *Doc
	written   bool  // base is the page as last written
	pairs     []int // for each line of now the matching line of base, or -1
	edit      Edit  // template: who and when
	edits     []Edit
	taken     map[ItemID]bool
}

func (m *merger) do(op Op, id ItemID, set *Fields, it *Item) {
	e := m.edit
	e.Op, e.ID, e.Set, e.Item = op, id, set, it
	m.edits = append(m.edits, e)
}

// title records a changed title. The line below it is recall's.
func (m *merger) title() {
	if m.now.Title != "" && m.now.Title != m.base.Title {
		m.do(OpTitle, "", nil, nil)
		m.edits[len(m.edits)-1].Title = m.now.Title
	}
}

// pair matches each line of now with a line of base: an equal line, then one with the same words under another
// heading, then a similar one or one with the same neighbours.
func (m *merger) pair() {
	m.pairs = slices.Repeat([]int{-1}, len(m.now.Lines))
	used := make([]bool, len(m.base.Lines))
	old, now := itemsOf(m.base.Lines), itemsOf(m.now.Lines)
	pairSame(old, now, m.pairs, used, func(it *Item) string { return string(it.Kind) + " " + LineOf(it) })
	pairSame(old, now, m.pairs, used, LineOf)
	pairBest(m.pairs, used, func(i, k int) float64 {
		if m.copied(i) {
			return 0
		}
		return m.changedLike(i, k, used)
	})
}

// settle gives lines under a heading that names no kind their former kind.
func (m *merger) settle() {
	for i := range m.now.Lines {
		switch l, k := &m.now.Lines[i], m.pairs[i]; {
		case l.odd == "":
		case k >= 0:
			l.settle(m.base.Lines[k].Item.Kind)
		default:
			l.settle("")
		}
	}
}

func itemsOf(lines []Line) (items []Item) {
	for _, l := range lines {
		items = append(items, l.Item)
	}
	return items
}

// changedLike scores how likely line i of now is an edited line k of base; 0 if it isn't.
func (m *merger) changedLike(i, k int, used []bool) float64 {
	now, old := &m.now.Lines[i].Item, &m.base.Lines[k].Item
	like := text.Words(now.Path + " " + now.Text).Like(text.Words(old.Path + " " + old.Text))
	like = max(like, text.Words(LineOf(now)).Like(text.Words(LineOf(old))))
	if now.Kind == File && old.Kind == File && now.Path == old.Path {
		like = 1
	}
	place := now.Kind == old.Kind && m.sameNeighbours(i, k, used)
	if like < minEditedLikeness && !place {
		return 0
	}
	if now.Kind == old.Kind {
		like += 0.2
	}
	if place {
		like += 0.3
	}
	return like
}

// sameNeighbours reports whether line i of now and line k of base have the same neighbours in their section.
func (m *merger) sameNeighbours(i, k int, used []bool) bool {
	neighbours := func(step int) bool {
		a, b := i+step, k+step
		nowEnds := a < 0 || a >= len(m.now.Lines) || m.now.Lines[a].Item.Kind != m.now.Lines[i].Item.Kind
		baseEnds := b < 0 || b >= len(m.base.Lines) || m.base.Lines[b].Item.Kind != m.base.Lines[k].Item.Kind
		if nowEnds || baseEnds {
			return nowEnds && baseEnds
		}
		return used[b] && m.pairs[a] == b
	}
	return neighbours(-1) && neighbours(1)
}

// copied reports whether line i repeats an earlier line of the page.
func (m *merger) copied(i int) bool {
	it := &m.now.Lines[i].Item
	return slices.ContainsFunc(m.now.Lines[:i], func(l Line) bool {
		return l.Item.Kind == it.Kind && LineOf(&l.Item) == LineOf(it)
	})
}

// changed records what the person changed in an item: exactly the fields that differ between the pages.
func (m *merger) changed(id ItemID, old, now *Item) {
	var f Fields
	setIfChanged(&f.Kind, old.Kind, now.Kind)
	setIfChanged(&f.Text, old.Text, now.Text)
	setIfChanged(&f.Why, old.Why, now.Why)
	setIfChanged(&f.Scope, old.Scope, now.Scope)
	setIfChanged(&f.Path, old.Path, now.Path)
	setIfChanged(&f.Status, old.Status, now.Status)
	setIfChanged(&f.State, old.State, now.State)
	// Alternatives that the text mentions are hidden. After a change of text they would appear, though the person's
	// line doesn't have them.
	hidden := f.Text != nil && slices.ContainsFunc(m.p.Items, func(it Item) bool {
		return it.ID == id && !slices.Equal(it.Alternatives, now.Alternatives)
	})
	if hidden || !slices.Equal(old.Alternatives, now.Alternatives) {
		lost := append([]string{}, now.Alternatives...)
		f.Alternatives = &lost
	}
	if f != (Fields{}) {
		m.do(OpSet, id, &f, nil)
	}
	if now.Pinned && !old.Pinned {
		m.do(OpPin, id, nil, nil)
	}
	if old.Pinned && !now.Pinned {
		m.do(OpUnpin, id, nil, nil)
	}
}

func setIfChanged[T comparable](field **T, old, now T) {
	if old != now {
		*field = &now
	}
}

// added records a line that the person wrote. If an item that isn't on the page says the same, the line brings that
// item back.
func (m *merger) added(i int) {
	it := m.now.Lines[i].Item
	if m.copied(i) {
		return
	}
	same := func(other Item) bool {
		return other.Kind == it.Kind && LineOf(&other) == LineOf(&it) && !slices.Contains(m.base.IDs, other.ID)
	}
	if k := slices.IndexFunc(m.p.Items, same); k >= 0 {
		m.do(OpPin, m.p.Items[k].ID, nil, nil)
		return
	}
	if k := slices.IndexFunc(m.p.Retired, same); k >= 0 {
		stands := Stands
		m.do(OpSet, m.p.Retired[k].ID, &Fields{State: &stands}, nil)
		return
	}
	if m.taken == nil {
		m.taken = map[ItemID]bool{}
		for _, it := range slices.Concat(m.p.Items, m.p.Retired) {
			m.taken[it.ID] = true
		}
		for _, id := range slices.Concat(m.base.IDs, m.now.IDs) {
			m.taken[id] = true
		}
	}
	it.By, it.Maker, it.Confidence, it.At = ByUser, ByHuman, 1, m.edit.At
	own := []Item{it}
	Mint(m.p.Session, own, m.taken)
	m.do(OpAdd, own[0].ID, nil, &own[0])
}

// dropped records missing lines; only lines that were on the person's page, by its head marker, can be missing.
func (m *merger) dropped() {
	for k, id := range m.base.IDs {
		onPage := slices.Contains(m.now.IDs, id) || m.now.IDs == nil && m.written
		if onPage && !slices.Contains(m.pairs, k) {
			m.do(OpDrop, id, nil, nil)
		}
	}
}

// first pins a next action that the person moved before the former first one.
func (m *merger) first() {
	isNext := func(l Line) bool { return l.Item.Kind == Next && l.Item.State != Done }
	i := slices.IndexFunc(m.now.Lines, isNext)
	k := slices.IndexFunc(m.base.Lines, isNext)
	untouched := i < 0 || k < 0 || m.pairs[i] == k || !slices.Contains(m.pairs, k) || m.now.Lines[i].Item.Pinned
	if untouched {
		return
	}
	if j := slices.Index(m.pairs, k); !isNext(m.now.Lines[j]) {
		return // the former first was ticked off
	}
	if m.pairs[i] >= 0 {
		m.do(OpPin, m.base.IDs[m.pairs[i]], nil, nil)
		return
	}
	for _, e := range m.edits {
		if e.Op == OpAdd && LineOf(e.Item) == LineOf(&m.now.Lines[i].Item) {
			e.Item.Pinned = true
		}
	}
}
