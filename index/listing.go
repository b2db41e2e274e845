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
	s = strings.NewReplacer("?", " ", "!", " ", ",", " ", ";", " ", ":", " ", "…", " ", "¿", " ").Replace(s)
	s = text.OneLine(strings.TrimRight(s, ". "))
	know := rank.Phrases()
	var asked []payload.Kind
	for _, form := range know.Pairs {
		if strings.Contains(" "+s+" ", " "+form.Text+" ") {
			asked = form.Kinds
			s = strings.Replace(s, form.Text, "", 1)
		}
	}
	topic, n := false, 0
	text.Each(s, func(w string) bool {
		n++
		if asked == nil {
			asked = know.Asks[w]
		}
		topic = rank.Topic(w)
		return !topic
	})
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
	// listedAtOnce is how many items are enough before superseded ones are removed; they are read from
	// sessionsAtOnce sessions at a time.
	listedAtOnce   = 400
	sessionsAtOnce = 64
)

// list answers with the newest items of some kinds, as pages show them; if there are none, with the newest leads that
// look like them or, of what says how things stand, that tell where sessions ended.
func (r *reader) list(ctx context.Context, a Answer, kinds []payload.Kind) (Answer, error) {
	asked, wanted := r.q.Kinds, kinds
	defer func() { r.q.Kinds = asked }()
	stands := asked == nil && slices.ContainsFunc(kinds, rank.AsOfSession)
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
	if r.q.Kinds = kinds; stands {
		r.q.Kinds = append(slices.Clone(kinds), payload.Lead)
	}
	found, err := r.newest(ctx, kinds, kindOf)
	if err == nil && len(found) == 0 && asked == nil {
		if r.q.Kinds = []payload.Kind{payload.Lead}; stands {
			kinds = []payload.Kind{payload.Status}
		}
		found, err = r.newest(ctx, kinds, kindOf)
		kinds = r.q.Kinds
		usual := slices.ContainsFunc(usuallyListed, func(k payload.Kind) bool { return slices.Contains(wanted, k) })
		if err == nil && len(found) == 0 && usual { // else the words by which it asks would be searched for
			kinds, r.q.Kinds = []payload.Kind{payload.Lead}, []payload.Kind{payload.Lead}
			found, err = r.newest(ctx, kinds, func(it *payload.Item) payload.Kind {
				if _, ended := it.Under(); ended && it.Rule != payload.AskedRule || it.By != payload.ByUser {
					return ""
				}
				return it.Kind
			})
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

// newest returns the items that pass the query's filters and, by how they are shown, its kinds, newest first. Of what
// says how things stood in a session, only the latest counts that a person held in a project, if there is one.
func (r *reader) newest(ctx context.Context, kinds []payload.Kind, kindOf func(*payload.Item) payload.Kind) ([]*ranked,
	error) {
	sessions, err := r.newestSessions(ctx)
	if err != nil {
		return nil, err
	}
	var found []*ranked
	projects := map[int64]string{} // by session
	for len(sessions) > 0 && len(found) < listedAtOnce {
		n := min(len(sessions), sessionsAtOnce)
		some, err := r.itemsOf(ctx, sessions[:n], projects)
		if err != nil {
			return nil, err
		}
		found, sessions = append(found, some...), sessions[n:]
	}
	if err := r.load(ctx, found); err != nil {
		return nil, err
	}
	last := map[string]int64{} // by project
	stands := slices.ContainsFunc(kinds, rank.AsOfSession) && !slices.Contains(kinds, payload.Decision)
	found = slices.DeleteFunc(found, func(one *ranked) bool {
		kind, of := kindOf(&one.item), projects[one.session]
		stood := stands && rank.AsOfSession(kind) && slices.Contains(kinds, kind) &&
			one.item.Rule != payload.TaskRule // a task is open until it is done
		if stood && last[of] == 0 {
			last[of] = one.session
		}
		return !one.item.Current() || !slices.Contains(kinds, kind) || stood && last[of] != one.session
	})
	slices.SortStableFunc(found, func(x, y *ranked) int {
		here := cmp.Compare(r.boost(projects[y.session]), r.boost(projects[x.session])) // where one is comes first
		return cmp.Or(here, y.item.At.Compare(x.item.At))
	})
	return r.collapse(ctx, found)
}

// newestSessions returns the rows of the sessions that may hold listed items, newest first but last those that programs
// held, so that not all items need to be read.
func (r *reader) newestSessions(ctx context.Context) ([]int64, error) {
	conds, args := []string{`items>0`}, []any{}
	projects := r.names
	if r.q.Project != "" {
		projects = []string{r.q.Project}
	}
	if len(projects) > 0 {
		conds, args = append(conds, `project IN (SELECT value FROM json_each(?))`), append(args, jsonList(projects))
	}
	return column[int64](ctx, r.tx, `SELECT id FROM session WHERE `+strings.Join(conds,
		` AND `)+` ORDER BY title LIKE '`+Headless+`%', end DESC, start DESC, id`, args...)
}

// itemsOf reads the sessions' items that pass the query's filters, newest first, and notes the sessions' projects.
func (r *reader) itemsOf(ctx context.Context, sessions []int64, projects map[int64]string) ([]*ranked, error) {
	conds, args := r.conditions(items)
	return list(ctx, r.tx, func(rows *sql.Rows) (*ranked, error) {
		one, project := &ranked{table: items}, ""
		err := rows.Scan(&one.id, &one.session, &project)
		projects[one.session] = project
		return one, err
	}, `SELECT e.id, e.session, s.project FROM item e JOIN session s ON s.id=e.session WHERE e.session IN `+
		`(SELECT value FROM json_each(?)) AND `+
		strings.Join(conds, ` AND `)+` ORDER BY s.title LIKE '`+Headless+`%', e.at DESC, s.start DESC, e.n DESC, e.id`,
		append([]any{jsonList(sessions)}, args...)...)
}
