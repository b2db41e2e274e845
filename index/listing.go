package index

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"strings"

	"recall/index/rank"
	"recall/internal/text"
	"recall/payload"
)

// A question may ask for a kind of item without naming a subject: "what did we decide last week?", "what's left on
// billing?", "open questions". None of its words can be searched for, so it is answered by a list, newest first.

// usuallyListed is what is listed if a question only states a project; of a time also what was asked and done then.
var (
	usuallyListed = []payload.Kind{payload.Decision, payload.Eliminated, payload.Deferred, payload.Question}
	thenListed    = append(slices.Clip(usuallyListed), payload.Goal, payload.Status)
)

// listedKinds returns the kinds that a question without a subject asks for; within says that a time or a project
// was already taken out of it as a filter.
func (r *reader) listedKinds(ctx context.Context, ts []term, within bool) ([]payload.Kind, error) {
	if r.q.Stated || len(r.q.Text) > longestListing || strings.TrimSpace(strings.Join(r.q.Also, "")) != "" {
		return nil, nil
	}
	s, names, err := r.withoutProjects(ctx)
	if err != nil {
		return nil, err
	}
	asked, topic, n := rank.AsksFor(s)
	topic = topic || len(names) > len(r.names) && len(r.known) > 1 && strings.Contains(s, "about") // "about the cli"
	if asked != nil && !topic && len(names) > 0 {
		r.names = names // however often the name is said in it
	}
	within = within || len(r.names) > 0 || r.q.Project != "" || !r.q.Since.IsZero() || !r.q.Until.IsZero()
	switch {
	case topic || n == 0 && !within && asked == nil:
		return nil, nil
	case n == 1 && !within && slices.ContainsFunc(ts, func(t term) bool { return t.df > 0 }):
		return nil, nil // a search term
	case r.q.Kinds != nil:
		return r.q.Kinds, nil
	case asked == nil && (r.q.timed || !r.q.Since.IsZero() || !r.q.Until.IsZero()):
		return thenListed, nil
	case asked == nil && within:
		return usuallyListed, nil
	}
	return asked, nil
}

// withoutProjects returns the question in lower case without the names of projects, and the projects that it names.
func (r *reader) withoutProjects(ctx context.Context) (asked string, names []string, err error) {
	all, err := r.projects(ctx)
	asked = strings.ToLower(r.q.Text)
	for _, p := range slices.Backward(all) { // longer ones first
		said := payload.ProjectIn(strings.ToLower(r.q.Text), p)
		if said != "" && cmp.Or(r.q.Project, p) == p && (slices.Contains(r.names, p) || rank.Topic(said)) {
			names, asked = append(names, p), strings.ReplaceAll(asked, said, " ")
		}
	}
	return text.OneLine(asked), names, err
}

const (
	Headless       = "headless: " // begins the title of a session that a program held
	longestListing = 300          // length limit of such a question, in bytes
	listedAtOnce   = 400          // items that are enough before superseded ones are removed
	furthestBack   = 4000         // items looked at for a list
)

