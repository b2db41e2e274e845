package index

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"
	"time"

	"recall/index/rank"
	"recall/ingest"
	"recall/internal/text"
	"recall/payload"
)

// ranked is one result before its place is known: an exchange, or an item in one.
type ranked struct {
	id       int64 // row of the item, or of the exchange's best window
	table    int   // items or turns
	session  int64 // row
	project  string
	x        int64 // ordinal of the exchange, 0 if unknown
	n        int64 // turn ordinal; of a window the first until its passage is chosen
	to       int64 // and its last one
	held     held
	wordless bool // of an item: it has none of the question's words
	score    float64
	item     payload.Item // if it is an item
	quoted                // if it is an exchange: the turn to show
	beside   quoted       // and the next one
	changed  [2]string    // of both, see Result.Changed
	extras
	later *ranked // what a person said last of what this is about; see overtake
}

// quoted is a turn that is shown.
type quoted struct {
	turn    Turn
	passage string  // what of it
	brief   string  // the same, shorter, for lower ranks
	says    float64 // how much of the question
}

// isClaim reports whether it is an item that claims something, rather than a quote.
func (o *ranked) isClaim() bool { return o.table == items && o.item.Kind != payload.Lead }

// shownText returns the text to show.
func (o *ranked) shownText() string {
	if o.table == items {
		return o.item.Text
	}
	return o.passage
}

func (o *ranked) at() time.Time {
	if o.table == items {
		return o.item.At
	}
	return o.turn.At
}

func rankTerms(ts []term) []rank.Term {
	out := make([]rank.Term, len(ts))
	for i, t := range ts {
		out[i] = rank.Term{Stem: t.stem, IDF: t.idf}
	}
	return out
}

// answer adds the results with their places.
func (r *reader) answer(ctx context.Context, a *Answer, list []*ranked) error {
	for i, c := range list {
		p, err := r.place(ctx, c.session)
		if err != nil {
			return err
		}
		one := resultOf(c, p)
		if c.later != nil {
			there, err := r.place(ctx, c.later.session)
			if err != nil {
				return err
			}
			later := resultOf(c.later, there).Placed()
			one.Later = &later
		}
		a.Ranked = append(a.Ranked, one)
		if c.beside.turn.ID != "" && i < besideShown {
			also := *c
			also.quoted, also.changed[0], also.n = c.beside, c.changed[1], int64(c.beside.turn.N)
			other := resultOf(&also, p)
			other.Beside = true
			a.Ranked = append(a.Ranked, other)
		}
	}
	return nil
}

func resultOf(c *ranked, p Place) *Result {
	one := &Result{Place: p, Title: p.SessionTitle, Turn: int(c.n), Exchange: int(c.x), Score: c.score,
		Near: c.held.near}
	if c.table == items {
		one.Type, one.Item = "item", &c.item
		one.History, one.Conflict, one.Related = c.history, c.conflict, c.related
	} else {
		one.Type, one.TurnID, one.Role, one.At = "turn", c.turn.ID, c.turn.Role, c.turn.At
		one.Text, one.Passage, one.Brief, one.Changed = c.turn.Text, c.passage, c.brief, c.changed[0]
	}
	return one
}

const placeQuery = `SELECT s.sid, s.title, s.project, s.source, s.author, s.machine, s.archived, s.start,
		iif(s.source='` + HandoffSource + `', 0,
		(SELECT count(*) FROM session t WHERE t.project=s.project AND t.start<s.start AND ` + isOwn + `)
		+ (SELECT count(*) FROM session t WHERE t.project=s.project AND t.start=s.start AND t.sid<=s.sid AND ` +
	isOwn + `))
		FROM session s WHERE s.id=?`

func (r *reader) place(ctx context.Context, session int64) (p Place, err error) {
	if p, known := r.places[session]; known {
		return p, nil
	}
	err = r.tx.QueryRowContext(ctx, placeQuery, session).
		Scan(&p.Session, &p.SessionTitle, &p.Project, &p.Source, &p.Author, &p.Machine, &p.Archived,
			written{&p.SessionStart}, &p.SessionN)
	p.named()
	if err == nil {
		if r.places == nil {
			r.places = map[int64]Place{}
		}
		r.places[session] = p
	}
	return p, err
}

