package eval

import (
	"slices"
	"strings"

	"recall/ingest"
	"recall/internal/text"
)

// Case is a session with its gold set.
type Case struct {
	Gold    *Gold
	Session *ingest.Session

	turns   map[string]string // ids that evidence may cite, to the turn's own
	reasons []bag             // of each gold item
	texts   []bag             // of each gold item, without its reason
	proofs  []string          // quote of each gold item, in plain spaces
}

// NewCase prepares a session and its gold set for comparison with payloads.
func NewCase(s *ingest.Session, g *Gold) *Case {
	c := &Case{Gold: g, Session: s, turns: turnsOf(s)}
	for _, it := range g.Items {
		c.reasons = append(c.reasons, newBag(it.Why))
		c.texts = append(c.texts, newBag(it.Text))
		c.proofs = append(c.proofs, text.OneLine(it.Quote))
	}
	return c
}

func (c *Case) name(gold int) string { return c.Gold.Session + "#" + c.Gold.Items[gold].ID }

// quotedItems names the gold items whose quote occurs in a text of the session. A nil Case names none.
func (c *Case) quotedItems(said string) (names []string) {
	if c == nil {
		return nil
	}
	said = text.OneLine(said)
	for i, proof := range c.proofs {
		if proof != "" && strings.Contains(said, proof) {
			names = append(names, c.name(i))
		}
	}
	return names
}

// exchangeID identifies an exchange by its ordinal in its session, from 1.
type exchangeID struct {
	session string
	n       int
}

// answering returns the exchanges that hold evidence for an item that a question expects.
func (c *Corpus) answering(q Question) map[exchangeID]bool {
	out := map[exchangeID]bool{}
	for _, k := range c.Cases {
		for j, it := range k.Gold.Items {
			if !slices.Contains(q.Expect, k.name(j)) {
				continue
			}
			for _, id := range it.Turns {
				for _, e := range k.Session.Exchanges() {
					if slices.ContainsFunc(e.Turns, func(t *ingest.Turn) bool { return string(t.ID) == canonical(id, k.turns) }) {
						out[exchangeID{k.Gold.Session, e.N}] = true
					}
				}
			}
		}
	}
	return out
}

// caseOf returns the case of a session, nil without a gold set.
func (c *Corpus) caseOf(session string) *Case {
	for _, k := range c.Cases {
		if k.Gold.Session == session {
			return k
		}
	}
	return nil
}
