// Package notes checks what an agent says it decided, in notes while working or in a draft at the end, against the
// conversation: a claim becomes an item if the conversation supports it.
package notes

import (
	"cmp"
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"

	"recall/distill"
	"recall/ingest"
	"recall/internal/text"
	"recall/payload"
)

// Noted is an agent's note with the outcome of its check.
type Noted struct {
	Note payload.Note
	Item *payload.Item // nil if its quote doesn't stand or says something else; Said if it says more than its quote
	Why  string        // why not, or why only Said
}

// Why a note isn't grounded.
const (
	noQuote     = "it quotes nothing"
	quoteAbsent = "its quote is nowhere in the conversation"
	notAccepted = "the user hasn't agreed to what it quotes"
	otherOne    = "it was made in another session"
)

// reasons words the contract's for the note's author.
var reasons = map[string]string{
	distill.DropUnrelated: "its quote isn't about what it says",
	distill.DropOpposite:  "its quote says the opposite",
	distill.DropOrder:     "its quote says it the other way round",
	distill.DropQuoted:    "its quote is something that was only quoted",
	distill.DropNotAgreed: notAccepted,
	distill.MendSaid:      "it says more than its quote",
}

// GroundNotes finds for each note the words of the session that bear it out. A note is the agent's claim: it becomes an
// item only if its quote occurs in a turn, outside of what recall or another memory put there, and says what the note
// says (see distill.Judge). A decision must be in a person's words, in an answer or an approved plan, or in an
// assistant's message that the person went along with. The session is redacted, as Read returns it.
//
// What says more than its quote, and a draft's line that isn't borne out, become leads that say who said so.
//
// Notes are those of notes.jsonl; those only in the transcript are found there.
func GroundNotes(s *ingest.Session, notes []payload.Note) []Noted {
	if notes = withTranscripts(s, notes); len(notes) == 0 {
		return nil
	}
	g := newGrounds(s)
	var out []Noted
	for _, n := range notes {
		g.strict = n.Claim != "" // then its quote was looked for
		it, why := g.item(&n)
		if it == nil && n.Claim != "" {
			it = g.claim(&n)
		}
		out = append(out, Noted{n, it, why})
	}
	return out
}

// withTranscripts adds the notes that are only in the transcript, because the client gave the note another session's
// id, or the library was created in another way.
func withTranscripts(s *ingest.Session, notes []payload.Note) []payload.Note {
	have := map[string]bool{}
	for _, n := range notes {
		have[n.Call] = true
	}
	for i := range s.Turns {
		t := &s.Turns[i]
		for k := range t.Calls {
			c := &t.Calls[k]
			if !ingest.OwnTool(c.Name, "recall_note") || t.Aside() || !c.Worked() || have[c.ID] {
				continue
			}
			n := payload.Note{Type: payload.NoteType, Session: string(s.ID), At: t.At, Call: c.ID, By: "agent",
				Kind: payload.Kind(c.Input["kind"]),
				Text: c.Input["text"], Why: c.Input["why"], Scope: c.Input["scope"], Quote: c.Input["quote"],
				Alternatives: listIn(c.Input["alternatives"]), About: listIn(c.Input["about"])}
			if n.Check() == nil {
				notes = append(notes, n)
			}
		}
	}
	return notes
}

func listIn(text string) (list []string) {
	if json.Unmarshal([]byte(text), &list) != nil {
		return nil
	}
	return list
}

// claim returns a draft's line as a lead in the agent's own words, beside the words of the conversation next to it.
func (g *grounds) claim(n *payload.Note) *payload.Item {
	it := payload.Item{Kind: n.Kind, Path: n.Path, Status: n.Status, Text: n.Text, Why: n.Why, Scope: n.Scope,
		Alternatives: n.Alternatives, Maker: payload.ByModel, Confidence: claimed, State: payload.Stands, At: g.s.End}
	if at := g.places(text.OneLine(n.Quote), n.Call); n.Quote != "" && len(at) > 0 {
		t := &g.s.Turns[at[0].turn]
		it.Evidence = []payload.Evidence{{Turn: string(t.ID), N: t.N, Quote: at[0].quote}}
	}
	it = it.AsSaid()
	return &it
}

// claimed is the confidence that a claim is worth keeping, relative to passages: an agent that drafts has read the
// session.
const claimed = 0.9

type grounds struct {
	s     *ingest.Session
	calls map[string]int // index of the turn that made a call

	judge  *distill.Judge
	strict bool // quotes were looked for, not given
}

