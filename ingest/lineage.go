package ingest

import (
	"cmp"
	"context"
	"io"
	"slices"
	"time"
)

// Own decides which session owns the turns that several hold: a fork owns the lines it added, its parent the shared
// beginning. It sets Turn.Copied, Session.Parent and Session.Usage, independently of the order of family and of earlier
// calls. A family are the sessions that keys of ingest.Head connect, directly or through others.
func Own(family []*Session) {
	for _, s := range family {
		resetOwnership(s)
	}
	if len(family) == 1 {
		return // nothing is shared
	}
	owner := map[string]*Session{}
	for _, s := range byBirth(family) {
		claim(s, owner)
	}
	byID := indexed(family)
	for _, s := range family {
		setParent(s, byID, owner)
	}
}

func indexed(family []*Session) map[SessionID]*Session {
	byID := map[SessionID]*Session{}
	for _, s := range family {
		byID[s.ID] = s
	}
	return byID
}

// resetOwnership undoes an earlier call of Own.
func resetOwnership(s *Session) {
	for _, turns := range s.conversations() {
		for i := range turns {
			turns[i].Copied = false
		}
	}
	if s.Parent == nil {
		return
	}
	if s.Parent.How == HowFork || s.Parent.How == s.Copy {
		s.Parent = nil
		return
	}
	p := *s.Parent
	p.Turns = 0
	s.Parent = &p
}

// Ways in which a session can come from another.
const (
	HowFork       = "fork"       // only the copied turns show it
	HowBranch     = "branch"     // its records name the original
	HowBackground = "background" // it was continued in the background
	HowContinued  = "continued"  // the parent says that it was continued there
	HowPlan       = "plan"       // it began with the parent's plan
)

// claim gives s the turns that no session owns yet.
func claim(s *Session, owner map[string]*Session) {
	for _, turns := range s.conversations() {
		for i := range turns {
			t := &turns[i]
			first := ownerOf(t, owner, s)
			for _, k := range t.Keys {
				if owner[k] == nil {
					owner[k] = first
				}
				t.Copied = t.Copied || owner[k] != s
			}
		}
	}
}

// ownerOf returns the owner of a turn's keys, s if there is none yet.
func ownerOf(t *Turn, owner map[string]*Session, s *Session) *Session {
	for _, k := range t.Keys {
		if o := owner[k]; o != nil {
			return o
		}
	}
	return s
}

// setParent names the parent of a session that holds copies, and counts the session's own usage.
func setParent(s *Session, byID map[SessionID]*Session, owner map[string]*Session) {
	copied := 0
	var last *Session
	var all Usage
	for i := range s.Turns {
		t := &s.Turns[i]
		if t.Copied {
			copied++
			last = ownerOf(t, owner, s)
			continue
		}
		all.AddUsage(t.Usage)
	}
	if copied > 0 {
		s.Usage = all
	}
	switch {
	case s.Parent != nil:
		s.Parent.Turns = copied
	case last != nil && last != s:
		s.Parent = &Parent{Session: last.ID, How: HowFork, Turns: copied}
		if s.Copy == HowBackground {
			s.Parent.How = HowBackground
		}
		if p := byID[last.ID]; p.ContinuedIn == s.ID {
			s.Parent.How = HowContinued
		}
	}
}

// AddUsage adds more to u.
func (u *Usage) AddUsage(more Usage) {
	u.Input += more.Input
	u.Output += more.Output
	u.CacheWrite += more.CacheWrite
	u.CacheHour += more.CacheHour
	u.CacheRead += more.CacheRead
}

// byBirth orders a family, parents before forks: by what the records state, then by when each session became
// independent, then by id.
func byBirth(family []*Session) []*Session {
	born := births(family)
	order := slices.Clone(family)
	slices.SortFunc(order, func(a, b *Session) int {
		x, y := born[a], born[b]
		return cmp.Or(x.fork-y.fork, x.at.Compare(y.at), cmp.Compare(a.ID, b.ID))
	})
	return parentsFirst(order)
}

// birth is when a session became independent.
type birth struct {
	fork int // 0: its file was begun before its first turn; 1: unknown; 2: after it, so the session is a copy
	at   time.Time
}

