package offline

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"recall/distill"
	"recall/ingest"
	"recall/internal/text"
	"recall/payload"
	"recall/payload/tokens"
)

// How many leads a session yields: more don't fit on a page.
const (
	maxReport  = 3
	maxCommits = 8
	maxOfOne   = 2 // of one typed text
	maxTyped   = 12
	maxTelling = 3
	minTelling = 3  // keywords
	minShown   = 50 // bytes: what is shorter and settles nothing is quoted where there is room
)

// leads quotes where the session ended, which is the assistant's last message and the commits made; what was typed,
// verdicts first and then the longest; and what the assistant said in words that warn, rule out, put off or name a
// cause. What was said later comes before what was said earlier. Nothing is quoted that an item
// or another lead says. As long as the page has room, the rest of what was typed and of what ended the exchanges is
// quoted too, and what the assistant ruled out, put off or warned of on the way, and found of something with a name.
func leads(t *talk, items []payload.Item) []payload.Item {
	var kept []text.Bag
	for _, it := range items {
		if it.Kind != payload.Goal {
			kept = append(kept, keywords(it.Path+" "+it.Text)) // of a file with what is quoted of it
		}
	}
	var out []payload.Item
	left := 0 // of the page, in tokens
	add := func(it payload.Item, sure float64) bool {
		for i := range out {
			if both, ok := merged(out[i], it); ok {
				left += tokens.Count(payload.LineOf(&out[i])) - tokens.Count(payload.LineOf(&both))
				out[i] = both
				return false
			}
		}
		words := keywords(it.Text)
		if it.Rule != payload.ReportStatesRule && said(kept, words) { // else the list would lack it
			return false
		}
		if len(it.Evidence) > 1 { // shown beside it
			words = keywords(it.Text + " " + text.Clip(it.Evidence[1].Quote, payload.MaxOtherPassage))
		}
		kept = append(kept, words)
		it.Confidence = sure
		out = append(out, it)
		return true
	}
	made := func(w weighed, rule string) payload.Item {
		it := w.item(rule)
		it.Since = t.became(&w)
		if e, ok := w.outcome(); ok && len(it.Evidence) == 1 && !w.inGoal(items) {
			it.Evidence = append(it.Evidence, e)
			if it.Since == payload.WorkedOn {
				it.Since = "" // the answer says so
			}
		}
		return it
	}
	var rest []weighed
	pick := func(most int, from []weighed, rule string) {
		for _, w := range from {
			w.rule = rule
			lists := rule == payload.ReportRule && w.tellsState() // is whole, or tells of less than all
			if !w.tells() {
				continue
			}
			it := made(w, rule)
			brief := rule != payload.ReportRule && len(it.Text) < minShown && !w.settles()
			switch {
			case w.minor || brief || most == 0 && !lists:
				rest = append(rest, w)
			case add(it, w.weight) && !lists:
				most--
			}
		}
	}
	pick(1, t.recapped(), payload.ReportRule)
	pick(maxReport, t.report(), payload.ReportRule)
	if it, ok := t.committedWork(); ok {
		add(it, commitWeight)
	}
	if it, ok := t.lastTests(); ok {
		out = append(out, it)
	}
	if it, ok := t.cut.item(); ok {
		out = append(out, it)
	}
	typed := t.typed(items)
	if it, ok := t.askedLast(items, out); ok {
		add(it, it.Confidence)
		typed = slices.DeleteFunc(typed, func(w weighed) bool { return w.speech == t.asked && w.quotedIn(&it) })
	}
	pick(maxTyped, typed, "said-typed")
	pick(maxTelling, t.telling(), "said-telling")
	heaviestFirst(rest)
	left = room(t.session, slices.Concat(items, out))
	forms := map[string]bool{} // "Chapter 14 is done" says hardly more than "Chapter 13 is done"
	for _, w := range rest {
		it := made(w, w.rule)
		form := digits().ReplaceAllString(w.text(), "")
		onTheWay := len(w.turn.Calls) > 0 && len(w.parts) == 1 && w.run[0].cues.has(cueNarrate|cueStep)
		if forms[form] || onTheWay { // "Now add the test.": a step that is done by now
			continue
		}
		forms[form] = true
		if cost := tokens.Count(payload.LineOf(&it)) + bulletCost; cost <= left && add(it, minorShare*w.weight) {
			left -= cost
		}
	}
	return out
}

