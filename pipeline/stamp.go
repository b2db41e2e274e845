package pipeline

import (
	"fmt"
	"strings"

	"recall/ingest"
	"recall/library"
	"recall/payload"
)

// made returns the provenance that a member's payload would have if it were up to date, given what is forgotten. What a
// model made of it stays, whatever the rest says.
func (p *Pipeline) made(m *Member, forgotten map[ingest.SessionID][]library.ForgottenItem) payload.Provenance {
	e := m.Entry
	made := payload.Provenance{Distiller: p.Distiller.Name(), Rules: p.Rules.Version(), Input: e.Input, Beside: m.beside,
		Without: len(forgotten[e.ID])}
	if e.Distilled != nil {
		made.Model = e.Distilled.Model
	}
	return made
}

// ownName returns a project's name as files hold it: as its root or a person names it, without the suffix that tells
// projects of the same name apart.
func ownName(p library.Project) string {
	if p.Named {
		return p.Name
	}
	return p.Base
}

// named returns the current names of projects, by id.
func (p *Pipeline) named(ids []string) (names []string) {
	for _, id := range ids {
		if of, err := p.Library.Project(id); err == nil {
			names = append(names, of.Name)
		}
	}
	return names
}

// indexStamp stamps an index entry. It includes the names of its projects, which change when another project of that
// name turns up.
func indexStamp(stamp, project string, also ...string) string {
	return strings.Join(append([]string{stamp, project}, also...), " ")
}

// madeStamp is the provenance as one string.
func madeStamp(m payload.Provenance) string {
	s := fmt.Sprintf("%s %s %s %s", m.Input, m.Distiller, m.Rules, m.Beside)
	if m.Without > 0 { // only then: the stamps of other sessions stay as they are
		s += fmt.Sprintf(" without %d", m.Without)
	}
	if a := m.Model; a.Name != "" { // likewise
		s += fmt.Sprintf(" %s %s %s", a.Name, a.Prompt, a.Input)
	}
	return s
}
