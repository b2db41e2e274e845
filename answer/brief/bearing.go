package brief

import (
	"cmp"
	"context"
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

	long bool // a quote for a task at length, which is worth more words
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
	half      = 0.5 // of a task's words that what excludes it has
	third     = 0.3 // the same of a task that supposes it

	examinedWords = 3 // the least words of a task that supposes nothing which what excludes it has
	fewWords      = 2 // words that an exchange shares with a task at length
)

// Find asks what recall query of the task's own words answers, within a project ("" for all), and returns what of its
// first results bears on the task, at most three: claims that forbid it, what a person said that tells not to do it,
// claims that share words with it, then what a person replied to a question or a proposal, or gave a reason for; for a
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
		if !slices.ContainsFunc(all, same) && wanted(b) {
			all = append(all, *b)
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
	long := len(asks) >= atLength
	act := check.Read(check.Action{Text: task})
	var orders, claims, dead, quotes, offers []Bearing
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
		for _, t := range turns {
			if typed(t) {
				read = append(read, quoted(t, r.Place))
			}
		}
		orders = append(orders, forbidding(turns, r.Place, act, heard)...)
		if r.Score >= asGood {
			dead = append(dead, examined(turns, r.Place, task, asks)...)
		}
		if stands := r.Item != nil && claimed[r.Item.Kind] && r.Item.Current(); stands && about(r, turns, task, asks) {
			claims = append(claims, Bearing{Placed: r.Placed()})
			continue
		}
		b, done := putOff(turns, r, asks, found.Results)
		if done {
			continue
		}
		into := &quotes
		if b == nil {
			b = reply(turns, r.Place, from, asks)
		}
		sure := r.Score >= asGood || b != nil && long // and then shares a fifth of many words
		if b == nil && long {
			b, into = offered(turns, r, from, asks), &offers
		}
		if b != nil && (sure || meet(task, b.Asked+"\n"+b.Item.Text)) {
			*into = append(*into, *b)
		}
	}
	for _, b := range slices.Concat(orders, claims, dead, quotes, offers) {
		if len(all) >= most { // latest searches for each
			break
		}
		b.long = long && !b.Claims()
		if err := add(&b); err != nil {
			return nil, err
		}
	}
	return all[:min(len(all), most)], nil
}

// latest returns what a person said last of a question where a quote is what they had replied to it, or of the quote
// itself where they took it back.
func latest(ctx context.Context, x *index.Index, b *Bearing, read []Bearing) (*Bearing, error) {
	question := text.Answer(b.Asked, b.Item.Text)
	switch {
	case b.Claims():
		return b, nil
	case question == nil:
		return takenBack(b, read), nil
	}
	last, err := x.Later(ctx, &b.Placed, text.Asking(b.Asked), question)
	if err != nil || last == nil {
		return b, err
	}
	return &Bearing{Placed: *last, Before: b.Item.Text, Asked: b.Asked, long: b.long}, nil
}

// takenBack returns what a person said last of a quote of theirs, among what was read, that says its opposite.
func takenBack(b *Bearing, read []Bearing) (last *Bearing) {
	if last = b; b.Item.By != payload.ByUser {
		return b
	}
	was := text.HeadMarked(b.Item.Text, compared)
	for _, r := range read {
		for _, s := range text.Sentences(text.HeadMarked(r.Item.Text, compared), true) {
			if r.Item.At.After(last.Item.At) && !strings.HasSuffix(s, "?") && distill.Opposes(s, was) {
				later := r
				later.Item.Text = s
				later.Before, later.Asked, later.long = b.Item.Text, b.Asked, b.long
				last = &later
			}
		}
	}
	return last
}

