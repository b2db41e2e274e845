package index

import (
	"cmp"
	"context"
	"database/sql"
	"math"
	"math/bits"
	"slices"
	"strings"
	"sync"
	"time"

	"recall/index/rank"
	"recall/internal/text"
	"recall/payload"
)

// What counts for a result, each as a share of the best one's. A question of few words is answered by what holds them
// often and in little text. A task of many words has no subject that a passage repeats: what counts is how many of its
// rare words one window holds.
type blend struct {
	words, near, held, session float64
	says                       float64 // more for a passage that says all of the question
}

var (
	ofQuestion = blend{words: 1, near: 1, session: 0.3, says: 0.25}
	ofTask     = blend{words: 0.5, held: 1}
)

const (
	taskWords     = 16  // content words from which a question is a task
	rareness      = 1.5 // exponent of a word's rarity
	wordless      = 0.5 // of its exchange's score to an item with none of the words
	itemWords     = 2.0 // of an item's own score relative to its exchange's
	sessionDecay  = 0.7 // from each of a session's results to the next, best first
	asStood       = 0.5 // of what only says how things stood, if that isn't asked for
	gone          = 0.3 // of what no longer holds
	isAsked       = 1.3 // of the kind that is asked for
	byHand        = 1.3 // of what a person wrote down themselves
	mostSays      = 1.5 // of what a passage says of a question, as a person's words count for more
	exchangesRead = 15  // exchanges of which the text is read, more if more results are wanted
	itemsFrom     = 30  // exchanges of which the items are results, whatever their words
)

// look ranks exchanges and items, best first, and reads what is shown of them.
func (r *reader) look(ctx context.Context, docs map[int64]*held, ts []term) ([]*ranked, error) {
	told, err := r.exchanges(ctx, docs)
	if err != nil {
		return nil, err
	}
	if err := r.itemsIn(ctx, told, docs); err != nil {
		return nil, err
	}
	found, err := r.foundItems(ctx, docs)
	if err != nil {
		return nil, err
	}
	in := map[exchangePlace]held{}
	for _, o := range told {
		in[exchangePlace{o.session, o.x}] = o.held
	}
	for _, o := range found { // an item lifts its exchange, and is lifted by it
		around := in[exchangePlace{o.session, o.x}]
		switch o.wordless = o.held.score == 0; {
		case o.wordless: // it is what an exchange on the subject came to
			around.score *= wordless
		case o.x == 0: // it stands for itself
			around.score = o.held.score
		}
		o.held.score = itemWords*o.held.score + around.score
		o.held.near = around.near
	}
	all := found
	if r.q.Kinds == nil {
		all = append(all, told...)
	}
	if err := r.projectsOf(ctx, all); err != nil {
		return nil, err
	}
	r.blend(all, ts)
	all = r.withoutSigns(all)
	arrange(all)
	read := max(exchangesRead, r.q.Limit)
	if r.asksWhere() { // the last session on it may say less of it than those before
		read *= whereRead
	}
	all, err = r.quote(ctx, all[:min(len(all), read)])
	for _, o := range all {
		says := min(mostSays, o.says)
		if o.table == items {
			says = states*shareIn(r.asked, strings.Join(append(o.item.Aliases, o.item.Text, o.item.Why), "\n")) +
				r.asked.Begins(o.item.Text)
		}
		o.score *= 1 + blendFor(ts).says*says
		if o.table == turns && r.asked.Few() && r.asked.Asks(payload.Decision) && o.decides(r.asked) {
			o.score *= isAsked
		}
	}
	liftAnswers(all)
	arrange(all)
	scale(all)
	return all, err
}

// liftAnswers has what a person replied later in a session right before the question that it answers.
func liftAnswers(all []*ranked) {
	for _, reply := range all {
		question, _, answered := strings.Cut(reply.turn.Text, " → ")
		for _, o := range all {
			asks := o.turn.Role == assistant && o.session == reply.session && o.n < reply.n
			if asks && answered && reply.turn.Role == Both && text.AsksSame(o.turn.Text, question) {
				reply.score = max(reply.score, o.score*(1+1e-9))
			}
		}
	}
}

