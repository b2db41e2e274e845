package brief

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"recall/answer"
	"recall/distill"
	"recall/index"
	"recall/index/check"
	"recall/ingest"
	"recall/internal/text"
	"recall/payload"
)

// Bearing is something said before that bears on a task: a claim, or what a person replied.
type Bearing struct {
	index.Placed        // the claim; a quote is a lead without an id, of the turn with the reply
	Asked        string // what a reply replies to, "" for a claim and for the reason of a refusal
	Answered     string // what a person replied to an assistant's words, "" if nothing to them
	Before       string // what a person had replied to the same before, "" if nothing that is known
	Names        string // what the claim gave up and the task names, "" if none

	Doubt payload.Doubt // what may have replaced the claim; the caller knows

	weighed string  // the person's own question, where what they replied to only weighed it
	worth   float64 // of a quote: the score of the result that it stands near
	long    bool    // a quote for a task at length, which is worth more words
}

// Claims reports whether it is a claim rather than a quote.
func (b *Bearing) Claims() bool { return b.Item.Kind != payload.Lead }

const (
	most    = 3 // things handed over
	looked  = 4 // results that are looked at
	placed  = 8 // places looked at where a call's words were said
	around  = 3 // turns before and after a result among which a reply is looked for
	inWords = 5 // of so many words of the task, a quote must share one, and two at least

	atLength  = 16  // content words of a task at length, which names what it is about: what it finds bears on it
	asGood    = 0.9 // of the first result's score, from which it is what the task is about, too
	explained = 100 // bytes of a reply that says more than yes or no

	fewWords = 2 // words that an exchange shares with a task at length
)

// Find asks what recall query of the task's own words answers, within a project ("" for all), and returns what of its
// first results bears on the task, at most three: claims that forbid it, what a person said that tells not to do it,
// claims that share words with it, then what binds it, was excluded, or was replied to a question or a proposal; for a
// task at length, what else the exchanges found came to. What a person only asked for, and what was done, the next
// session finds in the files.
func Find(ctx context.Context, x *index.Index, project, task string, wanted func(*Bearing) bool) ([]Bearing, error) {
	var all, read []Bearing // what is handed over, and what people said where it was looked for
	add := func(b *Bearing) error {
		b, err := latest(ctx, x, b, read)
		if err != nil {
			return err
		}
		same := func(o Bearing) bool {
			return o.Session == b.Session && (b.Claims() && o.Item.ID == b.Item.ID || !b.Claims() && near(o.Turn, b.Turn))
		}
		switch i := slices.IndexFunc(all, same); {
		case i < 0 && wanted(b):
			all = append(all, *b)
		case i >= 0 && b.Turn == all[i].Turn && all[i].Before == "": // with what it changes
			all[i].Before, all[i].Asked = b.Before, cmp.Or(b.Asked, all[i].Asked)
		}
		return nil
	}
	if distill.Bare(&ingest.Turn{Role: ingest.User, Text: task}) { // it replies to what was just said
		return nil, nil
	}
	warnings, err := check.Against(ctx, x, check.Action{Project: project, Text: task})
	if err != nil {
		return nil, err
	}
	for i := range warnings {
		b := Warned(&warnings[i])
		if err := add(&b); err != nil {
			return nil, err
		}
	}
	found, err := answer.Ask(ctx, x, nil, answer.Question{Most: looked,
		// What was decided in an archived session still holds, and "on Monday" isn't when it was said.
		Query: index.Query{Text: task, Project: project, Archived: true, Stated: true}})
	if err != nil || found.Verdict == answer.Nothing {
		return all[:min(len(all), most)], err
	}
	asks := text.Words(task)
	k := readTask(task, found.Rarity, found.Results)
	act := check.Read(check.Action{Text: task})
	var orders, claims, said, offers []Bearing
	heard := map[string]bool{} // whose orders are known: results stand near one another
	for _, r := range found.Results {
		from, to := r.Turn, r.Turn
		if r.Item == nil {
			from, to = min(from, r.From), max(to, r.To)
		}
		turns, err := x.Said(ctx, r.Session, from, to, around)
		if err != nil {
			return nil, err
		}
		turns = asTyped(turns)
		said = append(said, k.remarks(turns, r)...)
		for _, t := range turns {
			if typed(t) {
				read = append(read, quoted(t, r.Place))
			}
		}
		orders = append(orders, forbidding(turns, r.Place, act, heard)...)
		if r.Score >= asGood {
			said = append(said, k.examined(turns, r)...)
		}
		if stands := r.Item != nil && claimed[r.Item.Kind] && r.Item.Current(); stands && k.about(r, turns) {
			claims = append(claims, Bearing{Placed: r.Placed()})
			continue
		}
		over := func(t index.Turn) bool {
			return typed(t) && slices.ContainsFunc(text.Sentences(text.HeadMarked(t.Text, compared), true),
				func(s string) bool { return k.done(s, t, r) })
		}
		if slices.ContainsFunc(turns, over) {
			continue
		}
		into := &said
		b := k.reply(turns, r.Place, from)
		sure := r.Score >= asGood || b != nil && k.long // and then shares a fifth of many words
		if b == nil && k.long {
			b, into = offered(turns, r, from, asks), &offers
		}
		if b != nil && (sure || meet(task, b.Asked+"\n"+b.Item.Text)) {
			b.worth = r.Score
			*into = append(*into, *b)
		}
	}
	slices.SortStableFunc(said, func(a, b Bearing) int { return cmp.Compare(b.worth, a.worth) })
	for _, b := range slices.Concat(orders, claims, said, offers) {
		if len(all) >= most { // latest searches for each
			break
		}
		b.long = k.long && !b.Claims()
		if err := add(&b); err != nil {
			return nil, err
		}
	}
	return all[:min(len(all), most)], nil
}

