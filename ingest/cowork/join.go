package cowork

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"recall/ingest"
)

// sameTime is how far apart the app and the CLI can log the same message.
const sameTime = 5 * time.Minute

// minPart is the minimum length of a prompt to be recognized as part of another: a "yes" can be anywhere.
const minPart = 20

// join adds what only the audit log has: messages missing from the transcript, and results of its calls.
func join(s, heard *ingest.Session, log *auditLog) {
	addAliases(s, log)
	j := joiner{s: s, byKey: map[string]int{}, taken: map[int]bool{}}
	for i := range s.Turns {
		j.index(i)
	}
	var lost []ingest.Turn
	var after []int // for each lost turn, the one it follows; -1 for none
	last := -1
	for i := range heard.Turns {
		t := &heard.Turns[i]
		at, ok := j.find(t)
		if !ok {
			lost, after = append(lost, *t), append(after, last)
			continue
		}
		last = max(last, at)
		j.fill(&s.Turns[at], t)
	}
	insert(s, lost, after)
	s.Models, s.Carried = ingest.Union(s.Models, heard.Models...), ingest.Union(s.Carried, heard.Carried...)
	s.Pasted, s.Injected = ingest.Union(s.Pasted, heard.Pasted...), ingest.Union(s.Injected, heard.Injected...)
	s.Handed = ingest.Union(s.Handed, heard.Handed...)
}

// joiner finds the transcript's turn for one of the log's.
type joiner struct {
	s     *ingest.Session
	byKey map[string]int
	taken map[int]bool // turns already matched
}

func (j *joiner) index(i int) {
	for _, k := range keysOf(&j.s.Turns[i]) {
		if _, ok := j.byKey[k]; !ok {
			j.byKey[k] = i
		}
	}
}

func keysOf(t *ingest.Turn) []string {
	keys := slices.Clone(t.Keys)
	for _, uuid := range t.Records {
		keys = append(keys, "u:"+uuid)
	}
	for k := range t.Calls {
		if id := t.Calls[k].ID; id != "" {
			keys = append(keys, "c:"+id)
		}
	}
	return keys
}

// find finds the same message: by message id, calls or uuids; else by its text at about the same time, each once.
func (j *joiner) find(t *ingest.Turn) (int, bool) {
	for _, k := range keysOf(t) {
		if i, ok := j.byKey[k]; ok && j.s.Turns[i].Role == t.Role {
			j.taken[i] = true
			return i, true
		}
	}
	for i := range j.s.Turns {
		if !j.taken[i] && sameWords(&j.s.Turns[i], t) {
			j.taken[i] = true
			return i, true
		}
	}
	for i := range j.s.Turns {
		if isPartOf(&j.s.Turns[i], t) {
			return i, true
		}
	}
	return 0, false
}

// isPartOf reports whether a prompt is among those typed while the CLI worked and then processed as one.
func isPartOf(all, t *ingest.Turn) bool {
	return t.Kind == ingest.Prompt && all.Kind == ingest.Prompt && len(t.Text) >= minPart && len(all.Text) > len(t.Text) &&
		all.At.Sub(t.At).Abs() <= sameTime && strings.Contains("\n"+all.Text+"\n", "\n"+strings.TrimSpace(t.Text)+"\n")
}

func sameWords(a, b *ingest.Turn) bool {
	if a.Role != b.Role || (a.At.Sub(b.At)).Abs() > sameTime && !a.At.IsZero() && !b.At.IsZero() {
		return false
	}
	if a.Kind == ingest.Interrupt && b.Kind == ingest.Interrupt {
		return true
	}
	x, y := words(a), words(b)
	return x == y && x != ""
}

// words returns what was typed, with the name of a command.
func words(t *ingest.Turn) string {
	text := t.Text
	if t.Kind == ingest.Command {
		text = t.Name + " " + text
	}
	return strings.Join(strings.Fields(text), " ")
}

// fill adds to a transcript's turn what only the log has.
func (j *joiner) fill(t, heard *ingest.Turn) {
	if len(t.Uploads) == 0 {
		t.Uploads = heard.Uploads
	}
	if t.Role == ingest.Assistant && t.Text == "" {
		t.Text, t.Foreign = heard.Text, heard.Foreign
	}
	for k := range heard.Calls {
		h := &heard.Calls[k]
		if i, ok := j.byKey["c:"+h.ID]; ok && h.ID != "" {
			for c := range j.s.Turns[i].Calls {
				if call := &j.s.Turns[i].Calls[c]; call.ID == h.ID && !call.Done && h.Done {
					*call = *h
				}
			}
			continue
		}
		t.Calls = append(t.Calls, *h)
	}
}

// insert puts each lost turn behind the turn it follows in the log and before the first with a later time.
func insert(s *ingest.Session, lost []ingest.Turn, after []int) {
	if len(lost) == 0 {
		return
	}
	out := make([]ingest.Turn, 0, len(s.Turns)+len(lost))
	k := 0
	for i := range s.Turns {
		for k < len(lost) && after[k] < i && before(&lost[k], &s.Turns[i]) {
			out = append(out, lost[k])
			k++
		}
		out = append(out, s.Turns[i])
	}
	s.Turns = append(out, lost[k:]...)
	for i := range lost {
		if at := lost[i].At; !at.IsZero() {
			if s.Start.IsZero() || at.Before(s.Start) {
				s.Start = at
			}
			if at.After(s.End) {
				s.End = at
			}
		}
	}
}

