package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"recall/index"
	"recall/payload"
)

// itemDoc is the JSON form of why an item is.
type itemDoc struct {
	Schema   int            `json:"schema"` // 1
	Project  string         `json:"project"`
	Session  string         `json:"session"`
	Number   int            `json:"number"`
	Title    string         `json:"title"`
	Turn     int            `json:"turn,omitempty"`
	Item     payload.Item   `json:"item"`
	Standing *linkedDoc     `json:"standing,omitempty"` // what stands in its place
	Earlier  []linkedDoc    `json:"earlier"`            // what it bears on, newest first
	Later    []linkedDoc    `json:"later"`              // what bears on it, oldest first
	Since    map[string]int `json:"since,omitempty"`    // commits since, by file that it speaks of
}

// whyItem walks from an item to its evidence, to what lost against it, and to
// what came before and after it.
func (a *app) whyItem(cmd *cobra.Command, arg string) error {
	l, err := a.library(cmd)
	if err != nil {
		return err
	}
	p, err := a.item(cmd, l, arg)
	if err != nil {
		return err
	}
	earlier, later, err := a.around(cmd, p.Item.ID)
	if err != nil {
		return err
	}
	since := changedSince(cmd.Context(), l, index.Hit{Place: p.Place, Item: p.Item})
	if asJSON, _ := cmd.Flags().GetBool("json"); asJSON {
		doc := itemDoc{Schema: 1, Project: p.Project, Session: p.Session, Number: p.SessionN, Title: p.SessionTitle, Turn: p.Turn, Item: p.Item,
			Earlier: append([]linkedDoc{}, linkedDocs(earlier)...), Later: append([]linkedDoc{}, linkedDocs(later)...), Since: since}
		for _, d := range doc.Later {
			if d.Sure && d.Relation == payload.Supersedes {
				doc.Standing = &d
			}
		}
		return a.printJSON(doc)
	}
	pg := page{w: a.out, st: styles(a.color), width: width(a.out), since: since}
	pg.walk(p, earlier, later)
	return nil
}

// around follows an item's links: what came before it, newest first, and after
// it, oldest first, as far as links lead in that direction.
func (a *app) around(cmd *cobra.Command, id payload.ItemID) (earlier, later []index.Linked, err error) {
	follow := func(back bool) ([]index.Linked, error) {
		var out []index.Linked
		seen := map[payload.ItemID]bool{id: true}
		for todo := []payload.ItemID{id}; len(todo) > 0; todo = todo[1:] {
			links, err := a.ix.LinksOf(cmd.Context(), todo[0])
			if err != nil {
				return nil, err
			}
			for _, l := range links {
				near, far := l.To, l.From
				if back {
					near, far = l.From, l.To
				}
				if near != todo[0] || seen[far] {
					continue
				}
				seen[far] = true
				if p, err := a.ix.ItemByID(cmd.Context(), far); err == nil {
					out = append(out, index.Linked{Placed: p, Link: l})
					todo = append(todo, far)
				}
			}
		}
		slices.SortStableFunc(out, func(x, y index.Linked) int { return x.Item.At.Compare(y.Item.At) })
		return out, nil
	}
	if earlier, err = follow(true); err == nil {
		slices.Reverse(earlier)
		later, err = follow(false)
	}
	return earlier, later, err
}

// walk prints an item, all it rests on, and what came before and after.
func (p *page) walk(at index.Placed, earlier, later []index.Linked) {
	it := withReason(at.Item)
	state := stateText(it)
	for _, l := range later {
		if l.Link.Hides() && l.Link.Relation == payload.Supersedes {
			state = "superseded " + day(l.Item.At)
		}
	}
	p.headline(mark(it, p.st), p.sentence(it), state)
	p.field("why", it.Why)
	p.field("who", p.source(it, at.Place, at.Turn))
	for i, lost := range it.Alternatives {
		p.field(map[bool]string{true: "over"}[i == 0], lost)
	}
	for _, e := range it.Evidence {
		p.quote(e.Quote)
		if len(it.Evidence) > 1 {
			fmt.Fprintf(p.w, "    %sturn %d%s\n", p.st.dim, e.N, p.st.reset)
		}
	}
	if len(it.Evidence) == 0 {
		p.field("", "A person wrote it; there is no other evidence.")
	}
	p.steps("before", earlier)
	p.steps("later", later)
	p.changes()
	p.wrapped("  ", "  ", fmt.Sprintf("recall open %s · recall relate %s supersedes …", it.ID, it.ID), p.st.dim)
}

// steps prints what came before or after an item, with how that is known.
func (p *page) steps(name string, list []index.Linked) {
	if len(list) > 0 {
		fmt.Fprintf(p.w, "%s:\n", name)
	}
	for _, l := range list {
		p.wrapped("  "+mark(l.Item, p.st)+" ", "    ", fmt.Sprintf("%s — %s", p.past(l), tie(l, name == "later")), "")
		for _, e := range l.Item.Evidence[:min(1, len(l.Item.Evidence))] {
			p.wrapped("    ", "    ", "“"+clip(oneLine(e.Quote), 200)+"”", p.st.dim)
		}
	}
}

// tie says how an item bears on the one before or after it, who says so and how
// sure that is.
func tie(l index.Linked, later bool) string {
	words := map[payload.Relation][2]string{
		payload.Supersedes:  {"was superseded", "superseded it"},
		payload.Refines:     {"was refined", "refined it"},
		payload.Contradicts: {"contradicts it", "contradicts it"},
		payload.Same:        {"said the same before", "said it again"},
	}[l.Link.Relation]
	text := words[0]
	if later {
		text = words[1]
	}
	if !l.Link.Collapses && l.Link.Maker != payload.ByHuman && l.Link.Relation == payload.Supersedes {
		text = "perhaps " + text
	}
	switch l.Link.Maker {
	case payload.ByHuman:
		text += ", a person said"
	case payload.ByModel:
		text += ", a model found"
	default:
		text += fmt.Sprintf(" (by rule %s, measured right in %.0f %%)", l.Link.Rule, 100*l.Link.Precision)
	}
	return text
}