// latest returns what a person said last of a question where a quote is what they had replied to it, or of the quote
// itself where they took it back.
func latest(ctx context.Context, x *index.Index, b *Bearing, read []Bearing) (*Bearing, error) {
	if b.Claims() {
		return b, nil
	}
	asked := cmp.Or(b.weighed, text.Asking(b.Asked))
	if question := text.Answer(cmp.Or(b.weighed, b.Asked), b.Item.Text); question != nil {
		last, err := x.Later(ctx, &b.Placed, asked, question)
		if err != nil {
			return b, err
		}
		if last != nil {
			return &Bearing{Placed: *last, Before: b.Item.Text, Asked: b.Asked, long: b.long}, nil
		}
	}
	return takenBack(b, read), nil
}

// takenBack returns what a person said last, among what was read, that says the opposite of a quote of theirs, or that
// what it is about changes.
func takenBack(b *Bearing, read []Bearing) (last *Bearing) {
	if last = b; b.Item.By != payload.ByUser {
		return b
	}
	was := text.HeadMarked(b.Item.Text, compared)
	about := text.Words(was + "\n" + text.LastWords(b.Asked) + "\n" + b.weighed)
	maps.DeleteFunc(about, func(w string, _ float64) bool { return len(w) <= shortest })
	for _, r := range read {
		for _, s := range text.Sentences(text.HeadMarked(r.Item.Text, compared), true) {
			if !r.Item.At.After(last.Item.At) || asksBack(s) {
				continue
			}
			if changes := text.SaysChanged(s) && count(about.Among(s)) >= twice; changes || distill.Opposes(s, was) {
				later := r
				later.Item.Text = s
				later.Before, later.Asked, later.long = b.Item.Text, b.Asked, b.long
				last = &later
			}
		}
	}
	return last
}

const (
	compared = 1 << 10 // bytes of what a person said, with what they said before
	shortest = 3       // bytes of a word that says nothing in some language
)

