package answer

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"recall/index"
	"recall/internal/text"
	"recall/payload"
)

// Past names an item briefly, with its place: fixed 30 s delay (2026-04-13, session 1, turn 12).
func (v Voice) Past(p index.Placed) string {
	said := text.Clip(strings.TrimRight(v.Line(p.Item.Text), "."), 120)
	return fmt.Sprintf("%s (%s, %s)", said, Day(p.Item.At), v.Where(p.Place, p.Turn, false))
}

// Was describes an item that was replaced, and how.
func (v Voice) Was(l index.Linked) string {
	became := l.Item.Kind.Became()
	if l.Relation == payload.Same {
		became = "said again"
	}
	return v.Past(l.Placed) + " → " + became
}

// See describes an item that may bear on another, and how.
func (v Voice) See(l index.Linked) string { return bearing(l) + ": " + v.Past(l.Placed) }

// bearing says how an item bears on the one before or after it.
func bearing(l index.Linked) string {
	how := map[payload.Relation][2]string{
		payload.Supersedes:  {"was superseded", "superseded it"},
		payload.Refines:     {"was refined", "refined it"},
		payload.Contradicts: {"contradicts it", "contradicts it"},
		payload.Same:        {"said the same before", "said it again"},
	}[l.Relation]
	if !l.Sure && l.Relation == payload.Supersedes {
		how = [2]string{"earlier, on the same subject", "later, on the same subject"}
	}
	if l.Later {
		return how[1]
	}
	return how[0]
}

// Tie says how an item bears on the one before or after it, who says so, and how certain that is.
func Tie(l index.Linked) string {
	switch {
	case l.Maker == payload.ByHuman:
		return bearing(l) + ", a person said"
	case l.Maker == payload.ByModel:
		return bearing(l) + ", a model found"
	case l.Link.Precision == 0: // no rule that was measured found it, such as of two that answer one question
		return bearing(l)
	}
	return fmt.Sprintf("%s (found by a rule that was right in %.0f of 100 cases)", bearing(l), 100*l.Link.Precision)
}

// Item is an item with what came before and after it: the JSON document of recall why --json.
type Item struct {
	Schema int `json:"schema"` // 1
	index.Place
	Title    string         `json:"title"`
	Turn     int            `json:"turn,omitempty"`
	Item     payload.Item   `json:"item"`
	Standing *index.Linked  `json:"standing,omitempty"` // what replaced it
	Earlier  []index.Linked `json:"earlier"`            // what it bears on, newest first
	Later    []index.Linked `json:"later"`              // what bears on it, oldest first
	Since    map[string]int `json:"since,omitempty"`    // commits since, by file that it mentions
}

// Why follows an item's links, transitively, to what came before and after it.
func Why(ctx context.Context, x *index.Index, p index.Placed) (Item, error) {
	it := Item{Schema: 1, Place: p.Place, Title: p.SessionTitle, Turn: p.Turn, Item: p.Item}
	var err error
	if it.Earlier, err = follow(ctx, x, p.Item.ID, true); err != nil {
		return it, err
	}
	slices.Reverse(it.Earlier)
	if it.Later, err = follow(ctx, x, p.Item.ID, false); err != nil {
		return it, err
	}
	for i, l := range it.Later {
		if l.Sure && l.Relation == payload.Supersedes {
			it.Standing = &it.Later[i]
		}
	}
	return it, nil
}

// follow lists what an item's links lead to, backward or forward, oldest first.
func follow(ctx context.Context, x *index.Index, id payload.ItemID, back bool) ([]index.Linked, error) {
	found := []index.Linked{}
	seen := map[payload.ItemID]bool{id: true}
	for todo := []payload.ItemID{id}; len(todo) > 0; todo = todo[1:] {
		links, err := x.LinksOf(ctx, todo[0])
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
			if p, err := x.ItemByID(ctx, far); err == nil {
				found = append(found, index.LinkedBy(l, p))
				todo = append(todo, far)
			}
		}
	}
	slices.SortStableFunc(found, func(a, b index.Linked) int { return a.Item.At.Compare(b.Item.At) })
	return found, nil
}
