package cowork

import (
	"slices"
	"strings"
	"time"

	"recall/ingest"
)

// sameTime is how far apart the app and the CLI may log one message.
const sameTime = 5 * time.Minute

// minPart is the least length of a prompt to be told as part of another: a "yes" can stand anywhere.
const minPart = 20

// join adds what only the audit log has: messages that the transcript lost, and results of its calls.
func join(s, heard *ingest.Session, log *auditLog) {
	addAliases(s, log)
	j := joiner{s: s, byKey: map[string]int{}, taken: map[int]bool{}}
	for i := range s.Turns {
		j.index(i)
	}
	var lost []ingest.Turn
	var after []int // for each lost one, the turn that it follows; -1 for none
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
	joinCompactions(s, heard.Compactions)
	s.Models, s.Carried = ingest.Union(s.Models, heard.Models...), ingest.Union(s.Carried, heard.Carried...)
	s.Pasted, s.Injected = ingest.Union(s.Pasted, heard.Pasted...), ingest.Union(s.Injected, heard.Injected...)
	s.Handed = ingest.Union(s.Handed, heard.Handed...)
}

// joiner finds the transcript's turn for one of the log's.
type joiner struct {
	s     *ingest.Session
	byKey map[string]int
	taken map[int]bool // turns that a turn of the log was found to be
}

func (j *joiner) index(i int) {
	t := &j.s.Turns[i]
	put := func(key string) {
		if _, ok := j.byKey[key]; !ok {
			j.byKey[key] = i
		}
	}
	for _, k := range t.Keys {
		put(k)
	}
	for _, uuid := range t.Records {
		put("u:" + uuid)
	}
	for k := range t.Calls {
		if id := t.Calls[k].ID; id != "" {
			put("c:" + id)
		}
	}
}

// find looks for the same message: by message id, calls or uuids; else by its text at about the same time, each once.
func (j *joiner) find(t *ingest.Turn) (int, bool) {
	keys := slices.Clone(t.Keys)
	for _, uuid := range t.Records {
		keys = append(keys, "u:"+uuid)
	}
	for k := range t.Calls {
		keys = append(keys, "c:"+t.Calls[k].ID)
	}
	for _, k := range keys {
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
		if oneOf(&j.s.Turns[i], t) {
			return i, true
		}
	}
	return 0, false
}

// oneOf reports whether a prompt is among those typed while the CLI worked and taken up together, as one.
func oneOf(all, t *ingest.Turn) bool {
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

// words is what was typed, a command with its name.
func words(t *ingest.Turn) string {
	text := t.Text
	if t.Kind == ingest.Command {
		text = t.Name + " " + text
	}
	return strings.Join(strings.Fields(text), " ")
}

// fill gives a turn of the transcript what only the log has of it.
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

// insert puts each lost turn behind the turn it follows in the log and before the first of a later time.
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

// joinCompactions adds the log's compactions that the transcript doesn't have.
func joinCompactions(s *ingest.Session, heard []ingest.Compaction) {
	for _, c := range heard {
		known := slices.ContainsFunc(s.Compactions, func(o ingest.Compaction) bool {
			return o.At.Sub(c.At).Abs() <= sameTime
		})
		if !known {
			s.Compactions = append(s.Compactions, c)
		}
	}
	slices.SortStableFunc(s.Compactions, func(a, b ingest.Compaction) int { return a.At.Compare(b.At) })
}