// Forbidden returns what a person said last that tells not to do what an edit or a command does, nil if nothing. It is
// looked for by words alone: this is asked at each call.
func Forbidden(ctx context.Context, x *index.Index, act check.Action, wanted func(*Bearing) bool) (last *Bearing,
	err error) {
	d := check.Read(act)
	if d.Asked() == "" {
		return nil, nil
	}
	found, err := x.Replies(ctx, act.Project, d.Asked(), placed)
	if err != nil {
		return nil, err
	}
	heard := map[string]bool{}
	for _, r := range found {
		if !check.MayForbid(ingest.Typed(r.Text)) {
			continue
		}
		turns, err := x.Said(ctx, r.Session, r.Turn, r.Turn, around)
		if err != nil {
			return nil, err
		}
		for _, b := range forbidding(asTyped(turns), r.Place, d, heard) {
			if b.Names = cmp.Or(b.Asked, b.Item.Text); (last == nil || b.Item.At.After(last.Item.At)) && wanted(&b) {
				last = &b
			}
		}
	}
	return last, nil
}

// asTyped leaves out what people pasted, which isn't their word.
func asTyped(turns []index.Turn) []index.Turn {
	for i := range turns {
		if typed(turns[i]) {
			turns[i].Text = ingest.Typed(turns[i].Text)
		}
	}
	return turns
}

// Warned returns what an action goes against as what bears on it; a refusal with the call that was refused.
func Warned(w *check.Warning) Bearing {
	b := Bearing{Placed: w.Placed, Names: w.Name}
	if !b.Claims() {
		b.Asked = w.Name
	}
	return b
}

// near reports whether two turns of a session stand so near that one note needn't quote both.
func near(a, b int) bool { return max(a-b, b-a) <= around }

// about reports whether a claim and the turn it stands in share enough words with what is asked. What a plan does, the
// files tell, but not what it leaves out: a point that denies nothing must be about most of what is asked.
func (k *task) about(r *answer.Result, turns []index.Turn) bool {
	it := r.Item
	said := strings.Join(append([]string{it.Text, it.Why, it.Scope}, slices.Concat(it.About, it.Aliases,
		it.Alternatives)...), "\n")
	for _, t := range turns {
		if t.N == r.Turn {
			said += "\n" + t.Text
		}
	}
	return len(r.Terms) > 0 && float64(shared(k.text, said)) >= k.least
}

// claimed are the kinds that say what stands.
var claimed = map[payload.Kind]bool{payload.Decision: true, payload.Eliminated: true, payload.Finding: true,
	payload.Flag: true, payload.Deferred: true, payload.Question: true}

// forbidding returns what a person said in some turns, but for those heard before, that tells not to do the task, or
// settled on something else, with what it is about.
func forbidding(turns []index.Turn, at index.Place, act *check.Deed, heard map[string]bool) (all []Bearing) {
	before := "" // what was said since the person spoke
	for i, t := range turns {
		if !typed(t) {
			before += t.Text + "\n"
			continue
		}
		turn := at.Session + t.ID
		if heard[turn] {
			before = ""
			continue
		}
		heard[turn] = i > 0 // with what it replies to
		b := quoted(t, at)
		if lost, took := act.Settled(t.Text, before); lost != "" {
			b.Asked = lost
			if took != text.OneLine(t.Text) { // the person only agreed
				b = quoted(turns[i-1], at)
				b.Item.By, b.Item.Text, b.Answered = payload.ByAssistant, lost+" … "+took, t.Text
			}
			all = append(all, b)
		} else if order, about := act.Forbids(t.Text, before); order != "" {
			b.Item.Text, b.Asked = order, about
			all = append(all, b)
		}
		before = ""
	}
	return all
}

// quoted returns what a person said as a quote.
func quoted(t index.Turn, at index.Place) Bearing {
	return Bearing{Placed: index.Placed{Place: at, Turn: t.N, Item: payload.Item{Kind: payload.Lead, Text: t.Text,
		By: payload.ByUser, Maker: payload.ByRule, State: payload.Stands, At: t.At}}}
}

