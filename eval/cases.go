package eval

import (
	"recall/ingest"
	"recall/text"
)

// A Case is a session with what people would keep of it.
type Case struct {
	Gold    *Gold
	Session *ingest.Session

	turns   map[string]string // ids that evidence may cite, to the turn's own
	want    []side            // of each gold item
	reasons []bag             // of each gold item
	texts   []bag             // of each gold item, without its reason
	proofs  []string          // quote of each gold item, in plain spaces
}

// NewCase makes a session and its gold set ready to be compared with payloads.
func NewCase(s *ingest.Session, g *Gold) *Case {
	c := &Case{Gold: g, Session: s, turns: turnsOf(s)}
	for _, it := range g.Items {
		c.want = append(c.want, newSide(wanted(it, c.turns)))
		c.reasons = append(c.reasons, newBag(it.Why))
		c.texts = append(c.texts, newBag(it.Text))
		c.proofs = append(c.proofs, text.OneLine(it.Quote))
	}
	return c
}