// merged returns two leads of one turn as one if one holds the other and they aren't shown with different answers; an
// option that was picked stays alone.
func merged(o, it payload.Item) (both payload.Item, ok bool) {
	pair, alone := o, it
	if len(o.Evidence) < 2 {
		pair, alone = it, o
	}
	both = o
	if len(it.Text) > len(o.Text) {
		both.Text, both.About, both.Evidence = it.Text, it.About, it.Evidence
	}
	ofOne := pair.First().Turn == alone.First().Turn && strings.Contains(both.Text, pair.Text) &&
		strings.Contains(both.Text, alone.Text)
	apart := len(alone.Evidence) > 1 && alone.Evidence[1].Turn != pair.Evidence[1].Turn
	if !ofOne || len(pair.Evidence) < 2 || apart {
		return both, false
	}
	if _, _, picked := text.Picked(pair.Text, pair.Evidence[1].Quote); picked {
		return both, false
	}
	both.Evidence, both.Hint = slices.Concat(both.Evidence[:1], pair.Evidence[1:]), pair.Hint
	return both, true
}

var digits = text.Pattern(`[0-9]`)

// bulletCost is how many tokens an item takes on a page besides its line.
const bulletCost = 2

// room returns how many tokens the items leave of a page.
func room(s *ingest.Session, items []payload.Item) int {
	page := newPayload(s)
	page.Items = items
	lines := payload.Render(page, payload.Options{Budget: math.MaxInt}).Tokens
	return payload.DefaultBudget - lines - bulletCost*len(items)
}

// What a page tells first: how sure it is that a passage is worth knowing at most, by what it is.
const (
	reportWeight = 0.75
	commitWeight = 0.7
	typedWeight  = 0.65
	tellWeight   = 0.4
	planWeight   = 0.3
	remarkShare  = 0.7 // of the weight of what was typed and orders nothing
	plainShare   = 0.3 // of the weight of what the assistant said that names nothing of the code
	minorShare   = 0.1 // of the weight of what is only quoted where there is room
)

// A weighed passage is one with how much it counts among others.
type weighed struct {
	passage
	weight float64
	minor  bool   // it is only quoted where there is room
	rule   string // of its lead
	since  string // of its lead: what came of it
}

// report cuts the assistant's last message into passages; if that is a sentence that answers nothing but what was said
// last, then the one before it too, unless the person said more to that than to go on, or than to ask what has nothing
// to quote as its answer.
func (t *talk) report() (out []weighed) {
	for _, sp := range slices.Backward(t.speeches) {
		if sp.source != message || !sp.closing {
			continue
		}
		if sp.exchange < t.n-2 || sp.exchange < t.n-1 && t.waiting == nil && asks(sp.text) {
			break
		}
		if sp.exchange < t.n-1 && t.waiting == nil && t.asked.reacts == sp {
			said, untold := passage{t.asked, t.asked.parts}, len(out) == 0 && asks(t.asked.text)
			if !untold && !said.greets() {
				break
			}
		}
		for _, p := range sp.passages() {
			if first := &p.run[0]; !first.cues.has(cueNarrate) && !distill.Offers(first.text) {
				out = append(out, weighed{passage: p.understood(), weight: reportWeight})
			}
		}
		if len(sp.parts) > 1 {
			break
		}
	}
	return out
}

// understood returns a passage with the sentence before it if it can't be understood without.
func (p passage) understood() passage {
	at := slices.IndexFunc(p.parts, func(s sentence) bool { return s.from == p.from() })
	if at > 0 && distill.NeedsContext(p.text()) {
		p.run = p.parts[at-1 : at+len(p.run)]
	}
	return p
}

// maxSinceRecap is how many exchanges may follow a recap that still says where the session ended.
const maxSinceRecap = 2