// load reads the content of items: one query, as many small ones would take twice as long.
func (r *reader) load(ctx context.Context, list []*ranked) error {
	if len(list) == 0 {
		return nil
	}
	of := make(map[int64]*ranked, len(list))
	var ids []int64
	for _, one := range list {
		of[one.id] = one
		ids = append(ids, one.id)
	}
	found := 0
	err := scan(ctx, r.tx, func(rows *sql.Rows) (err error) {
		var id int64
		var o ranked
		if err := rows.Scan(&id, &o.session, &o.n, &o.x, packedItem{&o.item}); err != nil {
			return err
		}
		found++
		one := of[id]
		one.session, one.n, one.x, one.item = o.session, o.n, o.x, o.item
		return err
	}, itemsQuery, jsonList(ids))
	if err == nil && found < len(of) {
		err = fmt.Errorf("%d of %d items that were found: %w", found, len(of), sql.ErrNoRows)
	}
	return err
}

// itemsQuery reads items with their exchanges.
const itemsQuery = `SELECT i.id, i.session, i.n, ` + exchangeOf + `, i.data FROM item i ` +
	`WHERE i.id IN (SELECT value FROM json_each(?1))`

const exchangeOf = `ifnull((SELECT x FROM window w WHERE w.session=i.session AND w.n<=i.n ` +
	`ORDER BY w.n DESC, w.x DESC LIMIT 1), 0)`

func (r *reader) until() int64 {
	if r.q.AsOf.IsZero() {
		return math.MaxInt64
	}
	return r.q.AsOf.UnixMilli()
}

// quote reads the turns of windows, with those before and after them, and chooses what to show. It drops the windows of
// which nothing had been said yet.
func (r *reader) quote(ctx context.Context, list []*ranked) ([]*ranked, error) {
	var at [][4]int64
	for i, o := range list {
		if o.table == turns {
			at = append(at, [4]int64{int64(i), o.session, o.n, o.to})
		}
	}
	b, err := json.Marshal(at)
	if err != nil || len(at) == 0 {
		return list, err
	}
	said := make([][]Turn, len(list))
	err = scan(ctx, r.tx, func(rows *sql.Rows) error {
		var i int64
		var t Turn
		err := rows.Scan(&i, &t.ID, &t.N, &t.Role, written{&t.At}, packed{&t.Text})
		if err != nil || i < 0 || i >= int64(len(list)) {
			return cmp.Or(err, ErrRebuild)
		}
		said[i] = append(said[i], t)
		return nil
	}, quoteQuery, string(b), r.until())
	for i, o := range list {
		if o.table == turns {
			o.choose(r.asked, said[i])
		}
	}
	return slices.DeleteFunc(list, func(o *ranked) bool { return o.table == turns && o.turn.ID == "" }), err
}

const quoteQuery = `SELECT j.value->>0, t.tid, t.n, t.role, t.at, t.text FROM json_each(?1) j JOIN turn t ON ` +
	`t.session=j.value->>1 AND t.n BETWEEN j.value->>2-2 AND j.value->>3+2 WHERE t.at<?2 ORDER BY t.n`

// How much a turn counts relative to how much of the question it says.
const (
	kindredShare = 0.3 // of what it says in the lexicon's words
	onlyAsks     = 0.8 // a person's question
	states       = 1.5 // anything else of theirs, or the last thing that an assistant says before they speak
	replies      = 1.7 // a person's reply to a question, relative to the question
	besideShown  = 5   // first results of which a second turn is shown
)

