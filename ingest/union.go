package ingest

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"recall/internal/text"
)

// UniteVersions adds to a session, as its source now has it, what only an earlier version of the source had: a file can
// be emptied, cut or replaced, and rows can be deleted. Such turns are Gone; where the session's beginning is, so that
// what is left says nothing of what it was about, its title and folders are the earlier ones. It reports whether
// there were any.
func UniteVersions(s, earlier *Session) (any bool) {
	n := len(s.Turns)
	Unite(s, earlier, 0)
	any = len(s.Turns) > n
	for _, a := range earlier.Subagents {
		at := slices.IndexFunc(s.Subagents, func(o Subagent) bool { return o.ID == a.ID })
		if at < 0 {
			s.Subagents, any = append(s.Subagents, a), true
			continue
		}
		sub := &Session{Source: s.Source, Turns: s.Subagents[at].Turns}
		Unite(sub, &Session{Turns: a.Turns}, 0)
		any = any || len(sub.Turns) > len(s.Subagents[at].Turns)
		s.Subagents[at].Turns = sub.Turns
	}
	if any && (n == 0 || len(s.Turns) > 0 && s.Turns[0].Gone) {
		if s.Title = earlier.Title; s.Where.Branch == "" {
			s.Where.Branch = earlier.Where.Branch
		}
		s.Where.Folders = Union(s.Where.Folders, earlier.Where.Folders...)
	}
	if len(s.Tasks) == 0 {
		s.Tasks = earlier.Tasks
	}
	s.Aliases = Union(s.Aliases, earlier.Aliases...)
	s.PlanFiles = Union(s.PlanFiles, earlier.PlanFiles...)
	return any
}

// Unite adds to a session what only another record of it has: turns, each behind the one that it follows there, and
// calls and their results. Turns are the same if their records are, or the messages or calls in them; else, where
// apart isn't zero, if they say the same at most so long apart, each once. With apart zero the other record is an
// earlier version, and what is added is Gone; there a turn whose record has no id, such as a prompt that waited its
// turn, is also the same if it says the same, and one that was taken back since isn't added.
func Unite(s, other *Session, apart time.Duration) {
	u := &uniting{s: s, apart: apart, byKey: map[string]int{}, taken: map[int]bool{}}
	for i := range s.Turns {
		for _, k := range identities(&s.Turns[i]) {
			if _, ok := u.byKey[k]; !ok {
				u.byKey[k] = i
			}
		}
	}
	var lost []Turn
	var after []int // for each lost turn, the one it follows; -1 for none
	last := -1
	takenBack := func(key string) bool { return slices.Contains(s.TakenBack, key) }
	for i := range other.Turns {
		t := &other.Turns[i]
		at, ok := u.find(t)
		if !ok && apart == 0 && slices.ContainsFunc(t.Keys, takenBack) {
			continue
		}
		if !ok {
			lost, after = append(lost, *t), append(after, last)
			continue
		}
		last = max(last, at)
		u.fill(&s.Turns[at], t)
	}
	u.insert(lost, after)
	s.Models, s.Carried = Union(s.Models, other.Models...), Union(s.Carried, other.Carried...)
	s.Pasted, s.Injected = Union(s.Pasted, other.Pasted...), Union(s.Injected, other.Injected...)
	s.Handed = Union(s.Handed, other.Handed...)
}

// uniting finds a session's turns in another record of it.
type uniting struct {
	s     *Session
	apart time.Duration
	byKey map[string]int
	taken map[int]bool // turns already matched
}

// identities are what tells that two turns are the same: ids of records, messages and calls. A position is none.
func identities(t *Turn) []string {
	keys := slices.Clone(t.Keys)
	for _, id := range t.Records {
		if !positional().MatchString(id) {
			keys = append(keys, "u:"+id)
		}
	}
	for k := range t.Calls {
		if id := t.Calls[k].ID; id != "" {
			keys = append(keys, "c:"+id)
		}
	}
	if !t.At.IsZero() {
		keys = append(keys, "w:"+string(t.Kind)+strconv.FormatInt(t.At.UnixMilli(), 36)+text.Hash(t.Text, 8))
	}
	return keys
}

// positional matches ids of records that are only their place in a file.
var positional = text.Pattern(`(?:^|:)L\d+(?:[b#]\d+)?$`)

