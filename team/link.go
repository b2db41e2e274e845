package team

import (
	"slices"
	"strings"

	"recall/distill/relate"
	"recall/index"
	"recall/payload"
)

// Tie adds to each result how it bears on other results, and on the team's other items that were found for the
// question. Decisions of two people that can't both hold are a conflict. Whether a rule applies to two items depends on
// these alone, so nothing in the database is believed for it.
func Tie(results []*index.Result, found []index.ForeignItem) {
	ends := map[payload.ItemID]index.Placed{}
	at := map[payload.ItemID]*index.Result{}
	var items []relate.Item
	take := func(p index.Placed) {
		if _, twice := ends[p.Item.ID]; !twice && p.Item.Kind != payload.Lead {
			ends[p.Item.ID] = p
			items = append(items, relate.Item{Item: p.Item, Session: p.Session, Start: p.SessionStart})
		}
	}
	for _, r := range results {
		if r.Item != nil {
			at[r.Item.ID] = r
			take(r.Placed())
		}
	}
	for _, f := range found {
		take(index.Placed{Place: f.Place, Turn: f.First().N, Item: f.Item.Item})
	}
	for _, l := range append(relate.Links(items), differentChoices(items)...) {
		later, earlier := ends[l.From], ends[l.To]
		if later.Project == earlier.Project && later.Session != earlier.Session {
			tie(at[l.From], l, later, earlier)
			tie(at[l.To], l, earlier, later)
		}
	}
}

// tie adds a link with another item to a result, if that end of it is one.
func tie(r *index.Result, l payload.Link, own, other index.Placed) {
	if r == nil || own.Author == "" && other.Author == "" { // one's own index has linked these
		return
	}
	to := &r.Related
	if l.Relation == payload.Contradicts || l.Relation == payload.Supersedes && own.Author != other.Author {
		to = &r.Conflict
	}
	same := func(o index.Linked) bool { return o.Item.ID == other.Item.ID }
	if !slices.ContainsFunc(r.Conflict, same) && !slices.ContainsFunc(*to, same) {
		*to = append(*to, index.LinkedBy(l, other))
	}
}

// differentChoices returns links between items that answer the same question differently.
func differentChoices(items []relate.Item) (links []payload.Link) {
	slices.SortFunc(items, relate.InTime)
	for i, later := range items {
		asked, choice, ok := strings.Cut(strings.ToLower(later.Text), " → ")
		for _, earlier := range items[:i] {
			was, other, _ := strings.Cut(strings.ToLower(earlier.Text), " → ")
			if ok && was == asked && other != choice && other != "" {
				links = append(links, payload.Link{Op: payload.OpLink, Relation: payload.Contradicts, From: later.ID,
					To: earlier.ID, FromSession: later.Session, ToSession: earlier.Session, Maker: payload.ByRule,
					At: later.At})
			}
		}
	}
	return links
}
