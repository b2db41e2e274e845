package web

import (
	"cmp"
	"html/template"
	"iter"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"recall/answer"
	"recall/ingest"
	"recall/internal/text"
	"recall/library/render"
	"recall/payload"
)

// sessionRest is what a session came to, and its turns or a sub-agent's.
type sessionRest struct {
	Fault   string // why it can't be read; then there is nothing else
	Models  []string
	Took    time.Duration // from its first to its last turn
	Cost    float64       // at list prices, in USD; 0 if unknown
	Changes ingest.Changes
	Files   []ingest.Changed
	Failed  int               // calls that failed in these turns
	Payload *payload.Payload  // nil: not distilled
	Agent   *ingest.Subagent  // whose turns are shown; nil: the session's own
	Astray  []ingest.Subagent // without a known call
	Outline []outlined
	Strip   []stretch
	Each    int     // turns of a stretch
	Found   []match // of what is looked for, as far as listed
	Hits    int     // on this page
	Turns   iter.Seq[turnView]

	session  ingest.SessionID
	failing  []int // places of the turns in which a call failed
	pictures map[ingest.TurnID][]picture
	shown    map[string]bool // ids that the page has
	resting  map[string][]payload.Item
	agents   map[string][]ingest.Subagent
	page     func(ingest.Turn) (template.HTML, error)
	whole    bool           // long turns aren't cut
	look     *regexp.Regexp // nil: nothing is looked for
}

// turnView is a turn, and the items based on it.
type turnView struct {
	Place int    // from 1
	Day   string // if a new day begins
	HTML  template.HTML
	Items []payload.Item
	Cut   string // how much of a long turn isn't shown

	Pictures []picture
	Agents   []ingest.Subagent // started by its calls
	Failing  *failing          // nil: no call failed
	Gone     bool              // the first of some abandoned turns
	Back     bool              // the first turn after abandoned ones
}

// failing is which of the turns in which a call failed a turn is, and the places of those beside it, 0 for none.
type failing struct{ N, Of, Before, After int }

// mostOfTurn is how much of a long turn is shown at first, in bytes.
const mostOfTurn = 20 << 10

// mostListed limits the list of what was found; all of it is marked in the turns.
const mostListed = 100

// restOf prepares a session's page; turns are rendered as they are asked for, unless something is looked for in them.
// The address may name a sub-agent, or a turn of one, and the first turn wanted.
func restOf(read *readSession, p *payload.Payload, find string, at *url.URL) (*sessionRest, error) {
	s := read.of
	v := &sessionRest{Payload: p, pictures: read.pictures, session: s.ID, agents: started(s), shown: map[string]bool{},
		resting: map[string][]payload.Item{}, whole: at.Query().Has("whole")}
	v.Astray = v.agents[""]
	v.Models, v.Took, v.Changes, v.Files = s.Models, s.End.Sub(s.Start), s.Changes(), s.ChangedFiles()
	if p != nil {
		for _, it := range p.Items {
			v.resting[it.First().Turn] = append(v.resting[it.First().Turn], it)
		}
	}
	var err error
	if v.page, err = render.Turns(s, render.About{}); err != nil {
		return nil, err
	}
	turns := v.choose(s, at.Query())
	for i := range turns {
		for _, id := range idsOf(&turns[i]) {
			v.shown[id] = true
		}
		if n := len(failedOf(&turns[i])); n > 0 {
			v.Failed, v.failing = v.Failed+n, append(v.failing, i+1)
		}
	}
	v.Outline = outlineOf(turns, p)
	v.Strip, v.Each = stripOf(turns)
	from, _ := strconv.Atoi(at.Query().Get("from"))
	v.Turns = v.render(turns, max(from, 1))
	if find != "" {
		v.look = looking(find)
		v.Turns = slices.Values(slices.Collect(v.Turns))
		v.among(s, at)
	}
	return v, nil
}

// Failing is the place of the first turn in which a call failed.
func (v *sessionRest) Failing() int { return v.failing[0] }