func (u *uniting) find(t *Turn) (int, bool) {
	for _, k := range identities(t) {
		if i, ok := u.byKey[k]; ok && u.s.Turns[i].Role == t.Role {
			u.taken[i] = true
			return i, true
		}
	}
	named := func(id string) bool { return !positional().MatchString(id) }
	if u.apart == 0 && slices.ContainsFunc(t.Records, named) {
		return 0, false
	}
	for i := range u.s.Turns {
		if !u.taken[i] && u.sameWords(&u.s.Turns[i], t) {
			u.taken[i] = true
			return i, true
		}
	}
	for i := range u.s.Turns {
		if u.isPartOf(&u.s.Turns[i], t) {
			return i, true
		}
	}
	return 0, false
}

// minPart is the minimum length of a prompt to be recognized as part of another: a "yes" can be anywhere.
const minPart = 20

// isPartOf reports whether a prompt is among those typed while the client worked and then processed as one.
func (u *uniting) isPartOf(all, t *Turn) bool {
	return t.Kind == Prompt && all.Kind == Prompt && len(t.Text) >= minPart && len(all.Text) > len(t.Text) &&
		(u.apart == 0 || all.At.Sub(t.At).Abs() <= u.apart) &&
		strings.Contains("\n"+all.Text+"\n", "\n"+strings.TrimSpace(t.Text)+"\n")
}

func (u *uniting) sameWords(a, b *Turn) bool {
	known := u.apart > 0 && !a.At.IsZero() && !b.At.IsZero()
	waited := b.Queued && a.Role != Assistant // whose it was, its record says once there is one
	if a.Role != b.Role && !waited || known && a.At.Sub(b.At).Abs() > u.apart {
		return false
	}
	if a.Kind == Interrupt && b.Kind == Interrupt {
		return true
	}
	x, y := a.words(), b.words()
	return x == y && x != ""
}

// words returns what was typed, with the name of a command.
func (t *Turn) words() string {
	said := t.Text
	if t.Kind == Command {
		said = t.Name + " " + said
	}
	return strings.Join(strings.Fields(said), " ")
}

// fill adds to a turn what only the other record has of it.
func (u *uniting) fill(t, other *Turn) {
	if len(t.Uploads) == 0 {
		t.Uploads = other.Uploads
	}
	if t.Role == Assistant && t.Text == "" {
		t.Text, t.Foreign = other.Text, other.Foreign
	}
	for k := range other.Calls {
		h := &other.Calls[k]
		if i, ok := u.byKey["c:"+h.ID]; ok && h.ID != "" {
			for c := range u.s.Turns[i].Calls {
				if call := &u.s.Turns[i].Calls[c]; call.ID == h.ID && !call.Done && h.Done {
					*call = *h
				}
			}
			continue
		}
		t.Calls = append(t.Calls, *h)
	}
}

// insert puts each lost turn behind the turn it follows and before the first with a later time. An id that is taken is
// made another: an earlier version's fifth line isn't the fifth of today's.
func (u *uniting) insert(lost []Turn, after []int) {
	s, gone := u.s, u.apart == 0
	ids := s.Places()
	for i := range lost {
		t := &lost[i]
		if t.Gone = gone; !gone {
			continue
		}
		if _, taken := ids[string(t.ID)]; taken {
			t.ID = "was:" + t.ID
			t.Records = []string{string(t.ID)}
		}
		// A client that deletes rows does so because the person took them back.
		t.Abandoned = t.Abandoned || s.Source == OpenCode
		s.Usage.AddUsage(t.Usage)
		if t.Dir != "" && (t.Kind == Prompt || t.Kind == Message || t.Kind == PlanTurn) {
			s.CountDir(t.Dir, 1)
		}
	}
	out := make([]Turn, 0, len(s.Turns)+len(lost))
	k := 0
	for i := range s.Turns {
		for k < len(lost) && after[k] < i && lost[k].before(&s.Turns[i]) {
			out = append(out, lost[k])
			k++
		}
		out = append(out, s.Turns[i])
	}
	s.Turns = append(out, lost[k:]...)
	for i := range s.Turns {
		s.Turns[i].N = i + 1
	}
	for i := range lost {
		s.span(lost[i].At)
	}
}

func (t *Turn) before(next *Turn) bool {
	return t.At.IsZero() || !next.At.IsZero() && t.At.Before(next.At)
}