// replied returns the ith of some turns as a person's reply to the one before it.
func replied(turns []index.Turn, i int, at index.Place) *Bearing {
	b := quoted(turns[i], at)
	if i > 0 && !typed(turns[i-1]) {
		b.Asked = turns[i-1].Text
		b.weighed = weighed(turns[:i+1])
	}
	return &b
}

// reply returns what a person replied from a turn on, nil if they replied nothing there that bears on what is asked.
func (k *task) reply(turns []index.Turn, at index.Place, from int) *Bearing {
	for i, t := range turns {
		if t.N < from || !typed(t) || asksBack(t.Text) {
			continue
		}
		if i > 0 && k.bears(turns[:i+1]) {
			return replied(turns, i, at)
		}
	}
	return nil
}

// offered returns what an exchange that was found for a task at length came to: of what a person replied in it, the
// longest that denies something or says it at length; else the passage that was found if it denies something. It has
// to share some words with the task.
func offered(turns []index.Turn, r *answer.Result, from int, asks text.Bag) *Bearing {
	best := -1
	for i, t := range turns {
		replies := i > 0 && t.N >= from && typed(t)
		if !replies || !text.Denies(t.Text) && len(t.Text) < explained {
			continue
		}
		words := text.Words(t.Text)
		words.Add(text.Words(turns[i-1].Text))
		if words.Shared(asks) >= fewWords && (best < 0 || len(t.Text) > len(turns[best].Text)) {
			best = i
		}
	}
	if best > 0 {
		return replied(turns, best, r.Place)
	}
	if r.Item != nil || !text.Denies(r.Passage) || text.Words(r.Passage).Shared(asks) < fewWords {
		return nil
	}
	b := quoted(index.Turn{N: r.Turn, Text: cmp.Or(r.Brief, r.Passage), At: r.At}, r.Place)
	if r.Role != "user" {
		b.Item.By = payload.ByAssistant
	}
	return &b
}

// bears reports whether the last of some turns settles what the turn before it asks or proposes, and bears on the words
// asked. It settles something if the words before it end with a question, if it leaves them at that, or if it takes up
// one of them; what follows a person's own turn is the reason of a refusal.
func (k *task) bears(turns []index.Turn) bool {
	last := len(turns) - 1
	said, before, earlier := turns[last].Text, turns[last-1].Text, ""
	if last > 1 {
		earlier = turns[last-2].Text
	}
	own := weighed(turns)
	before += "\n" + own
	asked := typed(turns[last-1]) || strings.Contains(text.LastWords(before), "?")
	if !asked && !text.LeavesIt(said) && text.Words(said).Without(text.Words(earlier)).Shared(text.Words(before)) == 0 {
		return false
	}
	if len(k.in(said)) > 0 { // it speaks of the matter itself
		before += "\n" + earlier
	}
	if chose := !asked && own == "" && !text.LeavesIt(said); chose && len(k.in(said+"\n"+earlier)) == 0 {
		return false
	}
	said += "\n" + before
	has := k.in(said)
	return (count(has) >= k.least || k.long && float64(len(has)) >= k.least) && shared(k.text, said) >= fewWords
}

// weighed returns a person's own question that the last of some turns answers after the assistant only weighed it, ""
// if it isn't so.
func weighed(turns []index.Turn) string {
	last := len(turns) - 1
	if last < 2 || !typed(turns[last-2]) || typed(turns[last-1]) || asksBack(turns[last-1].Text) {
		return ""
	}
	asked := turns[last-2].Text
	if !asksBack(asked) || text.Words(asked).Shared(text.Words(turns[last].Text)) == 0 {
		return ""
	}
	return asked
}

func typed(t index.Turn) bool { return t.Role == "user" }
