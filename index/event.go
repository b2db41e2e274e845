package index

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"recall/text"
)

// eventForm matches "before the migration" where it is a part of its own of a
// question: at its beginning before a comma, or at its end.
var eventForm = text.Pattern(`(?i)^\s*(before|after|since|until)\s+the\s+((?:["“'` + "`" +
	`]?[\pL\d][\pL\d._/#'-]*["”'` + "`" + `]?\s*){1,5}),|\b(before|after|since|until)\s+the\s+((?:["“'` + "`" +
	`]?[\pL\d][\pL\d._/#'-]*["”'` + "`" + `]?\s*){1,5})[?.!\s]*$`)

// pastForm matches a question about what was, laterForm one about what is to come:
// "what must be done before the release" speaks of no time gone by.
var (
	pastForm = text.Pattern(`(?i)\b(?:did|didn't|was|wasn't|were|weren't|had|have|has|haven't|hasn't|been|changed|` +
		`decided|happened|used|agreed|ruled|tried|said)\b`)
	laterForm = text.Pattern(`(?i)\b(?:need|needs|needed|must|should|have to|has to|had to|left|to-?do|still|will|` +
		`would|going to|can|could|next|remains?|open)\b`)
)

// eventOf makes a span of time of "before the migration", where the words after
// "the" name one thing that happened and no other: the title of one session,
// commits of one, or else items of one; at is where that stands, nil if nothing is clear.
func eventOf(ctx context.Context, full *fulltext, q Query, s string) (at []int, n Narrowed, err error) {
	if !anyIn(strings.ToLower(s), []string{"before", "after", "since", "until"}) {
		return nil, n, nil // most questions: nothing is compiled for them
	}
	m := eventForm().FindStringSubmatchIndex(s)
	if m == nil {
		return nil, n, nil
	}
	g := groups(s, m)
	rest := s[:m[0]] + " " + s[m[1]:]
	if !pastForm().MatchString(rest) || laterForm().MatchString(rest) {
		return nil, n, nil
	}
	what, list, err := findEvent(ctx, full, q, text.Content(g[2]+g[4]))
	if err != nil || what == "" {
		return nil, n, err
	}
	from, to := list[0].from, list[0].to
	for _, h := range list {
		if h.from.Before(from) {
			from = h.from
		}
		if h.to.After(to) {
			to = h.to
		}
	}
	n.Event = what
	n.Since, n.Until = bounded(g[1]+g[3], from, to)
	return []int{m[0], m[0] + len(strings.TrimRight(g[0], " ,?.!"))}, n, nil
}

// mostNamed is how many items may hold the words of an event.
const mostNamed = 12

// findEvent looks for what all the words name: a session, a commit or items of one, and
// what it is called; "" if that isn't clear. One of the words must be rare.
func findEvent(ctx context.Context, full *fulltext, q Query, name []string) (what string, of []happening, err error) {
	want := map[string]bool{}
	longestWord := ""
	for _, w := range name {
		want[text.Stem(w)] = true
		if len(w) > len(longestWord) {
			longestWord = w
		}
	}
	happens := slices.ContainsFunc(name, func(w string) bool { return phrases().happening[text.Stem(w)] })
	if len(want) == 0 || len(longestWord) < 3 || len(want) == 1 && !happens {
		return "", nil, nil // "did we lock before the write?" asks of an order, not of a time
	}
	if rare, err := rareEvent(ctx, full, want); err != nil || !rare {
		return "", nil, err
	}
	titled, err := named(ctx, full.tx, q, want,
		`SELECT id, title, title, start, end, project FROM session WHERE title LIKE ? ESCAPE '\'`, stemPattern(longestWord))
	if err != nil {
		return "", nil, err
	}
	made, err := named(ctx, full.tx, q, want,
		`SELECT m.session, m.subject || ' ' || m.branch, m.subject, min(s.start, m.at), m.at, s.project
		FROM made m JOIN session s ON s.id=m.session WHERE m.subject || ' ' || m.branch LIKE ? ESCAPE '\'`,
		stemPattern(longestWord))
	switch both := slices.Concat(titled, made); {
	case err != nil || !oneSession(both):
		return "", nil, err
	case halfOf(titled, len(want)):
		return called("session", titled[0].name), titled, nil
	case halfOf(made, len(want)):
		return called("commit", made[0].name), made, nil
	case !happens: // a word of a longer title, or none of any: it must stand nowhere else
		return "", nil, nil
	default:
		of, err = itemsNamed(ctx, full, q, want)
		of = slices.Concat(both, of)
	}
	switch {
	case err != nil || len(of) == 0 || len(of) > mostNamed || !oneSession(of):
		return "", nil, err
	case len(titled) == 0 && len(made) > 0:
		return called("commit", made[0].name), of, nil
	}
	return called("session", of[0].name), of, nil
}

