package baseline

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"recall/ingest"
	"recall/internal/text"
)

// Messages is the search anybody would write first: BM25 over every message as its own document, the question's
// words joined by OR.
type Messages struct {
	all    []Message
	length []int
	total  int
	rows   map[string][]row // by stem
}

// Message is one turn of a session.
type Message struct {
	Session string
	Turn    ingest.TurnID
	Text    string
}

// row is how often a word occurs in a message.
type row struct{ message, n int }

// NewMessages indexes the messages of all speakers.
func NewMessages(sessions []*ingest.Session) *Messages {
	m := &Messages{rows: map[string][]row{}}
	for _, s := range sessions {
		for _, t := range s.Turns {
			if strings.TrimSpace(t.Text) != "" {
				m.add(Message{string(s.ID), t.ID, t.Text})
			}
		}
	}
	return m
}

func (m *Messages) add(msg Message) {
	at := len(m.all)
	n := 0
	for _, w := range word().FindAllString(strings.ToLower(msg.Text), -1) {
		n++
		stem := text.Stem(w)
		list := m.rows[stem]
		if len(list) == 0 || list[len(list)-1].message != at {
			list = append(list, row{at, 0})
		}
		list[len(list)-1].n++
		m.rows[stem] = list
	}
	m.all, m.length = append(m.all, msg), append(m.length, n)
	m.total += n
}

var word = text.Pattern(`[\pL\pN]+`)

// stop lists the words left out of a question: those of the prototype behind the first measurements.
var stop = strings.Fields(`a an and are as at be been but by can could did do does for from had has have he her hers
	him his how i if in into is it its me my of on or our ours she should so than that the their them then there these
	they this those to was we were what when where which who whom why will with would you your yours about also any both
	each just more most much no not only other over own same some such too under up very s t m re ve ll d`)

// BM25 as SQLite's FTS5 has it.
const (
	k1 = 1.2
	b  = 0.75
)

// Search ranks the messages that hold any word of a question, best first.
func (m *Messages) Search(question string) []Message {
	scores := map[int]float64{}
	n := float64(len(m.all))
	for _, w := range asked(question) {
		list := m.rows[w]
		df := float64(len(list))
		idf := max(math.Log((n-df+0.5)/(df+0.5)), 1e-6)
		for _, r := range list {
			f := float64(r.n)
			scores[r.message] += idf * f * (k1 + 1) / (f + k1*(1-b+b*float64(m.length[r.message])*n/float64(m.total)))
		}
	}
	var ranked []int
	for i := range scores {
		ranked = append(ranked, i)
	}
	slices.SortFunc(ranked, func(i, j int) int { return cmp.Or(cmp.Compare(scores[j], scores[i]), i-j) })
	out := make([]Message, len(ranked))
	for i, at := range ranked {
		out[i] = m.all[at]
	}
	return out
}

// asked returns the stems of a question's content words, without duplicates.
func asked(question string) []string {
	var out []string
	for _, w := range word().FindAllString(strings.ToLower(question), -1) {
		if stem := text.Stem(w); !slices.Contains(stop, w) && !slices.Contains(out, stem) {
			out = append(out, stem)
		}
	}
	return out
}
