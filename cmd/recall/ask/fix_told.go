package ask

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"recall/answer"
	"recall/cmd/recall/app"
	"recall/cmd/recall/terminal"
	"recall/index"
	"recall/library"
	"recall/payload"
	txt "recall/text"
)

// fixTold is where an error that no command ran into was spoken of.
type fixTold struct {
	app.SessionRef
	Turn int              `json:"turn,omitempty"`
	At   time.Time        `json:"at,omitzero"`
	Kind string           `json:"kind"` // prompt, or the item's
	Text string           `json:"text"`
	Why  string           `json:"why,omitempty"`
	ID   payload.ItemID   `json:"id,omitempty"` // of an item
	Then []payload.ItemID `json:"then,omitempty"`

	items []payload.Item // those of Then
}

// What of an error's words must be told, and how much is shown.
const (
	toldShare = 0.7
	nearShare = 0.4
	toldShow  = 3
	thenShow  = 4
)

// told looks an error up in what people typed, then in what was found, then asks
// as a query does; match says which it was.
func told(ctx context.Context, a *app.App, l *library.Library, text string) (match string, out []fixTold, err error) {
	words := errorWords(text)
	if len(words) == 0 {
		return "none", nil, nil
	}
	shelf, err := app.NewShelf(l)
	if err != nil {
		return "", nil, err
	}
	answer, err := a.Search(ctx, l, index.Query{Text: terminal.Line(text), Limit: 30})
	if err != nil {
		return "", nil, err
	}
	for _, t := range answer.Turns {
		if t.Role == "user" && wordShare(words, t.Text) >= toldShare {
			out = append(out, fixTold{SessionRef: shelf.Ref(t.Session), Turn: t.N, At: t.At, Kind: "prompt",
				Text: t.Text})
		}
	}
	for _, h := range answer.Hits {
		if h.Item.Kind == payload.Goal &&
			wordShare(words, h.Item.Text) >= toldShare { // stands for the prompt that it is worded by
			out = append(out, fixTold{SessionRef: shelf.Ref(h.Session), Turn: h.Turn, At: h.Item.At, Kind: "prompt",
				Text: h.Item.Text})
		}
	}
	if len(out) > 0 {
		out = firstOfEach(out)
		return "prompt", out, cameOf(ctx, a, out)
	}
	for _, kinds := range [][]payload.Kind{{payload.Finding}, nil} {
		match = "query"
		if kinds != nil {
			match = "finding"
			if answer, err = a.Search(ctx, l,
				index.Query{Text: terminal.Line(text), Limit: toldShow, Kinds: kinds}); err != nil {
				return "", nil, err
			}
		} else if answer, err = a.Search(ctx, l, index.Query{Text: terminal.Line(text), Limit: toldShow}); err != nil {
			return "", nil, err
		}
		for _, h := range answer.Hits[:min(toldShow, len(answer.Hits))] {
			if wordShare(words, h.Item.Text+" "+h.Item.Why) < nearShare {
				continue // the nearest there is, and far off
			}
			out = append(out, fixTold{SessionRef: shelf.Ref(h.Session), Turn: h.Turn, At: h.Item.At,
				Kind: string(h.Item.Kind),
				Text: h.Item.Text, Why: h.Item.Why, ID: h.Item.ID})
		}
		if len(out) > 0 {
			return match, out, nil
		}
	}
	return "none", nil, nil
}

// firstOfEach are the newest sessions with the first prompt of each.
func firstOfEach(all []fixTold) []fixTold {
	slices.SortStableFunc(all, func(a, b fixTold) int {
		return cmp.Or(b.Start.Compare(a.Start), cmp.Compare(a.Session, b.Session), a.Turn-b.Turn)
	})
	all = slices.CompactFunc(all, func(a, b fixTold) bool { return a.Session == b.Session })
	return all[:min(toldShow, len(all))]
}

// cameOf adds what the sessions found, and then what they decided.
func cameOf(ctx context.Context, a *app.App, out []fixTold) error {
	for i := range out {
		t := &out[i]
		items, err := a.Index.ItemsIn(ctx, t.Project, payload.Finding, payload.Hypothesis, payload.Decision)
		if err != nil {
			return err
		}
		slices.SortStableFunc(items, func(a, b index.Placed) int {
			return slices.Index(fixFirst, a.Item.Kind) - slices.Index(fixFirst, b.Item.Kind)
		})
		for _, p := range items {
			if p.Session == t.Session && p.Item.Current() && len(t.Then) < thenShow {
				t.Then, t.items = append(t.Then, p.Item.ID), append(t.items, p.Item)
			}
		}
	}
	return nil
}

var fixFirst = []payload.Kind{payload.Finding, payload.Hypothesis, payload.Decision}

// wordShare is how much of an error's words stands in a text.
func wordShare(words []string, text string) float64 {
	text = strings.ToLower(text)
	got, all := 0, 0
	for _, w := range words {
		all += len(w)
		if strings.Contains(text, w) {
			got += len(w)
		}
	}
	return float64(got) / float64(max(1, all))
}

func printTold(a *app.App, doc FixDoc) {
	st, w := terminal.Styles(a.Color), terminal.Width(a.Out)
	p := a.Page()
	fmt.Fprintf(a.Out, "%s%s%s\n", st.Dim, map[string]string{
		"prompt":  "No command ran into it, but it was typed or pasted here:",
		"finding": "No command ran into it and nobody typed it; what was found nearest to it:",
		"query":   "No command ran into it, nobody typed it and nothing was found about it; recall query says:",
	}[doc.Match], st.Reset)
	for _, t := range doc.Told {
		if t.Kind == "prompt" {
			fmt.Fprintf(a.Out, "○ %s\n", t.Line(w))
			p.Wrapped("  “", "   ", fmt.Sprintf("%s” (turn %d)", txt.Clip(terminal.Line(t.Text), 300), t.Turn), "")
			for _, it := range t.items {
				printItem(&p, it)
			}
			continue
		}
		it := payload.Item{Kind: payload.Kind(t.Kind), Text: t.Text, State: payload.Stands}
		p.Wrapped(terminal.Mark(it, st)+" ", "  ",
			fmt.Sprintf("%s (%s, turn %d, %s)", p.Sentence(it), txt.Clip(t.Title, 60),
				t.Turn, answer.Day(t.At)), "")
		if t.Why != "" {
			p.Wrapped("  why ", "      ", terminal.Line(t.Why), st.Dim)
		}
	}
}