// births takes the time at which a session's file was begun, if known; else that of its first unshared turn; else, as
// the others then branched off from it, that of its first turn.
func births(family []*Session) map[*Session]birth {
	holders := map[string]int{}
	for _, s := range family {
		keys := map[string]bool{}
		for i := range s.Turns {
			for _, k := range s.Turns[i].Keys {
				keys[k] = true
			}
		}
		for k := range keys {
			holders[k]++
		}
	}
	born := map[*Session]birth{}
	for _, s := range family {
		first, own := firstTimes(s, holders)
		b := birth{fork: 1, at: own}
		switch {
		case !s.Born.IsZero() && !first.IsZero() && s.Born.After(first):
			b = birth{fork: 2, at: s.Born}
		case s.Copy != "":
			b.fork = 2
		case !s.Born.IsZero():
			b = birth{fork: 0, at: s.Born}
		case own.IsZero():
			b.at = first
		}
		born[s] = b
	}
	return born
}

// firstTimes returns the times of a session's first turn, and of the first that no other session holds.
func firstTimes(s *Session, holders map[string]int) (first, own time.Time) {
	for i := range s.Turns {
		t := &s.Turns[i]
		if t.At.IsZero() {
			continue
		}
		if first.IsZero() {
			first = t.At
		}
		shared := slices.ContainsFunc(t.Keys, func(k string) bool { return holders[k] > 1 })
		if !shared && (own.IsZero() || t.At.Before(own)) {
			own = t.At
		}
	}
	return first, own
}

// parentsFirst moves each session behind those that it claims to come from, or that claim to continue in it, and
// otherwise keeps the order, even where claims form a cycle.
func parentsFirst(order []*Session) []*Session {
	before := claims(order)
	placed := map[*Session]bool{}
	ready := func(s *Session) bool {
		return !placed[s] && !slices.ContainsFunc(before[s], func(p *Session) bool { return !placed[p] })
	}
	out := make([]*Session, 0, len(order))
	for len(out) < len(order) {
		k := slices.IndexFunc(order, ready)
		if k < 0 {
			k = slices.IndexFunc(order, func(s *Session) bool { return !placed[s] })
		}
		placed[order[k]] = true
		out = append(out, order[k])
	}
	return out
}

// claims lists for each session those that it comes from, by its own claim or theirs.
func claims(family []*Session) map[*Session][]*Session {
	byID, before := indexed(family), map[*Session][]*Session{}
	for _, s := range family {
		if s.Parent != nil {
			if p := byID[s.Parent.Session]; p != nil && p != s {
				before[s] = append(before[s], p)
			}
		}
		if next := byID[s.ContinuedIn]; next != nil && next != s {
			before[next] = append(before[next], s)
		}
	}
	return before
}

// Head is what the beginning of a session tells. Sessions with a key in common may be forks of one another: see Own.
type Head struct {
	Keys    []string // identities of the first turn that has any: see Turn.Keys
	Started time.Time
}

// headBytes is how much of each file of a conversation is read for a Head at first; without a turn in it, more is.
const headBytes = 64 << 10

// HeadOf reads just enough of a session to tell which others it belongs to.
func HeadOf(ctx context.Context, r Reader, f Found) (head Head, err error) {
	for limit := int64(headBytes); ; limit *= 64 {
		begun, whole := f, true
		begun.Files = nil
		for _, file := range f.Files {
			switch file.Role {
			case Transcript, AuditLog, PromptLog:
				if file.Size > limit {
					file.Open, whole = beginning(file.Open, limit), false
				}
				begun.Files = append(begun.Files, file)
			case Record:
				begun.Files = append(begun.Files, file)
			}
		}
		s, err := r.Parse(ctx, begun)
		if err == nil {
			head = Head{Started: s.Start}
			keyed := func(t Turn) bool { return len(t.Keys) > 0 }
			if i := slices.IndexFunc(s.Turns, keyed); i >= 0 {
				head = Head{s.Turns[i].Keys, s.Turns[i].At}
			}
		}
		if whole || len(head.Keys) > 0 {
			return head, err
		}
	}
}

// beginning opens at most limit bytes of a file.
func beginning(open func() (io.ReadCloser, error), limit int64) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) {
		in, err := open()
		if err != nil {
			return nil, err
		}
		return struct {
			io.Reader
			io.Closer
		}{io.LimitReader(in, limit), in}, nil
	}
}
