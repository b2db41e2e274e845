package pipeline

import (
	"fmt"

	"recall/library"
	"recall/payload"
)

// made is what the payload of a session is made from, if it is up to date. What
// a model made of it stays, whatever the rest says.
func (p *Pipeline) made(e library.Entry, beside string) payload.Provenance {
	made := payload.Provenance{Distiller: p.Distiller.Name(), Rules: p.Rules.Version(), Input: e.Input, Beside: beside}
	gone, _ := p.Library.ForgottenItems() // what can't be told, merge refuses
	made.Without = len(gone[e.ID])
	if e.Distilled != nil {
		made.Model = e.Distilled.Model
	}
	return made
}

// ownName is a project's name as files hold it: what its root or a person calls
// it, without the suffix that other projects of that name bring about.
func ownName(p library.Project) string {
	if p.Named {
		return p.Name
	}
	return p.Base
}

// projectNames gives the projects' names as of now, by every id that they go by.
func (p *Pipeline) projectNames() (map[string]string, error) {
	projects, err := p.Library.Projects()
	if err != nil {
		return nil, err
	}
	names := map[string]string{}
	for _, p := range projects {
		names[p.ID] = p.Name
		for _, merged := range p.Ids {
			names[merged] = p.Name
		}
	}
	return names, nil
}

// indexStamp is the stamp of what the index holds: the project's name belongs
// to it, which changes when another project of that name turns up.
func indexStamp(stamp, project string) string { return stamp + " " + project }

// madeStamp says the same in one word.
func madeStamp(m payload.Provenance) string {
	s := fmt.Sprintf("%s %s %s %s", m.Input, m.Distiller, m.Rules, m.Beside)
	if m.Without > 0 { // the index of other sessions stays as it is
		s += fmt.Sprintf(" without %d", m.Without)
	}
	if a := m.Model; a.Name != "" { // the index of a session that no model saw stays as it is
		s += fmt.Sprintf(" %s %s %s", a.Name, a.Prompt, a.Input)
	}
	return s
}
