package index

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	json "github.com/go-json-experiment/json"

	"recall/index/rank"
	"recall/internal/text"
	"recall/payload"
)

// answer adds the results with their places.
func (r *reader) answer(ctx context.Context, a *Answer, list []*ranked) error {
	for _, c := range list {
		if c.from != nil {
			a.Ranked = append(a.Ranked, resultOf(c, *c.from))
			continue
		}
		p, err := r.place(ctx, c.session)
		if err != nil {
			return err
		}
		a.Ranked = append(a.Ranked, resultOf(c, p))
	}
	return nil
}

func resultOf(c *ranked, p Place) *Result {
	one := &Result{Place: p, Title: p.SessionTitle, Turn: int(c.n), Score: c.score, Look: c.look}
	if c.table == items {
		one.Type, one.Item = "item", &c.item
		one.History, one.Conflict, one.Related = c.history, c.conflict, c.related
	} else {
		one.Type, one.TurnID, one.Role, one.At = "turn", c.turn.ID, c.turn.Role, c.turn.At
		one.Text, one.Passage, one.Brief = c.turn.Text, c.passage, c.brief
	}
	return one
}

const placeQuery = `SELECT s.sid, s.title, s.project, s.source, s.archived, s.start, iif(s.source='` + HandoffSource + `', 0,
		(SELECT count(*) FROM session t WHERE t.project=s.project AND t.start<s.start)
		+ (SELECT count(*) FROM session t WHERE t.project=s.project AND t.start=s.start AND t.sid<=s.sid)
		- (SELECT count(*) FROM session t WHERE ` + isHandoff + ` AND +t.project=s.project AND (+t.start, ` +
	`t.sid)<=(s.start, s.sid)))
		FROM session s WHERE s.id=?`

func (r *reader) place(ctx context.Context, session int64) (p Place, err error) {
	if p, known := r.places[session]; known {
		return p, nil
	}
	if r.ofSession == nil { // prepared once, as it is run for each result; the transaction closes it
		if r.ofSession, err = r.tx.PrepareContext(ctx, placeQuery); err != nil {
			return p, err
		}
	}
	var start int64
	err = r.ofSession.QueryRowContext(ctx, session).
		Scan(&p.Session, &p.SessionTitle, &p.Project, &p.Source, &p.Archived, &start, &p.SessionN)
	p.SessionStart = fromMillis(start)
	if err == nil {
		if r.places == nil {
			r.places = map[int64]Place{}
		}
		r.places[session] = p
	}
	return p, err
}

var loadQueries = [2]string{
	// with whether their projects have later sessions
	items: `SELECT i.id, i.session, i.n, i.data, EXISTS(SELECT 1 FROM session t WHERE t.project=s.project AND
		t.start>s.start AND t.start<?2 AND ` + isOwn + `)
		FROM item i JOIN session s ON s.id=i.session WHERE i.id IN (SELECT value FROM json_each(?1))`,
	// with what was said before, and who speaks next
	turns: `SELECT t.id, t.session, t.n, t.text, t.tid, t.role, t.at, p.text, f.role FROM turn t
		LEFT JOIN turn p ON p.id=(SELECT id FROM turn WHERE session=t.session AND n<t.n ORDER BY n DESC LIMIT 1)
		LEFT JOIN turn f ON f.id=(SELECT id FROM turn WHERE session=t.session AND n>t.n ORDER BY n LIMIT 1)
		WHERE t.id IN (SELECT value FROM json_each(?1)) AND t.at<?2`,
}

// maxBefore is how much of the end of the previous turn is read, in bytes.
const maxBefore = 1500

// load reads the content of one table's candidates in one query: many small ones would take twice as long.
func (r *reader) load(ctx context.Context, table int, list []*ranked) error {
	if len(list) == 0 {
		return nil
	}
	of := make(map[int64]*ranked, len(list))
	var ids []int64
	for _, one := range list {
		of[one.id] = one
		ids = append(ids, one.id)
	}
	until := int64(math.MaxInt64)
	if !r.q.AsOf.IsZero() {
		until = r.q.AsOf.UnixMilli()
	}
	found := 0
	err := scan(ctx, r.tx, func(rows *sql.Rows) (err error) {
		var id, session, n, at int64
		var data, before sql.RawBytes
		var next sql.NullString
		var t Turn
		var later bool
		into := []any{&id, &session, &n, &data, &later}
		if table == turns {
			into = append(into[:4], &t.ID, &t.Role, &at, &before, &next)
		}
		if err := rows.Scan(into...); err != nil {
			return err
		}
		found++
		one := of[id]
		one.session, one.n = session, n
		if table == items {
			one.item, err = unpackItem(data)
			one.overtaken = later && rank.AsOfSession(one.item.Kind)
			return err
		}
		t.N, t.At = int(n), fromMillis(at)
		one.spoken = rank.Spoken{Closing: t.Role != "user" && (!next.Valid || next.String == "user")}
		if before != nil {
			if one.spoken.Before, err = unpack(before); err != nil {
				return err
			}
			tail := one.spoken.Before[max(0, len(one.spoken.Before)-maxBefore):]
			one.spoken.Before = strings.ToValidUTF8(tail, "")
		}
		t.Text, err = unpack(data)
		one.turn = t
		return err
	}, loadQueries[table], jsonList(ids), until)
	if err != nil {
		return err
	}
	if found < len(list) {
		return fmt.Errorf("%d of %d rows that the full text names: %w", found, len(list), sql.ErrNoRows)
	}
	return nil
}