func newGrounds(s *ingest.Session) *grounds {
	g := &grounds{s: s, calls: map[string]int{}, judge: distill.NewJudge(s)}
	for i := range s.Turns {
		for k := range s.Turns[i].Calls {
			g.calls[s.Turns[i].Calls[k].ID] = i
		}
	}
	return g
}

func (g *grounds) item(n *payload.Note) (*payload.Item, string) {
	if i, ok := g.calls[n.Call]; n.Call != "" && !ok && g.s.End.After(n.At) {
		return nil, otherOne
	} else if ok && g.s.Turns[i].Aside() {
		return nil, otherOne
	}
	quote := text.OneLine(n.Quote)
	if quote == "" {
		return nil, noQuote
	}
	it := payload.Item{Kind: n.Kind, Path: n.Path, Status: n.Status, Text: text.OneLine(n.Text), Why: text.OneLine(n.Why),
		Scope: text.OneLine(n.Scope), Alternatives: n.Alternatives, About: n.About,
		Maker: payload.ByModel, Rule: payload.NoteRule, State: payload.Stands}
	why, said := quoteAbsent, (*payload.Item)(nil)
	for _, p := range g.places(quote, n.Call) {
		if !g.accepted(n, p) {
			why = notAccepted
			continue
		}
		t := &g.s.Turns[p.turn]
		it.By, it.At = p.by, t.At
		if p.by == payload.ByUser && distill.Bare(t) {
			it.By = payload.ByBoth
		}
		it.Evidence = []payload.Evidence{{Turn: string(t.ID), N: t.N, Quote: p.quote}}
		checked := payload.Payload{Items: []payload.Item{it}}
		if distill.Ground(g.s, &checked); len(checked.Items) == 0 {
			continue
		}
		if g.strict && !g.bearsState(n, p) {
			why = reasons[distill.MendSaid]
			continue
		}
		fault, _ := g.judge.Judge(&checked.Items[0])
		if fault == "" && g.strict && n.Text != "" {
			fault = g.judge.Confirm(&checked.Items[0])
		}
		if fault == "" {
			return &checked.Items[0], ""
		}
		if why = reasons[fault]; fault == distill.MendSaid && said == nil {
			as := checked.Items[0].AsSaid()
			said = &as
		}
	}
	if said != nil {
		why = reasons[distill.MendSaid]
	}
	return said, why
}

// accepted reports whether a note can rest on a place: what the assistant said must not have been objected to, and a
// choice of its own must have been answered.
func (g *grounds) accepted(n *payload.Note, p standing) bool {
	if p.by != payload.ByAssistant {
		return true
	}
	next := g.next(p.turn)
	if next != nil {
		return next.Kind != ingest.Interrupt && !(g.isLast(p.turn) && distill.ObjectsTo(&g.s.Turns[p.turn], p.quote, next))
	}
	return n.Kind != payload.Decision && n.Kind != payload.Deferred
}

// isLast reports whether a message is the last one before the person's next turn, which that replies to.
func (g *grounds) isLast(turn int) bool {
	for i := turn + 1; i < len(g.s.Turns); i++ {
		switch t := &g.s.Turns[i]; {
		case t.Aside():
		case t.Kind == ingest.Message && t.Text != "":
			return false
		case t.Kind == ingest.Prompt, t.Kind == ingest.Command:
			return true
		}
	}
	return true
}

// next returns the person's next turn, nil if there is none.
func (g *grounds) next(turn int) *ingest.Turn {
	for i := turn + 1; i < len(g.s.Turns); i++ {
		t := &g.s.Turns[i]
		if t.Abandoned {
			continue
		}
		switch t.Kind {
		case ingest.Prompt, ingest.Command, ingest.Interrupt, ingest.PlanTurn:
			return t
		}
	}
	return nil
}

// name returns what people call a file: its base name without what follows the first dot.
func name(file string) string {
	base, _, _ := strings.Cut(path.Base(file), ".")
	return strings.Trim(base, "/ ")
}

// standing is where a quote occurs, verbatim.
type standing struct {
	turn  int
	by    payload.By
	quote string
}