// idsOf returns all ids of a turn that a link may name.
func idsOf(t *ingest.Turn) []string {
	ids := append([]string{string(t.ID)}, t.Records...)
	for _, c := range t.Calls {
		ids = append(ids, string(c.ResultTurn), string(c.ReasonTurn))
	}
	return ids
}

// choose returns the turns that an address asks for: the session's or a sub-agent's.
func (v *sessionRest) choose(s *ingest.Session, q url.Values) []ingest.Turn {
	id := q.Get("turn")
	has := func(t ingest.Turn) bool { return slices.Contains(idsOf(&t), id) }
	if id == "" && q.Get("agent") == "" || id != "" && slices.ContainsFunc(s.Turns, has) {
		return s.Turns
	}
	for i, agent := range s.Subagents {
		if id != "" && slices.ContainsFunc(agent.Turns, has) || agent.ID != "" && agent.ID == q.Get("agent") {
			v.Agent = &s.Subagents[i]
			return agent.Turns
		}
	}
	return s.Turns
}

// Link leads to a turn: on the page if it is there.
func (v *sessionRest) Link(turn string) string {
	if v.shown[turn] {
		return (&url.URL{Fragment: turn}).String()
	}
	return there(string(v.session), turn)
}

// render renders turns from a place on, each with the items based on it.
func (v *sessionRest) render(turns []ingest.Turn, from int) iter.Seq[turnView] {
	return func(yield func(turnView) bool) {
		day, gone := "", false
		for i, t := range turns {
			one := turnView{Place: i + 1, Gone: t.Abandoned && !gone, Back: !t.Abandoned && gone}
			gone = t.Abandoned
			if today := t.At.UTC().Format(time.DateOnly); today != day && !t.At.IsZero() {
				one.Day, day = today, today
			}
			if one.Place >= from && !yield(v.turn(t, one)) {
				return
			}
		}
	}
}

// turn renders one turn.
func (v *sessionRest) turn(t ingest.Turn, one turnView) turnView {
	one.Pictures = v.pictures[t.ID]
	if i, found := slices.BinarySearch(v.failing, one.Place); found {
		one.Failing = &failing{N: i + 1, Of: len(v.failing)}
		if i > 0 {
			one.Failing.Before = v.failing[i-1]
		}
		if i+1 < len(v.failing) {
			one.Failing.After = v.failing[i+1]
		}
	}
	for _, c := range t.Calls {
		if c.ID != "" {
			one.Agents = append(one.Agents, v.agents[c.ID]...)
		}
	}
	wanted := v.whole || v.look != nil && v.look.MatchString(t.Text[min(len(t.Text), mostOfTurn):])
	if left := len(t.Text) - mostOfTurn; left > 0 && !wanted {
		t.Text, t.Foreign = text.Head(t.Text, mostOfTurn), nil
		one.Cut = answer.Count(left>>10+1, "KB")
	}
	for _, id := range slices.Compact(append([]string{string(t.ID)}, t.Records...)) {
		one.Items = append(one.Items, v.resting[id]...)
	}
	t.Text = quoted(t.Text, one.Items)
	var err error
	if one.HTML, err = v.page(t); err != nil {
		one.HTML = template.HTML(template.HTMLEscapeString(err.Error()))
	}
	if len(one.Items) > 0 {
		one.HTML = marked(one.HTML)
	}
	if v.look != nil {
		var found []match
		one.HTML, found = hits(one.HTML, v.look)
		v.Hits += len(found)
		v.found(found, "#n"+strconv.Itoa(one.Place), "turn "+strconv.Itoa(one.Place))
	}
	return one
}

// found lists matches of a turn.
func (v *sessionRest) found(all []match, href, where string) {
	for _, m := range all[:min(len(all), mostListed-len(v.Found))] {
		m.Href, m.Where = href, where
		v.Found = append(v.Found, m)
	}
}

// among lists what is found in sub-agents' turns, which are on pages of their own.
func (v *sessionRest) among(s *ingest.Session, at *url.URL) {
	for _, agent := range s.Subagents {
		for i, t := range agent.Turns {
			if page, err := v.page(t); err == nil && (v.Agent == nil || v.Agent.ID != agent.ID) {
				_, found := hits(page, v.look)
				place := strconv.Itoa(i + 1)
				v.found(found, but(at, "agent", agent.ID, "turn", "")+"#n"+place, cmp.Or(agent.Type, "sub-agent")+", turn "+place)
			}
		}
	}
}