func unpackItem(data []byte) (payload.Item, error) {
	var it payload.Item
	text, err := unpack(data)
	if err != nil {
		return it, err
	}
	if err := json.Unmarshal([]byte(text), &it); err != nil {
		return it, fmt.Errorf("an item: %v: %w", err, ErrRebuild)
	}
	return it, nil
}

// A word is rare if at most an eighth of the documents, or a few, contain it. If the index has none of the
// question's rare words and the missing words outweigh the present ones, the question is about something
// unknown.
const (
	fewDocs      = 20
	unknownShare = 0.4
)

// judge rates an answer: which of the question's words occur where, and how certain it is.
func (r *reader) judge(a *Answer, ts []term, list []*ranked) {
	var total, present float64
	rare := false
	for _, t := range ts {
		total += t.idf
		if t.df.docs() == 0 {
			a.Missing = append(a.Missing, t.word)
			continue
		}
		present += t.idf
		rare = rare || t.df.docs() <= max(fewDocs, (r.size.all()+r.q.Elsewhere.searched())/8)
	}
	a.Unknown = len(a.Ranked) == 0 || present == 0 || len(a.Missing) > 0 && !rare && present < unknownShare*total
	if len(a.Ranked) > 0 && r.own.Knows(r.q.Text) {
		a.Unknown = false // a concept in the user's own lexicon is known
	}
	for _, one := range a.Ranked {
		said := one.Text
		if it := one.Item; it != nil {
			said = strings.Join(append(append([]string{it.Text, it.Why, it.Scope, it.Path}, it.Alternatives...),
				append(it.About, it.Aliases...)...), " . ")
			for _, e := range it.Evidence {
				said += " . " + e.Quote
			}
		}
		one.Terms, one.Coverage = covered(said, ts, total)
	}
	if len(a.Ranked) > 0 {
		a.Coverage = a.Ranked[0].Coverage
	}
	a.Signs = rank.Read(rankLines(list), missing(ts))
	a.Sure = rank.DefaultSure.Chance(a.Signs)
	a.Doubtful = a.Coverage < fullCoverage && rank.DefaultSure.Doubtful(a.Signs) || halfMissing(ts, list)
}

// covered lists the terms that a text contains, and their share of the total weight.
func covered(said string, ts []term, total float64) ([]string, float64) {
	if total == 0 {
		return nil, 0
	}
	// Stemming changes only a word's end, so words with another first letter can't match and needn't be stemmed.
	first := map[byte]bool{}
	place := map[string]int{}
	for i, t := range ts {
		first[t.stem[0]], place[t.stem] = true, i
	}
	has := make([]bool, len(ts))
	text.Each(said, func(w string) bool {
		if first[w[0]] {
			if i, ok := place[text.Stem(w)]; ok {
				has[i] = true
			}
		}
		return true
	})
	var out []string
	var sum float64
	for i, t := range ts {
		if has[i] {
			out = append(out, t.word)
			sum += t.idf
		}
	}
	return out, sum / total
}

// rankLines returns results as the judge was fitted to them: by their words alone, best first.
func rankLines(list []*ranked) []rank.Line {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b *ranked) int { return cmp.Compare(b.raw, a.raw) })
	out := make([]rank.Line, len(list))
	for i, r := range list {
		out[i] = rank.Line{Look: r.look, Session: strconv.FormatInt(r.session, 10), Score: r.raw,
			Aliased: r.table == items && len(r.item.Aliases) > 0}
	}
	return out
}

// missing is the share of the question's weight that occurs nowhere.
func missing(ts []term) float64 {
	var total, gone float64
	for _, t := range ts {
		total += t.idf
		if t.df.docs() == 0 {
			gone += t.idf
		}
	}
	if total == 0 {
		return 0
	}
	return gone / total
}

// fullCoverage is the coverage from which an answer contains the whole question and isn't called doubtful.
const fullCoverage = 0.99

// fewTerms is the most content words of a short question; in a longer one, half may be other words for the same.
const fewTerms = 3

// halfMissing reports whether half of a short question occurs nowhere, and the first result doesn't say as much in
// other words. Less than half may be another word for one that does occur, as "caps" in "the capital of
// France".
func halfMissing(ts []term, list []*ranked) bool {
	gone := missing(ts)
	return len(ts) <= fewTerms && gone >= 0.5 && (len(list) == 0 || list[0].look.Kindred() < gone-1e-9)
}