// choose chooses the turns to show of a window from those around it: the one that says most of the question, and one
// beside it. A reply to a question says what it asks.
func (o *ranked) choose(asked *rank.Question, said []Turn) {
	from, to := int(o.n), int(o.to)
	asks, before, reports := false, 0.0, []quoted(nil)
	for i, t := range said {
		if i+1 < len(said) && t.Role == "user" && said[i+1].Role == Both && said[i+1].N == t.N {
			continue // the next has it with what it answers
		}
		passage, brief := asked.Passage(t.Text)
		one := quoted{t, passage, brief, 0.01 + shareIn(asked, passage)} // what says nothing of it is better than none
		person, more := t.Role != assistant && t.Role != SubAgent, i+1 < len(said)
		asksBack := person && strings.HasSuffix(strings.TrimSpace(t.Text), "?")
		replied := asks && person && !asksBack
		switch {
		case t.Role == Both && i > 0 && said[i-1].N == t.N && said[i-1].Role == "user":
			one.says *= replies
		case replied:
			one.says = max(one.says, before)
		case asksBack, rank.Announces(passage):
			one.says *= onlyAsks
		case t.Role == "user", t.Role == assistant && (!more || said[i+1].Role != assistant):
			one.says *= states
		}
		end := t.Text[max(0, len(t.Text)-endOfTurn):]
		if asks = t.Role == assistant && strings.Contains(end, "?"); asks {
			before = replies * shareIn(asked, end)
			if asked.Few() && shareIn(asked, text.AskingWhole(t.Text)) == 0 { // they only stand near what it asks
				before = states * shareIn(asked, end)
			}
		}
		if asksBefore, repliesAfter := t.N < from && asks, t.N > to && replied; (t.N < from || t.N > to) &&
			!asksBefore && !repliesAfter {
			continue
		}
		if t.Role == SubAgent {
			reports = append(reports, one)
		}
		if one.says > o.says {
			one, o.quoted = o.quoted, one
		}
		if one.says > o.beside.says {
			o.beside = one
		}
	}
	for _, report := range reports {
		switch {
		case report.turn.ID == o.quoted.turn.ID:
		case o.beside.repeats(report):
			o.beside = report
		case o.quoted.repeats(report) && report.turn.ID != o.beside.turn.ID:
			o.quoted = report
		}
	}
	for _, t := range said { // a person's answer to a call before what the call proposes
		if t.N == o.turn.N && (t.Role == "user" || t.Role == Both) && o.turn.Role == assistant {
			passage, brief := asked.Passage(t.Text)
			o.quoted, o.beside = quoted{t, passage, brief, o.says}, o.quoted
		}
	}
	if question := o.turn; question.Role == "user" && o.beside.turn.Role == assistant && o.beside.turn.N > question.N &&
		strings.HasSuffix(strings.TrimSpace(question.Text), "?") {
		o.endsWith(asked, said, o.beside)
	} else if o.turn.Role == assistant && o.beside.turn.Role == "user" && o.beside.turn.N < o.turn.N {
		o.endsWith(asked, said, o.quoted)
	}
	o.reply(asked, said)
	o.n = cmp.Or(int64(o.turn.N), o.n)
}

// endsWith shows what was answered and, if that wasn't the last message of its exchange, that beside it: it may take it
// back, and a question says nothing.
func (o *ranked) endsWith(asked *rank.Question, said []Turn, answer quoted) {
	for _, t := range said {
		if t.N > answer.turn.N && t.Role != assistant {
			break
		} else if t.N > answer.turn.N {
			passage, brief := asked.Passage(t.Text)
			o.quoted, o.beside = answer, quoted{t, passage, brief, answer.says}
		}
	}
}

