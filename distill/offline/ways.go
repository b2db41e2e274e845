package offline

import (
	"strings"

	"recall/distill/offline/cue"
	"recall/payload"
)

// People and assistants say in many ways that something is put off, ruled out,
// to be minded, to be done, asked of somebody or only supposed. What such words
// are about often stands elsewhere: in the proposal before them, in the
// sentence beside them. The rules of these ways therefore look at a talk rather
// than at a sentence, and a sentence is first asked for all their cues at once.

// way is a kind of cue.
type way int

const (
	puttingOff way = iota // a person puts something off
	keepingFor            // an assistant writes down what is put off
	dropping              // somebody drops a course by name
	failing               // what was tried and didn't do
	trapping              // a trap is announced
	obliging              // whoever touches this must
	planning              // a person says what they will do when
	leaving               // an assistant says what is left
	askingOut             // a person will ask somebody else
	guessing              // somebody says that they suppose
	wayCount
)

var ways = func() *cue.Set {
	var patterns [wayCount]string
	patterns[puttingOff] = puttingOffWords
	patterns[keepingFor] = keepingForWords
	patterns[dropping] = droppingWords
	patterns[failing] = failingWords
	patterns[trapping] = trappingWords
	patterns[obliging] = obligingWords
	patterns[planning] = planningWords
	patterns[leaving] = leavingWords
	patterns[askingOut] = askingOutWords
	patterns[guessing] = guessingWords
	return cue.MustCompile(patterns[:]...)
}()

// wayBits are the ways that a sentence has cues of, and whether it was asked.
type wayBits uint32

const wasAsked wayBits = 1 << 31

// goes tells whether a sentence has cues of a way.
func (s *sentence) goes(w way) bool {
	if s.ways == 0 {
		s.ways = wasAsked
		if found := ways.Match(s.straight()); found.Any() {
			for w := range wayCount {
				if found.Has(int(w)) {
					s.ways |= 1 << w
				}
			}
		}
	}
	return s.ways&(1<<w) != 0
}

// straight is the sentence with straight apostrophes.
func (s *sentence) straight() string { return strings.ReplaceAll(s.Text, "’", "'") }

// eachTyped visits the sentences that go a way of what people typed themselves,
// short enough to be a reply rather than a document.
func (t *talk) eachTyped(w way, visit func(sp *speech, s *sentence)) {
	for _, sp := range t.speeches {
		if !sp.user || sp.refused != nil || len(sp.text) > 1500 {
			continue
		}
		for i := range sp.parts {
			s := &sp.parts[i]
			if s.Block != quoted && !s.Pasted && s.goes(w) && !sp.foreign(s) {
				visit(sp, s)
			}
		}
	}
}

// eachClosing visits the sentences of the assistant's closing messages that go
// a way, those within a list item too.
func (t *talk) eachClosing(w way, visit func(sp *speech, s *sentence)) {
	for _, sp := range t.speeches {
		if sp.user || !sp.closing {
			continue
		}
		for i := range sp.parts {
			s := &sp.parts[i]
			if s.Block == quoted || s.Pasted {
				continue
			}
			if s.goes(w) {
				visit(sp, s)
			}
			for j := range sp.rest(s) {
				if r := &s.rest[j]; r.goes(w) {
					visit(sp, r)
				}
			}
		}
	}
}

// rest are the sentences of a list item after its first.
func (sp *speech) rest(s *sentence) []sentence {
	if s.More == "" || s.rest != nil {
		return s.rest
	}
	end := len(sp.text)
	if s.Index+1 < len(sp.parts) {
		end = max(s.To, sp.parts[s.Index+1].From)
	}
	raw := sp.text[s.To:end]
	if i := strings.Index(raw, "\n\n"); i >= 0 {
		raw = raw[:i]
	}
	s.rest = []sentence{}
	for _, c := range splitSentences(raw) {
		r := sentence{From: s.To + c[0], To: s.To + c[1], Raw: raw[c[0]:c[1]], Block: listItem, Depth: s.Depth, Heading: s.Heading, Index: s.Index, Of: s.Of, first: s}
		if r.Text = plain(r.Raw); few(r.Text, 3) >= 3 && !looksPasted(r.Raw) {
			s.rest = append(s.rest, r)
		}
	}
	return s.rest
}