// recapped returns what the client had a model write down of the session when its person was away, without what was to
// come next if they said more since.
func (t *talk) recapped() (out []weighed) {
	if t.recap == nil || t.recap.exchange < t.n-1-maxSinceRecap {
		return nil
	}
	said := *t.recap
	next := slices.IndexFunc(said.parts, func(s sentence) bool { return s.comesNext(false) })
	if next >= 0 && said.exchange < t.n-1 {
		said.parts = said.parts[:next]
	}
	for _, p := range said.passages() {
		out = append(out, weighed{passage: p, weight: reportWeight})
	}
	return out
}

// typed cuts what was typed into passages, without what items quote of it.
func (t *talk) typed(items []payload.Item) (out []weighed) {
	for _, sp := range t.speeches {
		refused := sp.source == refusing && slices.ContainsFunc(items, func(it payload.Item) bool {
			return it.Rule == payload.RefusalRule && it.First().Turn == string(sp.turn.ID)
		})
		if !sp.user || refused {
			continue
		}
		for i, p := range sp.passages() {
			if p.smallTalk() {
				continue
			}
			_, answer := p.told()
			untold := sp != t.waiting && len(p.text()) <= maxAsked && (answer == nil || t.early(sp))
			if p.wonders() && (untold || p.inGoal(items)) {
				continue
			}
			p = p.beyondAll(items)
			w := typedWeight * t.recency(sp)
			switch long := min(1, float64(len(p.text()))/distill.MaxQuote); {
			case p.settles(), p.conceded && i == 0: // in however few words
			case !anyCue(p.run, cueOrder|cueWant):
				w *= remarkShare * long
			default:
				w *= long
			}
			if i > 0 {
				w *= 0.5
			}
			if p.hint() != "" || (passage{sp.reacts, p.asked()}).hint() != "" {
				w = max(w, tellWeight*t.recency(sp))
			}
			out = append(out, weighed{passage: p, weight: w, minor: i >= maxOfOne, since: t.since(p)})
		}
	}
	heaviestFirst(out)
	return out
}

// telling cuts what the assistant said into passages: of what ended the exchanges those with a hint at what still
// holds; minor are the others, and what was said on the way with such a hint, or last of something with a name. Steps
// that were to come next have come.
func (t *talk) telling() (out []weighed) {
	var refused []*speech
	for _, sp := range t.speeches {
		if sp.refused() {
			refused = append(refused, sp)
		}
	}
	for _, sp := range t.speeches {
		if sp.source != message {
			continue
		}
		for _, p := range sp.passages() {
			p = t.unsettled(p)
			overtaken := len(p.run) == 0 || p.refuted(refused) || p.outdone() || p.failed() || t.early(sp) && p.met()
			if overtaken || p.overlaps(sp.takenBack) && !p.overlaps(sp.disputed) {
				continue
			}
			head := p.head()
			asksFirst := head != nil && asks(strings.TrimRight(head.text, ":")) || distill.Offers(p.run[0].text)
			if asksFirst || distill.NeedsContext(p.text()) && p.asked() == nil {
				continue
			}
			h := p.hint()
			hinted := h != "" && h != payload.Next || changed().MatchString(p.text())
			holds := hinted && !p.run[0].cues.has(cueNarrate)
			narrates := anyCue(p.run, cueNarrate|cueWant)
			guess := h == payload.Hypothesis && looksOn(sp.parts[len(sp.parts)-1])
			worth := holds && (sp.closing || !narrates && !guess)
			names := len(about(p.text())) > 0 && !guess
			states := (sp.closing || names) && !narrates && !asks(p.text()) && !t.early(sp)
			if worth || states {
				w := tellWeight * float64(sp.exchange) / float64(t.n)
				if _, begins, _ := p.cuts(); !worth && (!sp.closing || begins) { // it comes last
					w *= minorShare
				}
				if !strings.Contains(p.speech.text[p.from():p.to()], "`") && len(about(p.text())) == 0 {
					w *= plainShare
				}
				out = append(out, weighed{passage: p, weight: w, minor: !holds || !sp.closing, since: t.since(p)})
			}
		}
	}
	heaviestFirst(out)
	return out
}