func before(t, next *ingest.Turn) bool {
	return t.At.IsZero() || !next.At.IsZero() && t.At.Before(next.At)
}

const (
	cardTime = 5 * time.Second  // between a call and its card, if their inputs differ
	stopTime = 10 * time.Second // between Stop and the CLI's line about it
)

// addAppEvents adds what the app recorded apart from messages: the person's clicks, and Stop.
func addAppEvents(s *ingest.Session, log *auditLog) {
	applyCards(s, log.cards)
	for _, id := range log.denied {
		if c := callByID(s, id); c != nil && c.Verdict == ingest.Unasked {
			c.Verdict = ingest.Denied
		}
	}
	for _, st := range log.stops {
		addStop(s, st, log.name)
	}
}

func callByID(s *ingest.Session, id string) *ingest.ToolCall {
	if id == "" {
		return nil
	}
	for _, c := range ingest.EachCall(s.Turns) {
		if c.ID == id {
			return c
		}
	}
	return nil
}

// callPlace is the position of a call among the turns.
type callPlace struct{ turn, call int }

// applyCards turns answered cards into verdicts. Refusals in the transcript stand.
func applyCards(s *ingest.Session, cards []card) {
	taken := map[callPlace]bool{}
	for i := range cards {
		c := &cards[i]
		if !c.answered {
			continue
		}
		at, ok := callOf(s, c, taken)
		if !ok {
			if !c.granted {
				refusedUnseen(s, c)
			}
			continue
		}
		taken[at] = true
		call := &s.Turns[at.turn].Calls[at.call]
		switch {
		case call.Verdict != ingest.Unasked:
		case c.granted && call.Name != "AskUserQuestion":
			call.Verdict = ingest.Approved
		case !c.granted:
			call.Verdict = ingest.Rejected
			ingest.BindReason(call, s.Turns[at.turn].Abandoned, s.Turns[at.turn+1:])
		}
	}
}

// callOf finds the call that a card asked about: the nearest with the same tool and input, else the tool's only one
// nearby.
func callOf(s *ingest.Session, c *card, taken map[callPlace]bool) (callPlace, bool) {
	var best, near callPlace
	bestGap, nears := time.Duration(-1), 0
	for i := range s.Turns {
		t := &s.Turns[i]
		for j := range t.Calls {
			call := &t.Calls[j]
			at := callPlace{i, j}
			if c.call != "" && call.ID == c.call {
				return at, true
			}
			if taken[at] || call.Name != c.tool {
				continue
			}
			gap := c.at.Sub(t.At).Abs()
			if sameInput(call.Input, c.input) && (bestGap < 0 || gap < bestGap) {
				best, bestGap = at, gap
			}
			if gap <= cardTime {
				near, nears = at, nears+1
			}
		}
	}
	if bestGap >= 0 {
		return best, true
	}
	return near, nears == 1
}

// sameInput compares inputs, ignoring white space.
func sameInput(a, b map[string]string) bool {
	if len(a) != len(b) {
		return false
	}
	for k, v := range a {
		w, ok := b[k]
		if !ok || v != w && noSpace(v) != noSpace(w) {
			return false
		}
	}
	return true
}

func noSpace(s string) string { return strings.Join(strings.Fields(s), "") }

// refusedUnseen keeps a refusal whose call is missing as a call of the message before it.
func refusedUnseen(s *ingest.Session, c *card) {
	for i := len(s.Turns) - 1; i >= 0; i-- {
		t := &s.Turns[i]
		if t.Kind != ingest.Message || t.At.After(c.at) {
			continue
		}
		call := ingest.ToolCall{ID: c.id, Name: c.tool, Input: c.input, Command: c.input["command"],
			Path: c.input["file_path"], Done: true, Failed: true, At: c.at, ResultTurn: t.ID, Verdict: ingest.Rejected}
		ingest.BindReason(&call, t.Abandoned, s.Turns[i+1:])
		t.Calls = append(t.Calls, call)
		return
	}
	s.Report.Conflicts = append(s.Report.Conflicts,
		fmt.Sprintf("audit.jsonl:%d: %s was refused, but there is no message before it", c.line, c.tool))
}

// addStop adds the person's Stop as a turn, unless the transcript has one within seconds or at that point.
func addStop(s *ingest.Session, st stop, file string) {
	at := len(s.Turns)
	for at > 0 && s.Turns[at-1].At.After(st.at) && !st.at.IsZero() {
		at--
	}
	for i := range s.Turns {
		t := &s.Turns[i]
		if t.Kind == ingest.Interrupt && (t.At.Sub(st.at).Abs() <= stopTime || i == at-1) {
			return
		}
	}
	s.Turns = slices.Insert(s.Turns, at, ingest.Turn{
		ID: ingest.TurnID(st.id), Records: []string{st.id}, Role: ingest.User, Kind: ingest.Interrupt, At: st.at,
		Text: "[Stopped by the person]", File: file, Line: st.line,
	})
	if st.at.After(s.End) {
		s.End = st.at
	}
}