// item is an item that rests on a sentence.
func (sp *speech) item(kind payload.Kind, rule string, s *sentence, text string) payload.Item {
	by := payload.ByAssistant
	if sp.user {
		by = payload.ByUser
	}
	it := payload.Item{Kind: kind, Rule: rule, By: by, Maker: payload.ByRule, State: payload.Stands, Text: shorten(tidy(text)), At: sp.turn.At,
		Evidence: []payload.Evidence{cite(sp, s.From, s.To)}}
	it.About = about(s.Raw)
	return it
}

// alsoCite puts a second quote to an item.
func alsoCite(it *payload.Item, sp *speech, s *sentence) {
	e := cite(sp, s.From, s.To)
	for _, x := range it.Evidence {
		if x == e {
			return
		}
	}
	if it.Evidence = append(it.Evidence, e); sp.user != (it.By == payload.ByUser) {
		it.By = payload.ByBoth
	}
}

// nextTo is the sentence after one in its own passage, nil if there is none.
func (sp *speech) nextTo(s *sentence) *sentence {
	if rest := sp.rest(s); s.first == nil && len(rest) > 0 {
		return &rest[0]
	}
	if s.first != nil {
		return nil
	}
	if i := s.Index + 1; i < len(sp.parts) && sp.parts[i].Block == s.Block && (sp.user || !sp.parts[i].Opens) && s.Block == paragraph {
		return &sp.parts[i]
	}
	return nil
}

// before is the sentence before one in its own passage, nil if there is none.
func (sp *speech) before(s *sentence) *sentence {
	if s.first != nil {
		return s.first
	}
	if s.Index > 0 && s.Block == paragraph && (sp.user || !s.Opens) && sp.parts[s.Index-1].Block == paragraph {
		return &sp.parts[s.Index-1]
	}
	return nil
}

// revived tells whether a person took something up again after a speech, or a
// report of work speaks of it: what was put off or dropped then no longer is.
func (t *talk) revived(after *speech, keys terms) bool {
	if len(keys) < 2 {
		return false
	}
	for _, sp := range t.speeches {
		if sp.exchange <= after.exchange || !sp.user && !(sp.closing && sp.work) {
			continue
		}
		for i := range sp.parts {
			s := &sp.parts[i]
			most := 0.6
			if sp.user {
				most = 0.5
			}
			if shared(keys, s.keys()) >= 2 && share(keys, s.keys()) >= most && !s.goes(puttingOff) && !s.goes(keepingFor) && !s.goes(dropping) && !s.goes(leaving) {
				return true
			}
		}
	}
	return false
}

// answer is the assistant's closing message to a person's word, nil if none.
func (t *talk) answer(sp *speech) *speech {
	for _, a := range t.exchange(sp.exchange) {
		if !a.user && a.closing {
			return a
		}
	}
	return nil
}

// proofFirst puts the quote first that has most of what the item says: it is
// shown as its proof.
func proofFirst(it *payload.Item) {
	words, best, top := keywords(it.Text), 0, -1
	for i, e := range it.Evidence {
		if n := shared(words, keywords(e.Quote)); n > top {
			best, top = i, n
		}
	}
	if best > 0 {
		it.Evidence[0], it.Evidence[best] = it.Evidence[best], it.Evidence[0]
	}
}

// states tells whether a sentence says outright what is of a kind, so that it is
// an item without these rules.
func (sp *speech) states(s *sentence, kind payload.Kind) bool {
	says := outright(&Candidate{sp: sp, part: s})
	return says != nil && says.kind == kind
}

// withoutDoubles keeps of items that say the same the one that says most.
func withoutDoubles(items []payload.Item, most int) []payload.Item {
	var out []payload.Item
	for _, it := range items {
		proofFirst(&it)
		if len(out) < most && !saidIn(out, it) {
			out = append(out, it)
		}
	}
	return out
}