// changed matches what says what something became, or took the place of.
var changed = text.Pattern(`(?i)\bI(?:['’]ve)? (?:changed|replaced|switched|moved|reverted)\b|\binstead of\b|` +
	`\bnow uses?\b|\b(?:an)?statt\b|\bau lieu de\b|\ben (?:lugar|vez) de\b|\bem vez de\b|代わりに|而不是|대신`)

// refuted reports whether a passage is of one of the refused messages, or of an earlier one without work and names what
// the assistant thereupon denied.
func (p passage) refuted(refused []*speech) bool {
	return slices.ContainsFunc(refused, func(sp *speech) bool {
		if sp.turn.N < p.turn.N || sp != p.speech && !p.idle() {
			return false
		}
		then := passage{sp.answer.answer, sp.answer.answer.begins()}
		return sp == p.speech || keywords(then.text()).Shared(keywords(p.text())) > 1
	})
}

// refused reports whether a person disagrees with a message that reports no work, and the assistant then denies
// something: not only an offer was declined.
func (sp *speech) refused() bool {
	if !sp.closing || !sp.idle() || sp.answer == nil || sp.answer.answer == nil {
		return false
	}
	then := sp.answer.answer
	return text.Refuses(sp.answer.text) && denial().MatchString(passage{then, then.begins()}.text())
}

// since returns what came of what was said: that a person's words, or their answer to it, were worked on, or that a
// file of which the assistant speaks or a person warns, or one that was changed for what a message reports, was edited
// since.
func (t *talk) since(p passage) (since string) {
	holds := p.hint() == payload.Deferred || p.hint() == payload.Flag
	ordered := p.user && p.speech != t.waiting && !p.wonders() && !holds
	undone := ordered && p.undone > 0 || !p.user && p.closing && p.speech.to != nil && p.speech.to.undone > p.turn.N
	switch {
	case undone:
		return payload.TakenBack
	case ordered && (p.actedOn || p.agreedTo()), !p.user && p.answer != nil && p.answer.actedOn && p.met():
		return payload.WorkedOn
	case p.user && p.hint() != payload.Flag:
		return ""
	}
	eachName(p.speech.text[p.from():p.to()], func(name string) {
		edited := func(f *touched) bool { return f.edits > 0 && f.turn.N >= p.turn.N && f.named(name) }
		removed := func(f *touched) bool { return f.deleted && f.turn.N > p.turn.N && f.named(name) }
		switch {
		case !looksLikePath(name), since == payload.RemovedSince:
		case !p.user && slices.ContainsFunc(t.files, removed):
			since = payload.RemovedSince
		case slices.ContainsFunc(t.files, edited):
			since = payload.ChangedSince
		}
	})
	reports := !p.user && p.closing && p.speech.to != nil && len(about(p.text())) > 0
	again := func(path string) bool { return t.lastEdits[path] > p.turn.N }
	if since == "" && reports && slices.ContainsFunc(p.speech.to.changes, again) {
		since = payload.ChangedSince
	}
	return since
}

// became returns what came of what a lead quotes; of what the assistant says of a plan, until it changes files, that.
func (t *talk) became(w *weighed) string {
	if w.since == "" && !w.user && w.planning && t.lastChange < w.turn.N {
		return payload.OnlyPlanned
	}
	return w.since
}

// agreedTo reports whether a person agreed to what the assistant answered them, and that was worked on.
func (sp *speech) agreedTo() bool {
	then := sp.answer
	return then != nil && then.answer != nil && text.Agrees(then.answer.text) && then.answer.actedOn
}

// workOn marks refusals by what the person typed next whereupon it was worked on.
func (t *talk) workOn(items []payload.Item) {
	for i := range items {
		it := &items[i]
		if it.Rule == payload.RefusalRule && slices.ContainsFunc(t.speeches, func(sp *speech) bool {
			return sp.source == typing && sp.actedOn && string(sp.turn.ID) == it.First().Turn
		}) {
			it.Since = payload.WorkedOn
		}
	}
}

