package offline

import (
	"math"
	"slices"
	"sort"
	"strings"

	"recall/distill/offline/cue"
	"recall/payload"
)

// most is how many items of a kind a session may yield from sentences,
// whatever its length: a payload is to be read.
var most = map[payload.Kind]int{
	payload.Decision: 12, payload.Eliminated: 6, payload.Flag: 5, payload.Next: 4,
	payload.Hypothesis: 2, payload.Deferred: 3, payload.Question: 2, payload.Status: 1,
}

// A chosen candidate is one that became an item.
type chosen struct {
	c     *Candidate
	kind  payload.Kind
	score float64
	item  payload.Item
}

// choose makes items of the likeliest candidates. What says the same as a
// likelier one becomes evidence of that.
func choose(models Models, all []*Candidate, recorded []payload.Item) []payload.Item {
	var likely []chosen
	judged := map[payload.Kind][]float64{}
	for kind, m := range models {
		if kind != payload.File {
			judged[kind] = m.Judge(all)
		}
	}
	for i, c := range all {
		if ch, ok := classify(models, judged, i, c); ok {
			likely = append(likely, ch)
		}
	}
	items := recorded[:len(recorded):len(recorded)]
	for _, ch := range inFull(weed(likely, 1)) {
		if !saidIn(recorded, ch.item) && !answeredToo(recorded, ch.item) {
			items = append(items, ch.item)
		}
	}
	return items
}

// crowding is what each item of a kind from one exchange takes off the
// likelihood of another. The best of 0.55 to 1 on what was left out.
const crowding = 0.9

// weed keeps the likeliest of each kind, each fact once, from floor on. What
// it returns is in order of falling score, so that a higher floor gives a
// beginning of the same list.
func weed(likely []chosen, floor float64) []*chosen {
	sort.SliceStable(likely, func(i, j int) bool { return likely[i].score > likely[j].score })
	type place struct {
		kind     payload.Kind
		exchange int
	}
	var kept []*chosen
	count, crowd := map[payload.Kind]int{}, map[place]int{}
	for len(likely) > 0 {
		best, at := -1, 0.0
		for i := range likely {
			ch := &likely[i]
			if ch.score <= at {
				break // nor is any after it likelier
			}
			crowded := crowd[place{ch.kind, ch.c.sp.exchange}]
			if ch.c.says != nil {
				crowded = 0 // stated outright, however much else is
			}
			if s := ch.score * math.Pow(crowding, float64(crowded)); s > at {
				best, at = i, s
			}
		}
		if best < 0 || at < floor {
			break
		}
		ch := likely[best]
		likely = slices.Delete(likely, best, best+1)
		if same := find(kept, ch); same != nil {
			same.join(ch)
			continue
		}
		if count[ch.kind] >= most[ch.kind] {
			continue
		}
		count[ch.kind]++
		crowd[place{ch.kind, ch.c.sp.exchange}]++
		ch.item, ch.score = ch.c.Item(ch.kind), at
		kept = append(kept, &ch)
	}
	return kept
}

// Ranked lists what a kind's model would keep from its threshold on, likeliest
// first, with their probabilities: what a threshold is chosen by.
func (h *Heard) Ranked(kind payload.Kind, m *Model) (items []payload.Item, scores []float64) {
	var likely []chosen
	for i, p := range m.Judge(h.Candidates) {
		c := h.Candidates[i]
		if c.barred(kind) {
			continue
		}
		if c.says != nil {
			likely = append(likely, chosen{c: c, kind: kind, score: 1})
		} else if p >= m.cut(c.rule()) {
			likely = append(likely, chosen{c: c, kind: kind, score: p})
		}
	}
	for _, ch := range weed(likely, m.Threshold) {
		items, scores = append(items, ch.item), append(scores, ch.score)
	}
	return items, scores
}

// classify gives a candidate the kind that it states outright, else the one
// whose threshold it passes by most.
func classify(models Models, judged map[payload.Kind][]float64, i int, c *Candidate) (chosen, bool) {
	best := chosen{c: c}
	for _, kind := range payload.Kinds {
		p := judged[kind]
		if p == nil {
			continue
		}
		if th := models[kind].Threshold; p[i] >= th && p[i]/th > best.score && p[i] >= models[kind].cut(c.rule()) && !c.barred(kind) {
			best.score, best.kind = p[i]/th, kind
		}
	}
	named := c.pick != nil && c.pick.picked && takes(c.sp)
	if c.says == nil && (named || c.taken()) && models[payload.Decision] != nil && !c.barred(payload.Decision) {
		best.kind, best.score = payload.Decision, outrightScore
	}
	if c.says != nil {
		if best.kind != c.says.kind {
			best.kind, best.score = c.says.kind, 1
		}
		best.score = max(best.score, outrightScore)
	}
	return best, best.kind != ""
}

// taken tells whether a typed "ok, do that" says what is to be done together with
// the proposal before it.
func (c *Candidate) taken() bool { return c.proposal != nil && c.sp.mood == accepts }

