package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"recall/answer"
	"recall/index"
	"recall/payload"
)

// details is all there is of items by their ids; unknown ones are named at the end.
func (s *Server) details(ctx context.Context, m *Memory, ids []string) (string, error) {
	sh := newSheet()
	sh.linef(asData)
	var unknown []string
	for _, id := range ids[:min(len(ids), mostIDs)] {
		p, err := m.Index.ItemByID(ctx, payload.ItemID(strings.ToLower(strings.Trim(strings.TrimSpace(id), "[]"))))
		if errors.Is(err, index.ErrNoItem) {
			unknown = append(unknown, payload.Data(id, 40))
			continue
		}
		if err != nil {
			return "", err
		}
		text, others, err := whole(ctx, m, p)
		if err != nil {
			return "", err
		}
		if sh.add(text) {
			sh.of(append([]payload.ItemID{p.Item.ID}, others...)...)
		}
	}
	if len(unknown) > 0 {
		none := fmt.Sprintf("There is no item %s. Ids are the ten characters in [brackets] of recall_query's answer.",
			strings.Join(unknown, ", "))
		if len(unknown) == min(len(ids), mostIDs) {
			return "", wrong("recall: %s", none)
		}
		sh.linef("%s", none)
	}
	if len(ids) > mostIDs {
		sh.linef("Only the first %d ids are told; ask again for the others.", mostIDs)
	}
	return sh.text("Ask for fewer ids at a time."), nil
}

// whole is an item with its alternatives, names, quotes and links.
func whole(ctx context.Context, m *Memory, p index.Placed) (text string, others []payload.ItemID, err error) {
	var b strings.Builder
	it := &p.Item
	b.WriteString(short(it, p.Place, p.Turn))
	if title := payload.Data(p.SessionTitle, 120); title != "" {
		fmt.Fprintf(&b, "  in %q, %s\n", title, answer.Day(p.SessionStart))
	}
	list := func(name string, values []string) {
		var safe []string
		for _, v := range values {
			if v = payload.Data(v, 200); v != "" {
				safe = append(safe, v)
			}
		}
		if len(safe) > 0 {
			fmt.Fprintf(&b, "  %s: %s\n", name, strings.Join(safe, "; "))
		}
	}
	list("lost against it", it.Alternatives)
	list("about", it.About)
	for _, e := range it.Evidence {
		fmt.Fprintf(&b, "  turn %d: %s\n", e.N, quoted(e.Quote))
	}
	if len(it.Evidence) == 0 {
		b.WriteString("  written by the user by hand; there is no other evidence\n")
	}
	links, err := m.Index.LinksOf(ctx, it.ID)
	if err != nil {
		return "", nil, err
	}
	for _, l := range links {
		other, name := l.To, string(l.Relation)
		if l.To == it.ID {
			other, name = l.From, map[payload.Relation]string{payload.Supersedes: "superseded by",
				payload.Refines: "refined by", payload.Contradicts: "contradicted by", payload.Same: "said again as"}[l.Relation]
		}
		o, err := m.Index.ItemByID(ctx, other)
		if err != nil {
			continue // it isn't there any more
		}
		sure := ""
		if !l.Hides() {
			sure = " (not sure)"
		}
		fmt.Fprintf(&b, "  %s%s [%s] %s · %s\n", name, sure, o.Item.ID, agent.Line(o.Item), answer.Day(o.Item.At))
		others = append(others, o.Item.ID)
	}
	return b.String(), others, nil
}