func blendFor(ts []term) blend {
	if len(ts) >= taskWords {
		return ofTask
	}
	return ofQuestion
}

// blend computes the results' scores.
func (r *reader) blend(all []*ranked, ts []term) {
	b := blendFor(ts)
	cover := make([]float64, len(all))
	for i, o := range all {
		for w := o.held.words; w != 0; w &= w - 1 {
			cover[i] += math.Pow(ts[bits.TrailingZeros64(uint64(w))].idf, rareness)
		}
	}
	beside := supports(all)
	share := func(of func(i int) float64) func(i int) float64 {
		most := 0.0
		for i := range all {
			most = max(most, of(i))
		}
		return func(i int) float64 { return of(i) / max(most, 1e-9) }
	}
	words := share(func(i int) float64 { return all[i].held.score })
	near := share(func(i int) float64 { return all[i].held.near })
	held := share(func(i int) float64 { return cover[i] })
	session := share(func(i int) float64 { return beside[i] })
	for i, o := range all {
		o.score = b.words*words(i) + b.near*near(i) + b.held*held(i) + b.session*session(i)
		if o.table == items {
			o.score *= r.worth(o)
		}
		o.score += r.boost(o.project)
	}
}

// worth is by how much an item counts more or less because of what it is.
func (r *reader) worth(o *ranked) float64 {
	switch k := o.item.Kind; {
	case !o.item.Current():
		return gone
	case r.asked.Asks(k):
		return isAsked
	case stood(k):
		return asStood
	case o.item.Maker == payload.ByHuman:
		return byHand
	}
	return 1
}

// stood reports whether items of a kind say how things stood in their session.
func stood(k payload.Kind) bool { return rank.AsOfSession(k) || k == payload.File }

// projectsOf reads the projects of the results' sessions.
func (r *reader) projectsOf(ctx context.Context, all []*ranked) error {
	var sessions []int64
	for _, o := range all {
		sessions = append(sessions, o.session)
	}
	of := map[int64]string{}
	err := scan(ctx, r.tx, func(rows *sql.Rows) error {
		var id int64
		var project string
		err := rows.Scan(&id, &project)
		of[id] = project
		return err
	}, `SELECT id, project FROM session WHERE id IN (SELECT value FROM json_each(?))`, jsonList(sessions))
	for _, o := range all {
		o.project = of[o.session]
	}
	return err
}

// supports sums for each result the scores of its session's other exchanges, each with less weight than the one
// before: a session that mentions the subject in several places is more likely the right one.
func supports(all []*ranked) []float64 {
	best := make([]int, len(all))
	for i := range all {
		best[i] = i
	}
	slices.SortStableFunc(best, func(a, b int) int { return cmp.Compare(all[b].held.score, all[a].held.score) })
	bySession := map[int64][]int{}
	for _, i := range best {
		bySession[all[i].session] = append(bySession[all[i].session], i)
	}
	out := make([]float64, len(all))
	for _, of := range bySession {
		for _, i := range of {
			weight, seen := 1.0, map[int64]bool{all[i].x: true}
			for _, j := range of {
				if !seen[all[j].x] {
					seen[all[j].x] = true
					out[i] += weight * all[j].held.score
					weight *= sessionDecay
				}
			}
			out[i] = math.Log1p(out[i])
		}
	}
	return out
}

// scale divides scores by the best one.
func scale(all []*ranked) {
	for i := len(all) - 1; i >= 0; i-- {
		all[i].score /= max(all[0].score, 1e-9)
	}
}

// arrange sorts results by score, exchanges below the claims taken from them, which say the same more clearly.
func arrange(list []*ranked) {
	sorted := func() {
		slices.SortStableFunc(list, func(a, b *ranked) int {
			return cmp.Or(cmp.Compare(b.score, a.score), a.table-b.table)
		})
	}
	sorted()
	best := map[exchangePlace]float64{}
	for _, o := range list {
		at := exchangePlace{o.session, o.x}
		says := o.isClaim() && !o.wordless && !stood(o.item.Kind)
		if _, ok := best[at]; !ok && says && o.x > 0 {
			best[at] = o.score
		}
	}
	for _, o := range list {
		if s, ok := best[exchangePlace{o.session, o.x}]; ok && o.table == turns {
			o.score = min(o.score, s)
		}
	}
	sorted()
}

