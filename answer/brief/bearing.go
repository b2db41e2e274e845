package brief

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"recall/answer"
	"recall/distill"
	"recall/index"
	"recall/index/check"
	"recall/ingest"
	"recall/internal/text"
	"recall/library"
	"recall/payload"
	"recall/pipeline"
)

// Bearing is something said before that bears on a task: a claim, or a quote.
type Bearing struct {
	index.Placed        // the claim; a quote is a lead without an id, of its turn
	Asked        string // what a quote replies to, "" if nothing
	Answered     string // what was replied to a quote, "" if nothing
	Before       string // what a quote takes the place of, "" if of nothing that is known
	Names        string // what the claim gave up and the task names, "" if none

	doubt payload.Doubt // what may have replaced the claim, see Doubt
}

// Doubt notes what may have replaced claims.
func Doubt(ctx context.Context, l *library.Library, x *index.Index, all []Bearing) error {
	var items []payload.Item
	for _, b := range all {
		items = append(items, b.Item)
	}
	doubted, err := pipeline.Doubts(ctx, l, x, map[string]*payload.Payload{}, items)
	for i := range all {
		all[i].doubt = doubted[all[i].Item.ID]
	}
	return err
}

// Claims reports whether it is a claim rather than a quote.
func (b *Bearing) Claims() bool { return b.Item.Kind != payload.Lead }

const (
	most   = 3  // things handed over, and results that are looked at
	placed = 8  // places looked at where a call's words were said
	around = 3  // turns before and after such a place in which it is looked for what a person said
	errand = 15 // content words of the longest task of few words

	// bears is how much of a task, times a result's score, a result must say to bear on it: 24 of 183 invented prompts
	// on which nothing bears are then told something (docs/internals/quality.md). 0.95 tells no more of what bears.
	bears = 1.2

	// nearAndBears is the same with how near a result is in meaning added instead of its score, if that is known. By
	// itself nearness tells little; of what shares as many words, what bears is nearer.
	nearAndBears = 1.7
)

// Find returns what of what was said before, within its project ("" for all), bears on an action, at most three:
// claims that forbid it; what a person said that forbids a task of few words, which does one thing; and what recall
// query of the task's own words answers, where that says enough of the task. Like any score this one takes near misses
// for answers; how many of the task's rare words a result has tells the most.
func Find(ctx context.Context, x *index.Index, act check.Action, wanted func(*Bearing) bool) (all []Bearing,
	err error) {
	task := strings.TrimSpace(act.Text + "\n" + act.Command)
	if act.New == "" && distill.Bare(&ingest.Turn{Role: ingest.User, Text: task}) {
		return nil, nil // it replies to what was just said
	}
	add := func(b *Bearing) {
		same := func(o Bearing) bool { // one quote of a place is enough
			near := max(o.Turn-b.Turn, b.Turn-o.Turn) <= around
			return o.Session == b.Session && o.Item.ID == b.Item.ID && (b.Claims() || near)
		}
		if len(all) < most && !slices.ContainsFunc(all, same) && wanted(b) {
			all = append(all, *b)
		}
	}
	warnings, err := check.Against(ctx, x, act)
	if err != nil {
		return nil, err
	}
	for i := range warnings {
		b := Warned(&warnings[i])
		add(&b)
	}
	var forbidden *Bearing
	if len(text.Content(task)) <= errand {
		if forbidden, err = Forbidden(ctx, x, act, wanted); err != nil {
			return nil, err
		}
	}
	var found answer.Answer
	if task != "" {
		found, err = answer.Ask(ctx, x, nil, answer.Question{Most: 2 * most, // also what was said later
			// What was decided in an archived session still holds, and "on Monday" isn't when it was said.
			Query: index.Query{Text: task, Project: act.Project, Archived: true, Stated: true,
				Own: true}})
	}
	if forbidden != nil {
		forbidden.Names = "" // as what was said, not as a warning
		add(latest(forbidden, nil, &found, forbidden.Item.Text))
	}
	if err != nil || found.Verdict == answer.Nothing {
		return all, err
	}
	near := func(r *answer.Result) bool { return r.Near > 0 }
	for _, r := range found.Results[:min(most, len(found.Results))] {
		b, said := shown(r, found.Rarity)
		shares := share(said, found.Rarity)
		bearing := (shares + r.Near) / nearAndBears
		if !slices.ContainsFunc(found.Results, near) { // nothing is known of meanings
			bearing = r.Score * shares / bears
		}
		if b != nil && bearing >= 1 {
			add(latest(b, r.Later, &found, said))
		}
	}
	return all, nil
}

// shown returns what a result shows, if it is a claim that stands or what a person or the assistant said, and all of
// the text that it is taken from.
func shown(r *answer.Result, task text.Bag) (b *Bearing, said string) {
	b = &Bearing{Placed: r.Placed()}
	quotable := r.SessionN > 0 || b.Item.Handed && len(b.Item.Evidence) > 0 // no note of a client's own memory
	stands := claimed[b.Item.Kind] && b.Item.Current() || b.Item.Kind == payload.Lead && quotable
	if r.Item == nil {
		stands = stands && heard(r)
		b.Item.Text = cmp.Or(r.Brief, r.Passage)
		if r.Role == "assistant" {
			b.Item.Text = fitSaid(b.Item.Text, task)
		}
	}
	if !stands {
		return nil, ""
	}
	said = strings.Join(append(b.Item.Quotes(), b.Item.Text, b.Item.Why, r.Text), "\n")
	for _, also := range r.Also {
		said += "\n" + also.Text
		switch brief := cmp.Or(also.Brief, also.Passage); {
		case !heard(also):
		case also.Role == r.Role && also.Turn < r.Turn:
			if len(brief)+len(b.Item.Text) < longestSaid {
				b.Item.Text = brief + " … " + b.Item.Text
			}
		case also.Role == r.Role:
			b.Item.Text += " … " + brief
		case also.Turn < r.Turn:
			b.Asked = brief
		default:
			b.Answered = brief
		}
	}
	return b, said
}