// places lists where a quote occurs: a person's own words first, the latest first.
func (g *grounds) places(quote, call string) []standing {
	var own, agreed, said []standing
	for i := len(g.s.Turns) - 1; i >= 0; i-- {
		t := &g.s.Turns[i]
		if t.Aside() {
			continue
		}
		switch t.Kind {
		case ingest.Prompt, ingest.Command, ingest.PlanTurn:
			own = g.found(own, i, payload.ByUser, quote, t.Text)
		case ingest.Message:
			said = g.found(said, i, payload.ByAssistant, quote, t.Text)
		}
		for k := range t.Calls {
			c := &t.Calls[k]
			if c.ID == call || ingest.OwnTool(c.Name, "") {
				continue
			}
			own = g.found(own, i, payload.ByUser, quote, c.Reason)
			for _, a := range c.Answers {
				agreed = g.found(agreed, i, payload.ByBoth, quote,
					append(slices.Clone(a.Chosen), a.Notes, a.Question)...)
			}
			if c.Plan != nil && c.Verdict == ingest.Approved {
				agreed = g.found(agreed, i, payload.ByBoth, quote, c.Plan.Text)
			}
		}
	}
	return slices.Concat(own, agreed, said)
}

func (g *grounds) found(list []standing, turn int, by payload.By, quote string, texts ...string) []standing {
	for _, text := range texts {
		if verbatim := find(text, quote); verbatim != "" {
			return append(list, standing{turn, by, verbatim})
		}
	}
	return list
}

// find returns the part of a text that matches a quote up to whitespace; "" if there is none or it is too long for
// evidence.
func find(text, quote string) string {
	if text == "" || quote == "" {
		return ""
	}
	if strings.Contains(text, quote) {
		return quote
	}
	parts := strings.Fields(quote)
	for i := range parts {
		parts[i] = regexp.QuoteMeta(parts[i])
	}
	re, err := regexp.Compile(strings.Join(parts, `\s+`))
	if err != nil {
		return ""
	}
	if m := re.FindString(text); len(m) <= distill.MaxQuote {
		return m
	}
	return ""
}

// Join adds a note's item to a session's items: it strengthens the one that already says the same, or is appended. A
// lead that only repeats its quote is removed.
func Join(items []payload.Item, note *payload.Item) []payload.Item {
	if note.Rule == payload.ClaimRule {
		return append(items, *note)
	}
	e := &note.Evidence[0]
	items = slices.DeleteFunc(items, func(it payload.Item) bool { // little more than the words that the note quotes
		repeats := it.Kind == payload.Lead && it.First().Turn == e.Turn && strings.Contains(it.Text, e.Quote) &&
			2*len(e.Quote) > len(it.Text)
		if repeats { // by the files that it names, the session's thread is known
			note.About = ingest.Union(note.About, it.About...)
		}
		return repeats
	})
	if it := sameThing(items, note); it != nil {
		strengthen(it, note)
		return items
	}
	return append(items, *note)
}

// How alike two items of one kind must be to count as the same.
const (
	likeOneTurn = 0.3 // with a turn in common
	likeAny     = 0.6 // otherwise
)

func sameThing(items []payload.Item, note *payload.Item) *payload.Item {
	var best *payload.Item
	most := 0.0
	for i := range items {
		it := &items[i]
		if it.Kind != note.Kind {
			continue
		}
		if it.Kind == payload.File && name(it.Path) != "" && strings.HasSuffix("/"+it.Path, "/"+note.Path) {
			return it
		}
		need := likeAny
		if slices.ContainsFunc(it.Evidence, func(e payload.Evidence) bool { return e.Turn == note.Evidence[0].Turn }) {
			need = likeOneTurn
		}
		if like := payload.Alike(it.Text, note.Text); like >= need && like > most {
			best, most = it, like
		}
	}
	return best
}

// strengthen gives an item the note's wording, chosen by someone who knew what was meant, and adds what else the
// note knows. Who said it stays as in the transcript.
func strengthen(it, note *payload.Item) {
	e := note.Evidence[0]
	if len(it.Evidence) < 3 &&
		!slices.ContainsFunc(it.Evidence, func(o payload.Evidence) bool { return o.Turn == e.Turn }) {
		it.Evidence = append(slices.Clone(it.Evidence), e)
	}
	if it.Kind == payload.File { // the note knows how far the file is, not just that it was written
		it.Status = cmp.Or(note.Status, it.Status)
	}
	if note.Text != "" { // the item no longer has the person's own words
		it.Text, it.Rule = note.Text, note.Rule
	}
	it.Why = cmp.Or(note.Why, it.Why)
	it.Scope = cmp.Or(it.Scope, note.Scope)
	if len(it.Alternatives) == 0 {
		it.Alternatives = note.Alternatives
	}
	if len(it.About) == 0 {
		it.About = note.About
	}
	if it.By == payload.ByAssistant && note.By != payload.ByAssistant {
		it.By = payload.ByBoth
	}
}