// unsettled returns what a passage says up to where, or after which, it says that something isn't committed or pushed
// yet, if that was done since.
func (t *talk) unsettled(p passage) passage {
	isSettled := func(s sentence) bool {
		return t.committed > p.turn.N && text.Mentions(s.text, ofCommits...) && uncommitted().MatchString(s.text) ||
			t.pushed > p.turn.N && text.Mentions(s.text, ofPushes...) && unpushed().MatchString(s.text)
	}
	for len(p.run) > 0 && isSettled(p.run[0]) {
		p.run = p.run[1:]
	}
	if at := slices.IndexFunc(p.run, isSettled); at > 0 {
		p.run = p.run[:at]
	}
	return p
}

var (
	uncommitted = text.Pattern(`(?i)\b(?:(?:un)?staged|ready to commit|(?:not|never|\w+n['’]t) (?:\w+ )?committed|` +
		`nichts? (?:\pL+ )?(?:com+it+e[td]|eingecheckt))\b|\b(?:pas|rien)\b[^.]{0,20} com+it|\bsin commit|` +
		`コミットして(?:い)?(?:ません|ない)|未コミット|(?:没有?|尚?未)提交`)
	unpushed = text.Pattern(`(?i)\b(?:not|never|\w+n['’]t) (?:\w+ )?pushed\b|\bnichts? (?:\pL+ )?gepusht\b|` +
		`\b(?:pas|rien)\b[^.]{0,20} (?:push|pouss)|\bsin (?:push|subir)|プッシュして(?:い)?(?:ません|ない)|` +
		`(?:没有?|尚?未)推送`)

	// one of which each of these has
	ofCommits = []string{"commit", "comit", "staged", "eingecheck", "コミット", "提交"}
	ofPushes  = []string{"push", "pouss", "subir", "プッシュ", "推送"}
)

// failed reports whether a passage says that something works, and the person then refuses it, or says or shows that it
// doesn't.
func (p passage) failed() bool {
	then := p.answer
	return p.closing && then != nil && !text.Agrees(then.text) && succeeds().MatchString(p.text()) &&
		(text.Refuses(then.text) || fails().MatchString(then.text))
}

var (
	succeeds = text.Pattern(`(?i)\b(?:should (?:now |all )?(?:fix|work|be|resolve|pass|stop)|works?|working|fixed|` +
		`resolved|fix(?:es)? the|success(?:ful(?:ly)?)?|perfectly|passes|funktioniert|behoben|läuft)\b`)
	fails = text.Pattern(`(?i)\b(?:still (?:\w+ )?(?:not|fail|get|see|the same|broken|happen|there)|` +
		`(?:does|do|did|is|are)(?:n['’]?t| not) (?:\w+ )?(?:work|help|fix|show|appear)|not working|` +
		`same (?:error|issue|problem)|failing|failed|flaky|error:|(?:funktioniert|geht|läuft) (?:\w+ )?nicht|` +
		`immer noch|ne (?:marche|fonctionne)|no funciona|sigue sin)`)
)

// looksOn reports whether a sentence announces that the search for a cause goes on.
func looksOn(s sentence) bool { return s.cues.has(cueNarrate) && checks().MatchString(s.text) }

var checks = text.Pattern(`(?i)\b(?:check|verify|test|see|look|debug|confirm|investigate|find out|prüf\pL*|schau\pL*)`)

// minLong is how many exchanges a session has from which much of what was found in its first third is overtaken: strict
// readers of 39 pages called 19 of 52 such lines misleading, and 24 of 255 others quoted beside them.
const minLong = 8

// early reports whether something was said in the first third of a long session.
func (t *talk) early(sp *speech) bool { return t.n >= minLong && 3*sp.exchange < t.n }

// recency weighs what was said by its place in the session, from a half to one.
func (t *talk) recency(sp *speech) float64 { return byPlace(sp.exchange, t.n) }

func byPlace(at, of int) float64 { return 0.5 + 0.5*float64(at)/float64(of) }

func heaviestFirst(of []weighed) {
	slices.SortStableFunc(of, func(a, b weighed) int { return cmp.Compare(b.weight, a.weight) })
}

// minSaidShare is the share of a statement's words from which another one that has them says it.
const minSaidShare = 0.9

func said(kept []text.Bag, words text.Bag) bool {
	return slices.ContainsFunc(kept, func(k text.Bag) bool {
		return len(words) >= 3 && words.In(k) >= minSaidShare
	})
}