// called names what an event was taken for.
func called(what, name string) string {
	return fmt.Sprintf(`%s "%s"`, what, strings.ReplaceAll(strings.TrimSpace(name), `"`, "'"))
}

// happening is one thing whose words are an event's. A commit or an item has begun with its
// session: what was decided there on the way to it isn't from before it.
type happening struct {
	session  int64
	text     string // in which its words are looked for
	name     string
	project  string
	from, to time.Time
}

func oneSession(list []happening) bool {
	return !slices.ContainsFunc(list, func(h happening) bool { return h.session != list[0].session })
}

// halfOf reports whether so many words are half of what a title or a commit says.
func halfOf(list []happening, n int) bool {
	return slices.ContainsFunc(list, func(h happening) bool { return 2*n >= len(text.Content(h.text)) })
}

// named reads what a query finds and keeps what holds all the words.
func named(ctx context.Context, tx *sql.Tx, q Query, want map[string]bool, query, pattern string) ([]happening, error) {
	all, err := list(ctx, tx, func(rows *sql.Rows) (h happening, err error) {
		var from, to int64
		err = rows.Scan(&h.session, &h.text, &h.name, &from, &to, &h.project)
		h.from, h.to = fromMillis(from), fromMillis(to)
		return h, err
	}, query, pattern)
	return slices.DeleteFunc(all, func(h happening) bool {
		return q.Project != "" && q.Project != h.project || !holdsAll(h.text, want)
	}), err
}

func holdsAll(said string, want map[string]bool) bool {
	found := map[string]bool{}
	text.Each(said, func(w string) bool {
		if s := text.Stem(w); want[s] {
			found[s] = true
		}
		return true
	})
	return len(found) == len(want)
}

// stemPattern is a LIKE pattern for a word and its other endings.
func stemPattern(w string) string {
	stem := text.Stem(w)
	n := 0
	for n < len(stem) && n < len(w) && stem[n] == w[n] {
		n++
	}
	return "%" + strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(w[:n]) + "%"
}

// rareEvent reports whether one of the words stands in few documents.
func rareEvent(ctx context.Context, full *fulltext, want map[string]bool) (bool, error) {
	stems := slices.Sorted(maps.Keys(want))
	if err := full.lookUp(ctx, stems); err != nil {
		return false, err
	}
	for _, stem := range stems {
		n, err := full.count(ctx, stem)
		if err != nil {
			return false, err
		}
		if n.docs() <= max(fewDocs, full.docs().all()/20) {
			return true, nil
		}
	}
	return false, nil
}

// itemsNamed lists the items that hold all the words, one more than may be.
func itemsNamed(ctx context.Context, full *fulltext, q Query, want map[string]bool) ([]happening, error) {
	holds := map[int64]int{}
	for stem := range want {
		with, err := full.holders(ctx, ofItems, stem, nil)
		if err != nil {
			return nil, err
		}
		for _, m := range with {
			if m.Counts[0] > 0 { // else it stands among its other words
				holds[m.Doc]++
			}
		}
	}
	maps.DeleteFunc(holds, func(_ int64, n int) bool { return n < len(want) })
	out, err := named(ctx, full.tx, q, nil, `SELECT e.session, s.title, s.title, min(s.start, e.at), e.at, s.project
		FROM item e JOIN session s ON s.id=e.session WHERE e.id IN (SELECT value FROM json_each(?)) ORDER BY e.id`,
		jsonList(slices.Collect(maps.Keys(holds))))
	return out[:min(len(out), mostNamed+1)], err
}