// takes tells whether the reply to a message that offers courses takes one of
// them in so many words: it names it first, and neither asks nor objects.
func takes(sp *speech) bool {
	r := sp.reaction
	if r == nil || r.mood == objects || len(r.parts) == 0 || !bareOption.MatchString(strings.TrimSpace(r.text)) || ownPoint.MatchString(strings.TrimSpace(r.text)) {
		return false
	}
	first := r.parts[0].Text
	return !strings.HasSuffix(first, "?") && !objection.MatchString(first) && (endsAsking(sp) || choiceOf.MatchString(sp.text))
}

// choiceOf matches how a message says that it offers a choice.
var choiceOf = cue.One(`(?i)\b(?:options?|ways|approaches|alternatives|choices|variants)\b|\bi(?:'d| would) (?:take|go|start|pick|lean|recommend)|\bi lean\b|\brecommend`)

// outrightScore is the score of what is stated outright: it stands before what
// is merely likely.
const outrightScore = 2

// sameWeight is the share of one statement's words, rare ones counting more,
// from which on another that has them too says the same: the best of 0.3 to 0.6.
const sameWeight = 0.4

// find looks among the kept for one that says the same.
func find(kept []*chosen, ch chosen) *chosen {
	mine := ch.c.keys()
	for _, k := range kept {
		if k.kind != ch.kind {
			continue
		}
		other := k.c.keys()
		a, b := share(mine, other), share(other, mine)
		if wa, wb := weighed(mine, other, ch.c.rare), weighed(other, mine, ch.c.rare); max(wa, wb) >= sameWeight && len(mine) >= 3 && len(other) >= 3 {
			return k
		}
		near := k.c.sp.exchange == ch.c.sp.exchange || k.c.sp == ch.c.sp.reacts || ch.c.sp == k.c.sp.reacts
		switch {
		case k.c.mate == ch.c || ch.c.mate == k.c, near && k.c.mate != nil && k.c.mate == ch.c.mate && max(a, b) >= 0.3:
			return k
		case max(a, b) >= 0.75, max(a, b) >= 0.6 && len(mine) >= 4 && len(other) >= 4, near && min(a, b) >= 0.4, near && max(a, b) >= 0.6:
			return k
		}
	}
	return nil
}

// join adds another candidate's evidence.
func (ch *chosen) join(o chosen) {
	if len(ch.item.Evidence) >= 3 {
		return
	}
	it := o.c.Item(ch.kind)
	for _, e := range it.Evidence {
		if len(ch.item.Evidence) < 3 && !cites(ch.item.Evidence, e) {
			ch.item.Evidence = append(ch.item.Evidence, e)
		}
	}
	if it.By != ch.item.By {
		ch.item.By = payload.ByBoth
	}
	if it.At.Before(ch.item.At) {
		ch.item.At = it.At
	}
}

// saidIn tells whether one of the items says the same.
func saidIn(items []payload.Item, it payload.Item) bool {
	mine := keywords(it.Text)
	for i := range items {
		o := &items[i]
		if o.Kind != it.Kind {
			continue
		}
		near := false
		for _, e := range it.Evidence {
			near = near || cites(o.Evidence, e)
		}
		other := keywords(o.Text)
		a, b := share(mine, other), share(other, mine)
		if max(a, b) >= alike(o) || near && max(a, b) >= 0.4 {
			return true
		}
	}
	return false
}

// alike is the share of words from which on an item says the same as one of a
// record. What a short answer took is told with what it was preferred to.
func alike(it *payload.Item) float64 {
	if strings.HasPrefix(it.Rule, "reply-") {
		return 0.75
	}
	return 0.6
}

// answeredToo tells whether a decision of a report only repeats an answer to a
// question: what it opens with was the answer.
func answeredToo(items []payload.Item, it payload.Item) bool {
	if it.Kind != payload.Decision || it.By == payload.ByUser {
		return false
	}
	head := it.Text
	if i := strings.IndexAny(head, ";:,—("); i > 0 {
		head = head[:i]
	}
	keys := keywords(head)
	for i := range items {
		if o := &items[i]; o.Rule == "answer" && len(keys) > 0 && share(keys, keywords(o.Text)) == 1 {
			return true
		}
	}
	return false
}

func cites(all []payload.Evidence, e payload.Evidence) bool {
	for _, x := range all {
		if x.Turn == e.Turn {
			return true
		}
	}
	return false
}

// Outright lists what is stated outright, for measuring: the items that need
// no model.
func (h *Heard) Outright() []payload.Item {
	var likely []chosen
	for _, c := range h.Candidates {
		if c.says != nil {
			likely = append(likely, chosen{c: c, kind: c.says.kind, score: 1})
		}
	}
	var items []payload.Item
	for _, ch := range weed(likely, 0) {
		items = append(items, ch.item)
	}
	return items
}