// The limits for a later result on the same subject. Over the questions about six invented and two real
// projects, of items with aliases, an outdated item comes first in 13 of 70 with this rule and in 33 without;
// 0.17 to 0.25 do much the same.
const (
	sameSubject = 0.2  // likeness of the words of two results
	sameChanged = 0.15 // the same if the later one says that something changes; 0.12 does the same
	asGood      = 0.5  // share of the first one's score that the later one must have
	laterWindow = 8    // results, best first, that are considered
)

// preferLater moves the result of a later session of its project that is about the same and answers about as well right
// before the first result, since it is most likely the current state. No link says so, so neither hides the other; if
// a link does, it decides. A question about the past isn't reordered.
func preferLater(list []*ranked, asked *rank.Question) {
	list = list[:min(len(list), laterWindow)]
	if asked.Past() || len(list) < 2 || len(list[0].history) > 0 {
		return
	}
	alike := sync.OnceValue(func() func(a, b int) float64 { return likenesses(list) }) // mostly not needed
	first := 0
	for moved := true; moved; { // follow to the latest one
		moved = false
		for k := first + 1; k < len(list); k++ {
			if later(list[k], list[first], asked) && alike()(first, k) >= likeEnough(list[k]) {
				first, moved = k, true
				break
			}
		}
	}
	putFirst(list, first)
}

// putFirst moves a result before all others.
func putFirst(list []*ranked, k int) {
	list[k].score = list[0].score
	for ; k > 0; k-- {
		list[k], list[k-1] = list[k-1], list[k]
	}
}

// preferBearing moves what says far more of the question right before a first result that claims something of another
// subject, and a person's word that says more of it before the state of a file.
func preferBearing(list []*ranked, asked *rank.Question) {
	if len(list) == 0 || !list[0].isClaim() {
		return
	}
	list = list[:min(len(list), laterWindow)]
	says := func(o *ranked) float64 {
		it, said := &o.item, o.passage+"\n"+o.beside.passage
		for _, s := range slices.Concat(it.Quotes(), it.Aliases, it.Alternatives, []string{it.Text, it.Why}) {
			said += "\n" + s
		}
		return shareIn(asked, said)
	}
	first, decided := list[0], asked.Few() && asked.Asks(payload.Decision)
	ofFile, least := first.item.Kind == payload.File, says(first)
	k := slices.IndexFunc(list, func(o *ranked) bool {
		byPerson := o.item.By == payload.ByUser || o.turn.Role == "user" || o.turn.Role == Both
		outdated := o.session != first.session && o.at().Before(first.at())
		source := decided && o.session == first.session && o.x == first.x // of what was decided in it
		bears := ofFile && byPerson && says(o) > least || !ofFile && !outdated && !source && says(o) > farMore*least
		return bears && o.score >= nearly*first.score
	})
	if k > 0 {
		putFirst(list, k)
	}
}

const (
	farMore = 2   // times as much of a question
	nearly  = 0.8 // of a score that is about as good
)