// fitSaid leaves out of a passage that is too long what its first sentences say that isn't about a task.
func fitSaid(passage string, task text.Bag) string {
	for all := text.Sentences(passage, false); len(passage) > longestSaid && len(all) > 1; all = all[1:] {
		if len(task.Among(all[0])) > 0 {
			break
		}
		_, passage, _ = strings.Cut(passage, all[0])
	}
	return strings.TrimSpace(passage)
}

// alike is how much a person's later word must say of those of a task's words that the assistant said before, to be
// about the same: its numbers are others.
const alike = 0.45

// latest returns what a person said last, among an answer's results, of what a result is about, in its place; else the
// result as it is. said is all that the result is taken from.
func latest(b *Bearing, later *index.Placed, found *answer.Answer, said string) *Bearing {
	last, was := b, b.Item.Text
	if later != nil && share(was, found.Rarity) > 0 {
		last = &Bearing{Placed: *later, Before: was}
	}
	about := found.Rarity.Among(said)
	for _, r := range answer.Numbered(found.Results) {
		if !typed(r) || !r.At.After(last.Item.At) || r.Project != b.Project {
			continue
		}
		states := !strings.HasSuffix(strings.TrimSpace(r.Passage), "?")
		if b.Item.By == payload.ByAssistant && states && about.Among(r.Text).Weight() > alike*about.Weight() {
			last = &Bearing{Placed: r.Placed(), Before: was}
			last.Item.Text = cmp.Or(r.Brief, r.Passage)
		}
		for _, s := range text.Sentences(r.Passage, true) {
			if b.Item.By == payload.ByUser && distill.Opposes(s, was) {
				last = &Bearing{Placed: r.Placed(), Before: was}
				last.Item.Text = s
			}
		}
	}
	return last
}

// heard reports whether a result shows what a person or the assistant said, not a sub-agent or a program.
func heard(r *answer.Result) bool {
	return r.Role == "assistant" || r.Role == index.Both && own(r) || typed(r)
}

// typed reports whether a result shows what a person typed rather than what they pasted.
func typed(r *answer.Result) bool { return r.Role == "user" && own(r) }

// own reports whether a result shows nothing that was pasted, be it as the answer to a question.
func own(r *answer.Result) bool {
	reply := func(said string) string {
		_, answer, answered := strings.Cut(said, " → ")
		if r.Role != index.Both || !answered {
			return said
		}
		return answer
	}
	return strings.Contains(ingest.Typed(reply(r.Text)), strings.TrimSpace(reply(r.Passage)))
}

// share returns how much of a task's words a text has, by their rarity. Of more words more are shared by chance.
func share(said string, task text.Bag) float64 {
	has, size := text.Bag{}, 0.0
	text.Each(said, func(w string) bool {
		stem := text.Stem(w)
		for of, rarity := range task {
			if stem == of || isPart(of, stem) {
				has[of] = rarity * wordIn(of)
			}
		}
		return true
	})
	for w := range task {
		size += wordIn(w)
	}
	return has.Weight() / math.Pow(max(1, size), 0.25)
}

// isPart reports whether a word is a part of a longer one.
func isPart(w, of string) bool {
	return len(w) >= part && len(of) >= part+2 && (strings.HasPrefix(of, w) || strings.HasSuffix(of, w))
}

const part = 5 // bytes of a word that may be a part of another

// wordIn is how much of a word stands in one of a text's: two characters of a script without spaces are half of one.
func wordIn(w string) float64 {
	if first, _ := utf8.DecodeRuneInString(w); text.Unspaced(first) {
		return 0.5
	}
	return 1
}

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
		for i := range turns {
			if turns[i].Role == "user" {
				turns[i].Text = ingest.Typed(turns[i].Text) // what they pasted isn't their word
			}
		}
		for _, b := range forbidding(turns, r.Place, d, heard) {
			if lifted, err := check.Lifted(ctx, x, b.Place, b.Item.Text, b.Item.At); err != nil {
				return nil, err
			} else if lifted {
				continue
			}
			if b.Names = cmp.Or(b.Asked, b.Item.Text); (last == nil || b.Item.At.After(last.Item.At)) && wanted(&b) {
				last = &b
			}
		}
	}
	return last, nil
}

// Warned returns what an action goes against as what bears on it; a refusal with the call that was refused.
func Warned(w *check.Warning) Bearing {
	b := Bearing{Placed: w.Placed, Names: w.Name}
	if !b.Claims() {
		b.Asked = w.Name
	}
	return b
}

// claimed are the kinds that say what stands.
var claimed = map[payload.Kind]bool{payload.Decision: true, payload.Eliminated: true, payload.Finding: true,
	payload.Flag: true, payload.Deferred: true, payload.Question: true}

// forbidding returns what a person said in some turns, but for those heard before, that tells not to do the task, or
// settled on something else, with what it is about.
func forbidding(turns []index.Turn, at index.Place, act *check.Deed, heard map[string]bool) (all []Bearing) {
	before := "" // what was said since the person spoke
	for i, t := range turns {
		if t.Role != "user" {
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
