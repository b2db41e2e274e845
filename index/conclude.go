package index

import (
	"context"
	"database/sql"
	"encoding/json"
	"path"
	"slices"
	"strings"

	"recall/index/rank"
	"recall/internal/text"
	"recall/payload"
)

// opens reports whether what is shown of an exchange is what a person asked or wanted in it, which says nothing of what
// came of it.
func (o *ranked) opens() bool {
	t := &o.turn
	return o.table == turns && t.Role == "user" && (t.N == 1 || strings.HasSuffix(strings.TrimSpace(t.Text), "?"))
}

// withoutSigns has exchanges in the place of the items that were taken from them and only point to the subject, unless
// those are asked for: goals and questions, which say nothing of what came of them, and files of which nothing is said.
func (r *reader) withoutSigns(all []*ranked) []*ranked {
	if r.q.Kinds != nil {
		return all
	}
	in := map[exchangePlace]*ranked{}
	for _, o := range all {
		if o.table == turns {
			in[exchangePlace{o.session, o.x}] = o
		}
	}
	return slices.DeleteFunc(all, func(o *ranked) bool {
		told := in[exchangePlace{o.session, o.x}]
		if o.table != items || told == nil || !r.onlyPoints(o) {
			return false
		}
		told.score = max(told.score, o.score)
		return true
	})
}

// onlyPoints reports whether an item says what a person wanted or asked, not what came of it, or names a file.
func (r *reader) onlyPoints(o *ranked) bool {
	it := &o.item
	switch it.Kind {
	case payload.Goal:
		return !r.asked.Asks(payload.Goal)
	case payload.Lead:
		return it.By == payload.ByUser && strings.HasSuffix(it.Text, "?") && !r.asked.Asks(payload.Goal)
	case payload.File:
		name := path.Base(it.Path)
		named := strings.Contains(strings.ToLower(r.q.Text), strings.ToLower(name))
		said := func(quote string) bool { return !strings.HasSuffix(quote, name) || strings.Contains(quote, " ") }
		return !named && !r.asked.Asks(payload.File) && !slices.ContainsFunc(it.Quotes(), said)
	}
	return false
}

// asMuch is how much of a question the last message of an exchange must say, relative to the one that says most.
const asMuch = 0.8

// conclude shows the exchanges among some results of which only the question would be shown with what came of it.
func (r *reader) conclude(ctx context.Context, list []*ranked) error {
	var at [][4]int64
	for i, o := range list {
		if o.opens() {
			at = append(at, [4]int64{int64(i), o.session, o.n, o.x})
		}
	}
	b, err := json.Marshal(at)
	if err != nil {
		return err
	}
	after, ends := make([][]Turn, len(list)), make([]int, len(list))
	err = scan(ctx, r.tx, func(rows *sql.Rows) error {
		var i int64
		var t Turn
		var end int
		err := rows.Scan(&i, &end, &t.ID, &t.N, &t.Role, written{&t.At}, packed{&t.Text})
		after[i], ends[i] = append(after[i], t), end
		return err
	}, concludeQuery, string(b), r.until())
	for i, o := range list {
		if o.opens() {
			o.conclude(r.asked, after[i], ends[i])
		}
		if o.refused() {
			o.score *= onlyAsks
		}
	}
	arrange(list)
	return err
}

// refused reports whether a person said no to what is shown of an exchange.
func (o *ranked) refused() bool {
	reply, _ := o.typed()
	return o.table == turns && o.turn.Role == assistant && o.beside.turn.N > o.turn.N && text.Refuses(reply.Text)
}

const concludeQuery = `SELECT e.i, e.m, t.tid, t.n, t.role, t.at, t.text FROM (SELECT value->>0 AS i, ` +
	`value->>1 AS s, value->>2 AS n, (SELECT max(m) FROM window w WHERE w.session=value->>1 AND w.x=value->>3) AS m ` +
	`FROM json_each(?1)) e JOIN turn t ON t.session=e.s AND t.n>e.n AND t.n<=e.m+2 ` +
	`WHERE t.at<?2 AND t.role IN ('user', 'assistant') ORDER BY t.n`

// conclude shows before a question the last message of the assistant in the exchange that says of what is asked about
// as much as any, with what the person replied to it. What came to nothing counts less.
func (o *ranked) conclude(asked *rank.Question, said []Turn, end int) {
	question, most, came := o.quoted, 0.0, false
	for _, t := range said {
		if t.Role != assistant || t.N > end {
			continue
		}
		came = true
		passage, brief := asked.Passage(t.Text)
		one := quoted{t, passage, brief, shareIn(asked, passage)}
		if one.says > 0 && one.says >= asMuch*most {
			o.quoted, o.beside, o.n = one, question, int64(t.N)
		}
		most = max(most, one.says)
	}
	if !came {
		o.score *= onlyAsks
	}
	o.reply(asked, said)
}
