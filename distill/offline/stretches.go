package offline

import (
	"cmp"
	"runtime"
	"slices"

	"recall/ingest"
	"recall/payload"
)

// A session of many days is processed in consecutive stretches, each weighed by itself.
// Otherwise memory and time would grow faster than the session. Its actions, records and
// goal concern the whole session, and the whole session's quota limits the passages.

// minStretch is the minimum number of turns in a stretch, except for the last. None of
// the training sessions has half as many.
const minStretch = 2000

// stretches cuts a session where a person speaks, or anywhere if nobody does for the same
// number of turns again. A session that isn't long is a single stretch.
func stretches(s *ingest.Session) []*ingest.Session {
	var out []*ingest.Session
	from := 0
	cut := func(to int) {
		part := *s
		part.Turns = s.Turns[from:to:to]
		out = append(out, &part)
		from = to
	}
	for i := range s.Turns {
		if n := i - from; n >= 2*minStretch || n >= minStretch && typed(&s.Turns[i]) && !s.Turns[i].Abandoned {
			cut(i)
		}
	}
	cut(len(s.Turns))
	return out
}

// Items distills a session with a model. It returns the goal, what is on record, files and
// leads, and the names of files that were only read. Several stretches are processed
// concurrently.
func Items(s *ingest.Session, m *Model) (items []payload.Item, read []string) {
	type heard struct {
		*talk
		aim, words []payload.Item
		passages   []Passage
	}
	parts, done := stretches(s), folderWork(s)
	ahead := make(chan chan heard, runtime.GOMAXPROCS(0)-1)
	go func() {
		defer close(ahead)
		for i, part := range parts {
			ready := make(chan heard, 1)
			ahead <- ready
			go func() {
				h := hear(part, i+1 == len(parts))
				out := heard{talk: h.talk, aim: goal(h.talk, i > 0)}
				if len(done) > 0 {
					out.words = folderWords(h.Candidates)
				}
				out.passages = h.Passages(m, slices.Concat(h.Recorded, done, out.words, out.aim))
				ready <- out
			}()
		}
	}()
	touched := touchedFiles(s)
	seen := map[string]bool{}
	for _, f := range touched {
		seen[f.path] = true
	}
	var aim, limits, words []payload.Item
	var passages []Passage
	var last *talk
	exchanges := 0
	for next := range ahead {
		h := <-next
		switch {
		case len(h.aim) > 0:
			aim = h.aim
		case len(aim) == 0:
			aim = goal(h.talk, false) // the earlier stretches had no request
		}
		findMentions(h.talk, touched)
		if len(parts) == 1 {
			findUnfinished(h.talk, touched)
		}
		limits = append(limits, offLimits(h.talk, seen)...)
		passages = append(passages, h.passages...)
		exchanges += h.n
		words = append(words, h.words...)
		h.forget()
		last = h.talk
	}
	items = slices.Concat(aim, files(last, touched, m), limits, m.recorded(records(s)), done,
		words[max(0, len(words)-maxFolderWords):])
	return m.withPassages(s, items, likeliest(passages, m.quota(exchanges))), onlyRead(touched, items)
}

// forget drops references between speeches, so that keeping one doesn't keep all.
func (t *talk) forget() {
	for _, sp := range t.speeches {
		sp.asks, sp.reacts, sp.reaction, sp.keys, sp.often = nil, nil, nil, nil, nil
	}
	t.echoes = nil
}

// likeliest returns the likeliest passages, without repeated facts.
func likeliest(all []Passage, most int) []Passage {
	slices.SortStableFunc(all, func(a, b Passage) int { return cmp.Compare(b.Likely, a.Likely) })
	var kept []terms
	var out []Passage
	for _, p := range all {
		if len(out) == most {
			break
		}
		if !said(kept, p.words) {
			kept = append(kept, p.words)
			out = append(out, p)
			if p.inGoal {
				most++
			}
		}
	}
	return out
}
