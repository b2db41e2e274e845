package history

import (
	"cmp"
	"context"
	"slices"

	"recall/index"
	"recall/library"
	"recall/payload"
)

// What of an error's words must be told, and how much is shown.
const (
	toldShare = 0.7
	nearShare = 0.4
	toldShow  = 3
	thenShow  = 4
)

// teller looks for where an error is told of.
type teller struct {
	index  *index.Index
	shelf  *library.Shelf
	search func(index.Query) (index.Answer, error)
	words  []string
	text   string
}

// told looks an error up in what people typed, then in what was found, then as a query; match says which it was.
func (t *teller) told(ctx context.Context) (match string, out []Told, err error) {
	if len(t.words) == 0 {
		return "none", nil, nil
	}
	all, err := t.search(index.Query{Text: line(t.text), Limit: 30})
	if err != nil {
		return "", nil, err
	}
	for _, r := range all.Ranked {
		if r.Role == "user" && wordShare(t.words, r.Text) >= toldShare {
			out = append(out, Told{SessionRef: t.shelf.Ref(r.Session), Turn: r.Turn, At: r.At, Kind: "prompt",
				Text: r.Text})
		}
	}
	for _, r := range all.Items() {
		if r.Item.Kind == payload.Goal && wordShare(t.words, r.Item.Text) >= toldShare {
			prompt := t.of(r) // a goal stands for the prompt that it is worded by
			prompt.Kind, prompt.Why, prompt.ID = "prompt", "", ""
			out = append(out, prompt)
		}
	}
	if len(out) > 0 {
		out = firstOfEach(out)
		return "prompt", out, t.cameOf(ctx, out)
	}
	for _, in := range []struct {
		match string
		kinds []payload.Kind
	}{{"finding", []payload.Kind{payload.Finding}}, {"query", nil}} {
		found, err := t.search(index.Query{Text: line(t.text), Limit: toldShow, Kinds: in.kinds})
		if err != nil {
			return "", nil, err
		}
		for _, r := range found.Items() {
			if wordShare(t.words, r.Item.Text+" "+r.Item.Why) >= nearShare { // else the nearest there is, and far off
				out = append(out, t.of(r))
			}
		}
		if len(out) > 0 {
			return in.match, out, nil
		}
	}
	return "none", nil, nil
}

func (t *teller) of(r *index.Result) Told {
	return Told{SessionRef: t.shelf.Ref(r.Session), Turn: r.Turn, At: r.Item.At, Kind: string(r.Item.Kind),
		Text: r.Item.Text, Why: r.Item.Why, ID: r.Item.ID}
}

// firstOfEach are the newest sessions with the first prompt of each.
func firstOfEach(all []Told) []Told {
	slices.SortStableFunc(all, func(a, b Told) int {
		return cmp.Or(b.Start.Compare(a.Start), cmp.Compare(a.Session, b.Session), a.Turn-b.Turn)
	})
	all = slices.CompactFunc(all, func(a, b Told) bool { return a.Session == b.Session })
	return all[:min(toldShow, len(all))]
}

var toldFirst = []payload.Kind{payload.Finding, payload.Hypothesis, payload.Decision}

// cameOf adds what the sessions found, and then what they decided.
func (t *teller) cameOf(ctx context.Context, out []Told) error {
	for i := range out {
		one := &out[i]
		items, err := t.index.ItemsIn(ctx, one.Project, toldFirst...)
		if err != nil {
			return err
		}
		slices.SortStableFunc(items, func(a, b index.Placed) int {
			return slices.Index(toldFirst, a.Item.Kind) - slices.Index(toldFirst, b.Item.Kind)
		})
		for _, p := range items {
			if p.Session == one.Session && p.Item.Current() && len(one.Then) < thenShow {
				one.Then, one.Items = append(one.Then, p.Item.ID), append(one.Items, p.Item)
			}
		}
	}
	return nil
}