// reply shows a person's few words with what they are to, and below an assistant's last words what the person replied
// to them rather than what they had asked; below what was said before a question, the reply and not the question.
func (o *ranked) reply(asked *rank.Question, said []Turn) {
	for i, t := range said {
		if i == 0 || said[i-1].Role != assistant || t.Role != "user" {
			continue
		}
		to := &said[i-1]
		takesSide := text.TakesSide(t.Text) && !strings.HasSuffix(t.Text, "?")
		last := o.turn.ID == to.ID && (o.beside.turn.Role == "user" && o.beside.turn.N < to.N && takesSide ||
			o.beside.turn.Role != Both && picks(to.Text, t.Text))
		asks := o.beside.turn.ID == to.ID && o.turn.N < to.N && strings.Contains(text.LastWords(to.Text), "?") &&
			max(len(o.beside.passage), len(t.Text)) <= shortReply && ingest.Typed(t.Text) == t.Text
		before, room := text.Replied(to.Text, t.Text), besideQuestion // on one line
		if asks {
			before, room = o.beside.passage, shortReply
		}
		if last || asks {
			passage, brief := asked.Passage(t.Text)
			o.beside = quoted{t, passage, brief, o.beside.says}
		}
		for _, q := range []*quoted{&o.quoted, &o.beside} {
			other := q.turn.ID != t.ID || q.turn.Role != t.Role || len(t.Text) > shortReply
			if other || before == "" || ingest.Typed(t.Text) != t.Text {
				continue
			}
			if q == &o.quoted {
				room = shortReply
			}
			before = text.Clip(strings.ReplaceAll(before, " → ", " -> "), room)
			q.turn.Role, q.turn.Text = Both, before+" → "+t.Text
			q.passage, q.brief = q.turn.Text, q.turn.Text
		}
	}
}

// picks reports whether a reply names what the end of a message recommends, or what that is weighed against.
func picks(offer, reply string) bool {
	reply = strings.TrimSpace(reply)
	return !strings.HasSuffix(reply, "?") && recommends().MatchString(offer[max(0, len(offer)-endOfTurn):]) &&
		text.Words(reply).Shared(text.Words(offer)) > 0
}

var recommends = text.Pattern(`(?i)\b(?:recommend|suggest|(?:i|we)['’]d (?:go|take|use|pick|prefer)|i would|empfehl|` +
	`würde|recommand|conseill|recomiend|sugier)`)

// How long a reply may be that is shown with what it is to, and that, in bytes.
const (
	shortReply     = 120
	besideQuestion = 40
)

// repeats reports whether an assistant's passage says in fewer words what a sub-agent had reported before, and no more
// of the question.
func (q *quoted) repeats(report quoted) bool {
	if q.turn.Role != assistant || report.turn.N >= q.turn.N {
		return false
	}
	said, found := text.Words(q.passage), text.Words(report.passage)
	return len(said) < len(found) && said.Shared(found) > 0 && q.says <= states*report.says
}

// shareIn returns how much of a question a text says, in its own or related words.
func shareIn(asked *rank.Question, said string) float64 {
	_, own, kindred := asked.Held(said)
	return own + kindredShare*kindred
}

const (
	assistant = "assistant"
	endOfTurn = 240 // bytes in which a question is one to the person
)

const fewDocs = 20 // a word in at most so many windows and items is rare

// judge says which of the question's words occur where. If a passage answers, no score tells: that needs a reader.
func (r *reader) judge(a *Answer, ts []term) {
	var present float64
	a.Rarity = text.Bag{}
	for _, t := range ts {
		a.Rarity[t.stem] = t.rarity(float64(r.size))
		if t.df == 0 {
			a.Missing = append(a.Missing, t.word)
			continue
		}
		present += t.idf
	}
	a.Unknown = len(a.Ranked) == 0 || present == 0
	for _, one := range a.Ranked {
		said := one.Text
		if it := one.Item; it != nil {
			said = strings.Join(append(append([]string{it.Text, it.Why, it.Scope, it.Path}, it.Alternatives...),
				append(it.About, it.Aliases...)...), " . ")
			for _, e := range it.Evidence {
				said += " . " + e.Quote
			}
			for _, was := range one.History { // it has its place
				said += " . " + was.Item.Text
			}
		}
		var held uint64
		for held, one.Coverage, one.Kindred = r.asked.Held(said); held != 0; held &= held - 1 {
			one.Terms = append(one.Terms, ts[bits.TrailingZeros64(held)].word)
		}
	}
	if len(a.Ranked) > 0 {
		a.Coverage = a.Ranked[0].Coverage
	}
	held := func(one *Result) bool { return len(one.Terms) > 0 || one.Kindred > 0 }
	if r.q.Project != "" && !slices.ContainsFunc(a.Ranked, held) {
		a.Unknown = true // other projects' sessions have its words
	}
}