// list answers with the newest items of some kinds, as pages show them; if there are none, with the newest leads that
// look like them or, of what says how things stand, that tell where sessions ended.
func (r *reader) list(ctx context.Context, a Answer, kinds []payload.Kind) (Answer, error) {
	asked, own, wanted := r.q.Kinds, r.q.Own, kinds
	defer func() { r.q.Kinds, r.q.Own = asked, own }()
	stands := asked == nil && slices.ContainsFunc(kinds, rank.AsOfSession)
	r.q.Own = own || stands // where others' sessions ended isn't where one's own did
	kindOf := func(it *payload.Item) payload.Kind {
		kind, ended := it.Under()
		switch {
		case ended && (it.Rule != payload.AskedRule || it.Hint == "" || !slices.Contains(kinds, it.Hint)):
			return payload.Status
		case kind == payload.Lead && asked == nil && !rank.AsOfSession(it.Hint):
			return it.Hint
		}
		return kind
	}
	shown := func(kindOf func(*payload.Item) payload.Kind) ([]*ranked, error) {
		last := map[string]int64{} // of a project, the latest session that a person held and that says how things stood
		stands := slices.ContainsFunc(kinds, rank.AsOfSession) && !slices.Contains(kinds, payload.Decision)
		return r.newest(ctx, func(one *ranked) bool {
			kind := kindOf(&one.item)
			meant := slices.Contains(kinds, kind)
			stood := meant && stands && rank.AsOfSession(kind)
			if stood && last[one.project] == 0 {
				last[one.project] = one.session
			}
			return one.item.Current() && meant && (!stood || last[one.project] == one.session)
		}, `1`)
	}
	var found []*ranked
	var err error
	waits := func(o *ranked) bool { return slices.Contains(kinds, o.item.Waits()) }
	other := func(k payload.Kind) bool { return !slices.Contains(payload.Waiting, k) }
	if !slices.ContainsFunc(kinds, other) {
		open, failed := r.x.Waiting(ctx, r.q)
		if failed != nil {
			return Answer{}, failed
		}
		var ids []payload.ItemID
		for _, p := range open {
			ids = append(ids, p.Item.ID)
		}
		r.q.Kinds = nil
		found, err = r.newest(ctx, waits, `e.iid IN (SELECT value FROM json_each(?))`, jsonList(ids))
		found = slices.DeleteFunc(found, func(o *ranked) bool { return !waits(o) }) // what stands in its place
	} else {
		if r.q.Kinds = kinds; stands {
			r.q.Kinds = append(slices.Clone(kinds), payload.Lead)
		}
		found, err = shown(kindOf)
	}
	if err == nil && len(found) == 0 && asked == nil {
		usual := slices.ContainsFunc(usuallyListed, func(k payload.Kind) bool { return slices.Contains(wanted, k) })
		if r.q.Kinds = []payload.Kind{payload.Lead}; stands && !usual {
			kinds = []payload.Kind{payload.Status}
		}
		found, err = shown(kindOf)
		kinds = r.q.Kinds
		if err == nil && len(found) == 0 && usual { // else the words by which it asks would be searched for
			found, err = shown(func(it *payload.Item) payload.Kind {
				if _, ended := it.Under(); ended && it.Rule != payload.AskedRule || it.By != payload.ByUser {
					return ""
				}
				return it.Kind
			})
			slices.SortStableFunc(found, func(a, b *ranked) int { return rank.Bears(a.item.Text) - rank.Bears(b.item.Text) })
		}
	}
	if err != nil || len(found) == 0 {
		return Answer{}, err
	}
	a.Listed, a.Coverage = kinds, 1
	a.More = max(0, len(found)-r.q.Limit)
	found = found[:len(found)-a.More]
	for i, one := range found {
		one.score = 1 / float64(i+1)
	}
	return a, r.answer(ctx, &a, found)
}

// newest returns what stands in place of the items that pass the query's filters, a condition and keeps: newest first,
// but those of the project that is asked from before the rest, and last those of sessions that programs held. Where
// many don't pass it looks further back, until some do.
func (r *reader) newest(ctx context.Context, keeps func(*ranked) bool, where string, arg ...any) ([]*ranked, error) {
	conds, args := r.conditions(items)
	conds, args = append(conds, where), append(args, arg...)
	if len(r.names) > 0 {
		conds = append(conds, `s.project IN (SELECT value FROM json_each(?))`)
		args = append(args, jsonList(r.names))
	}
	for from := 0; from < furthestBack; from += listedAtOnce {
		found, err := list(ctx, r.tx, func(rows *sql.Rows) (*ranked, error) {
			one := &ranked{table: items}
			return one, rows.Scan(&one.id, &one.session, &one.project)
		}, `SELECT e.id, e.session, iif(e.session IN (`+sessionsIn+`), ?, s.project) AS of FROM item e JOIN session s `+
			`ON s.id=e.session WHERE `+strings.Join(conds, ` AND `)+` ORDER BY of=? DESC, `+
			`s.title LIKE '`+Headless+`%', e.at DESC, s.start DESC, e.n DESC, e.id LIMIT ? OFFSET ?`,
			append(append([]any{r.q.Here, r.q.Here, r.q.Here}, args...), r.q.Here, listedAtOnce, from)...)
		if err == nil {
			err = r.load(ctx, found)
		}
		if err != nil {
			return nil, err
		}
		all := len(found)
		found = slices.DeleteFunc(found, func(one *ranked) bool { return !keeps(one) })
		if len(found) > 0 || all < listedAtOnce {
			return r.collapse(ctx, found)
		}
	}
	return nil, nil
}
