package mcp

import (
	"context"
	"strings"

	"recall/answer/brief"
	"recall/index/check"
	"recall/internal/text"
	"recall/payload"
)

// mostChecked is how many bytes of a plan or an edit are read.
const mostChecked = 64 << 10

type checkIn struct {
	Plan    string `json:"plan,omitempty"`
	Command string `json:"command,omitempty"`
	Path    string `json:"path,omitempty"`
	OldText string `json:"old_text,omitempty"`
	NewText string `json:"new_text,omitempty"`
	Project string `json:"project,omitempty"`
}

func (s *Server) check(ctx context.Context, m *Memory, in checkIn) (string, error) {
	a := check.Action{Text: text.Head(in.Plan, mostChecked), Command: text.Head(in.Command, mostChecked),
		Old: text.Head(in.OldText, mostChecked),
		New: text.Head(in.NewText, mostChecked)}
	if in.Path != "" {
		a.Paths = []string{text.Clip(in.Path, 500)}
	}
	if strings.TrimSpace(a.Text+a.Command+a.New) == "" {
		return "", wrong("recall: nothing to check. Send plan (words), command, or path with new_text.")
	}
	name, err := in.Project, error(nil)
	if strings.TrimSpace(name) == "" {
		if name, err = m.Here(); err != nil {
			return "", err
		}
	}
	if a.Project, err = projectName(m, name); err != nil {
		return "", err
	}
	all, err := brief.Find(ctx, m.Index, a, func(*brief.Bearing) bool { return true })
	if err != nil {
		return "", err
	}
	if err := brief.Doubt(ctx, m.Library, m.Index, all); err != nil {
		return "", err
	}
	sh := newSheet()
	switch {
	case len(all) == 0:
		sh.linef("Nothing that stands speaks against it, as far as recall can tell from names.")
	case all[0].Names == "":
		sh.linef("No decision or refusal names it. Said before, and perhaps about it: read it first. " + asData)
	default:
		sh.linef("Ask the user before going on, naming session and turn; recall_query with ids tells more. " + asData)
	}
	for _, b := range all {
		switch {
		case b.Names != "" && b.Claims():
			sh.linef("This names what was given up or ruled out:")
		case b.Names != "":
			sh.linef("This was refused before (%s):", payload.Data(b.Names, 120))
		}
		if sh.add(b.Lines()) && b.Claims() {
			sh.of(b.Item.ID)
		}
	}
	return sh.text(""), nil
}