const compared = 1 << 10 // bytes of what a person said, with what they said before

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
func about(r *answer.Result, turns []index.Turn, task string, asks text.Bag) bool {
	it := r.Item
	said := strings.Join(append([]string{it.Text, it.Why, it.Scope}, slices.Concat(it.About, it.Aliases,
		it.Alternatives)...), "\n")
	for _, t := range turns {
		if t.N == r.Turn {
			said += "\n" + t.Text
		}
	}
	return len(r.Terms) > 0 && shared(task, said) >= atLeast(asks)
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

// examined returns what an assistant said that excludes what a task supposes: near where it looked for a cause, with
// what was supposed in its message before. A task that supposes nothing must be about most of it, and is told what an
// exchange ended with only if the one before ended with a supposition.
func examined(turns []index.Turn, at index.Place, task string, asks text.Bag) []Bearing {
	said := func(t index.Turn) bool { return !typed(t) }
	asked := supposes().MatchString(task)
	least, share := examinedWords, half
	if asked {
		least, share = fewWords, third
	}
	var best *Bearing
	for i, t := range turns {
		concluded := false                             // a person asked in between to look
		ends := i+1 == len(turns) || !said(turns[i+1]) // with what was found
		answered := ""
		if ends && i+1 < len(turns) {
			answered = turns[i+1].Text
		}
		first := text.Sentences(answered, true) // what follows may be about something else
		denied := len(first) > 0 && text.Denies(first[0])
		passage := ""
		if i > 0 && said(turns[i-1]) {
			passage = turns[i-1].Text
		} else if i > 1 && said(turns[i-2]) && supposes().MatchString(turns[i-2].Text) {
			passage, concluded = turns[i-2].Text, true
		}
		if !said(t) || ends && !asked && !concluded {
			continue
		}
		has := asks.Among(passage + " " + t.Text)
		if len(has) < least || asks.In(has) < share || denied {
			continue
		}
		for _, s := range text.Sentences(text.OneLine(t.Text), false) {
			passage += " " + s
			words := text.Words(passage)
			if words.Shared(asks) < least || asks.In(words) < share || !excludes().MatchString(s) {
				continue
			}
			least = words.Shared(asks) + 1 // another must have more
			b := quoted(t, at)
			b.Item.By, b.Item.Text = payload.ByAssistant, text.Nearest(passage, asks)
			if b.Item.Text != s {
				b.Item.Text += " … " + s
			}
			b.Answered = answered
			best = &b
			break
		}
	}
	supposed := func(t index.Turn) bool { return said(t) && supposes().MatchString(t.Text) }
	if best == nil || !slices.ContainsFunc(turns, supposed) {
		return nil
	}
	return []Bearing{*best}
}

var (
	// supposes matches what supposes a cause, or asks whether it is one.
	supposes = text.Pattern(`(?i)\b(?:maybe|perhaps|possibly|probably|might|may be|` +
		`could (?:it|the|that|this|there|also|be|cause)|` +
		`suspect\w*|suspicion|guess|hypothes[ie]s|theory|candidate|i th(?:ink|ought)|` +
		`(?:first|my|one) (?:thought|idea)|` +
		`caus(?:es?|ed|ing)|because|since|that['’]s (?:why|where)|is why|behind|check (?:whether|if|the)|look at)\b|` +
		`^(?:is|are|does|do|did|was)\b.*\?`)
	// excludes matches what says of something that it isn't so.
	excludes = text.Pattern(`(?i)\b(?:no|not|never|nothing|none|neither|nor|without|cannot|exclud\w*|reject\w*|` +
		`rul(?:es?|ed) out|clear(?:s|ed)|innocent|out of the question|off the hook|dead end|red herring|fine|healthy)\b|` +
		`n['’]t\b`)
)

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
	}
	return &b
}

// reply returns what a person replied from a turn on, nil if they replied nothing there that bears on what is asked.
func reply(turns []index.Turn, at index.Place, from int, asks text.Bag) *Bearing {
	for i, t := range turns {
		if t.N < from || !typed(t) {
			continue
		}
		if i > 0 && bears(turns[:i+1], asks) {
			return replied(turns, i, at)
		}
		if t.Text = reasoned(t.Text, asks); t.Text != "" {
			b := quoted(t, at)
			return &b
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

// reasoned returns the sentence about what is asked that gives its reason, or what it was preferred to, which no file
// tells; "" if none does.
func reasoned(said string, asks text.Bag) string {
	for _, s := range text.Sentences(said, false) {
		if reasons().MatchString(s) && text.Words(s).Shared(asks) >= max(atLeast(asks), len(asks)/3) {
			return s
		}
	}
	return ""
}

var reasons = text.Pattern(`(?i)\b(?:because|so that|otherwise|instead of|rather than|weil|damit|statt|parce que|porque)\b`)

// bears reports whether the last of some turns settles what the turn before it asks or proposes, and bears on the words
// asked. It settles something if the words before it end with a question, if it leaves them at that, or if it takes up
// one of them; what follows a person's own turn is the reason of a refusal.
func bears(turns []index.Turn, asks text.Bag) bool {
	last := len(turns) - 1
	said, before, earlier := text.Words(turns[last].Text), text.Words(turns[last-1].Text), text.Bag{}
	if last > 1 {
		earlier = text.Words(turns[last-2].Text)
	}
	asked := typed(turns[last-1]) || strings.Contains(text.LastWords(turns[last-1].Text), "?")
	if !asked && !text.LeavesIt(turns[last].Text) && said.Without(earlier).Shared(before) == 0 {
		return false
	}
	if said.Shared(asks) > 0 { // it speaks of the matter itself
		before.Add(earlier)
	}
	before.Add(said)
	return before.Shared(asks) >= atLeast(asks)
}

// putOff returns where a person put off what a task is to do, nil if they didn't: the task has half of what stands
// before the words that put off. It is done if a later session's result has the same words.
func putOff(turns []index.Turn, r *answer.Result, asks text.Bag, results []*answer.Result) (b *Bearing, done bool) {
	for _, t := range turns {
		if !typed(t) {
			continue
		}
		for _, s := range text.Sentences(t.Text, true) {
			at := later().FindStringIndex(s)
			if at == nil {
				continue
			}
			of := asks.Among(s[:at[0]])
			if len(of) == 0 || 2*len(of) < len(text.Words(s[:at[0]])) {
				continue
			}
			quote := quoted(t, r.Place)
			_, rest, _ := strings.Cut(t.Text, s) // until when, or why
			quote.Item.Text = s + rest
			return &quote, slices.ContainsFunc(results, func(o *answer.Result) bool {
				return o.Session != r.Session && o.At.After(t.At) && len(of.Among(o.Passage)) == len(of)
			})
		}
	}
	return nil, false
}

// later matches what puts something off.
var later = text.Pattern(`(?i)\b(?:later|not (?:yet|now|today|this)|` +
	`(?:wait|hold off|leave|park|skip|postpone|defer)\w*\b` +
	`[^.;]{0,16}\b(?:for|after|that|this|it|those)|after the|for now|till|until|` +
	`verschieb\w*|verschoben|erst wenn|später|noch nicht|erstmal)\b|先不|暂时|以后再|再说|后回し|後回し|まだ|してから`)

func typed(t index.Turn) bool { return t.Role == "user" }