// started groups a session's sub-agents by the call that started them; "" for those whose call isn't in the session.
func started(s *ingest.Session) map[string][]ingest.Subagent {
	in := map[string]bool{}
	note := func(turns []ingest.Turn) {
		for _, t := range turns {
			for _, c := range t.Calls {
				in[c.ID] = c.ID != ""
			}
		}
	}
	note(s.Turns)
	for _, a := range s.Subagents {
		note(a.Turns)
	}
	by := map[string][]ingest.Subagent{}
	for _, a := range s.Subagents {
		if !in[a.Call] {
			a.Call = ""
		}
		by[a.Call] = append(by[a.Call], a)
	}
	return by
}

// An outlined is an entry of a session's outline: a prompt, a decision, what was ruled out, a commit, a failed call.
type outlined struct {
	Class string // prompt, stands, past, out, commit, failed
	Text  string
	Place int // of its turn, from 1
}

// mostOutlined limits an outline to what a page has room for.
const mostOutlined = 400

// outlineOf lists what happened in a session, in order.
func outlineOf(turns []ingest.Turn, p *payload.Payload) (all []outlined) {
	claims := map[string][]payload.Item{} // by turn
	if p != nil {
		for _, it := range p.Items {
			if it.Kind == payload.Decision || it.Kind == payload.Eliminated {
				claims[it.First().Turn] = append(claims[it.First().Turn], it)
			}
		}
	}
	for i := range turns {
		t := &turns[i]
		add := func(class, line string) {
			if line = text.Clip(text.OneLine(line), 90); line != "" && len(all) < mostOutlined {
				all = append(all, outlined{class, line, i + 1})
			}
		}
		if t.Opens() {
			add("prompt", t.OwnText())
		}
		for _, id := range slices.Compact(append([]string{string(t.ID)}, t.Records...)) {
			for _, it := range claims[id] {
				add(stands(it), voice.Sentence(it))
			}
			delete(claims, id)
		}
		for _, c := range t.Calls {
			if c.Commit != "" {
				subject, _, _ := strings.Cut(c.CommitMessage, "\n")
				add("commit", subject)
			}
		}
		for _, c := range failedOf(t) {
			add("failed", cmp.Or(c.Command, c.Name+" "+cmp.Or(c.Path, c.Telling())))
		}
	}
	return all
}

// failedOf returns the calls of a turn that ran and failed.
func failedOf(t *ingest.Turn) (all []*ingest.ToolCall) {
	for i := range t.Calls {
		if c := &t.Calls[i]; c.Ran() && c.Failed {
			all = append(all, c)
		}
	}
	return all
}

// A stretch is some turns that follow one another on the strip above a transcript.
type stretch struct {
	Class string // the weightiest of what happened in them: failed, edited, prompt, answer
	Place int    // of the turn in which it did, from 1
}

// mostStretches is the number of bars on the strip.
const mostStretches = 120

// weights are the classes of stretches, the weightiest last.
var weights = []string{"answer", "prompt", "edited", "failed"}

// stripOf divides turns into stretches of the same length.
func stripOf(turns []ingest.Turn) (strip []stretch, long int) {
	long = max(1, (len(turns)+mostStretches-1)/mostStretches)
	for from := 0; from < len(turns); from += long {
		most, at := -1, 0
		for i := from; i < min(from+long, len(turns)); i++ {
			if weight := weightOf(&turns[i]); weight > most {
				most, at = weight, i+1
			}
		}
		strip = append(strip, stretch{weights[most], at})
	}
	return strip, long
}

func weightOf(t *ingest.Turn) int {
	switch {
	case len(failedOf(t)) > 0:
		return 3
	case slices.ContainsFunc(t.Calls, func(c ingest.ToolCall) bool { return len(c.Edits) > 0 }):
		return 2
	case t.Opens():
		return 1
	}
	return 0
}