// overtake puts what a person said last that gives a question another answer before what they had replied to it, and
// said of it in between, which then have it as what was said later. It is no claim that it holds: all stay quotes.
func overtake(list []*ranked, asked *rank.Question) []*ranked {
	for _, first := range list {
		reply, before := first.typed()
		if before == "" || first.later != nil || asked.Past() {
			continue
		}
		question := text.Answer(before, reply.Text)
		if question == nil {
			continue
		}
		at := func(o *ranked) time.Time { t, _ := o.typed(); return t.At }
		latest, other, all := "", false, []*ranked(nil)
		for _, o := range list {
			t, _ := o.typed()
			isReply := o.session == first.session && t.ID == reply.ID // it may be shown of two exchanges
			said, again := "", false
			if o.project == first.project && t.At.After(reply.At) {
				said, again = question.Reopened(text.HeadMarked(t.Text, longestSaid))
			}
			if !isReply && said == "" {
				continue
			}
			all = append(all, o)
			if said != "" && !slices.ContainsFunc(all, func(o *ranked) bool { return at(o).After(t.At) }) {
				latest = said
			}
			other = other || said != "" && !again
		}
		if !other {
			continue
		}
		slices.SortStableFunc(all, func(a, b *ranked) int { return at(b).Compare(at(a)) })
		later := *all[0]
		later.turn, _ = later.typed()
		later.turn.Role, later.passage, later.n = "user", latest, int64(later.turn.N)
		isOne := func(o *ranked) bool { return slices.Contains(all, o) }
		best := slices.IndexFunc(list, isOne)
		rest := slices.DeleteFunc(slices.Clone(list), isOne)
		for i, o := range all {
			if o.turn.Role == assistant {
				o.quoted, o.beside = o.beside, o.quoted
				o.n = int64(o.turn.N)
			}
			if o.score = list[best].score; i > 0 {
				o.later = &later
			}
		}
		list = slices.Insert(rest, best, slices.CompactFunc(all, func(a, b *ranked) bool { return at(a).Equal(at(b)) })...)
	}
	return list
}

// likeEnough is how similar a later result must be to be about the same.
func likeEnough(newer *ranked) float64 {
	if text.SaysChanged(text.HeadMarked(newer.shownText(), longestSaid)) {
		return sameChanged
	}
	return sameSubject
}

// longestSaid is how much of a result is read for that, in bytes.
const longestSaid = 1 << 10

// later reports whether a newer result states how things are now, where the older one states how they were or
// leaves the question open without being asked for. A passage counts if a person takes something back in it, or if it
// superseded something: an assistant says all day that something changes.
func later(newer, older *ranked, asked *rank.Question) bool {
	switch {
	case newer.project != older.project:
		return false
	case newer.session == older.session || !newer.at().After(older.at()) || newer.score < asGood*older.score:
		return false
	case newer.at().After(time.Now().AddDate(0, 0, 1)): // by a clock that was ahead: it isn't known to be later
		return false
	case !newer.isClaim():
		return len(newer.history) > 0 || newer.takesBack()
	case !older.isClaim():
		return newer.item.Current() && rank.Settles(newer.item.Kind)
	}
	return newer.item.Current() && rank.Settles(newer.item.Kind) && (rank.Settles(older.item.Kind) ||
		rank.LeavesOpen(older.item.Kind) && !asked.Asks(older.item.Kind))
}

// likenesses compares results: claims by the words of their texts and aliases, passages by their most similar
// sentence or superseded item. Words rare among these results weigh more.
func likenesses(list []*ranked) func(a, b int) float64 {
	said := make([][]text.Bag, len(list))
	holds := text.Bag{}
	for k, o := range list {
		all := text.Bag{}
		said[k] = subjects(o)
		for _, b := range said[k] {
			all.Add(b)
		}
		for w := range all {
			holds[w]++
		}
	}
	for _, one := range said {
		for _, b := range one {
			for w := range b {
				b[w] = math.Log(1 + (float64(len(list))-holds[w]+0.5)/(holds[w]+0.5))
			}
		}
	}
	return func(a, b int) (most float64) {
		for _, x := range said[a] {
			for _, y := range said[b] {
				most = max(most, x.Like(y))
			}
		}
		return most
	}
}

// subjects returns the words of a claim, or of each sentence of a passage and of each item that it superseded.
func subjects(o *ranked) (out []text.Bag) {
	if o.isClaim() {
		return []text.Bag{wordsOf(&o.item)}
	}
	said := o.shownText()
	for _, at := range rank.Sentences(said) {
		out = append(out, text.Words(said[at[0]:at[1]]))
	}
	for _, past := range o.history {
		out = append(out, wordsOf(&past.Item))
	}
	return out
}

func wordsOf(it *payload.Item) text.Bag {
	return text.Words(strings.Join(append([]string{it.Text}, it.Aliases...), "\n"))
}
