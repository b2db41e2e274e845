package mcp

import (
	"context"
	"strings"

	"recall/answer/brief"
	"recall/index/check"
	"recall/internal/text"
	"recall/payload"
	"recall/pipeline"
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
	warnings, err := check.Against(ctx, m.Index, a)
	if err != nil {
		return "", err
	}
	var items []payload.Item
	for _, w := range warnings {
		items = append(items, w.Item)
	}
	doubted, err := pipeline.Doubts(ctx, m.Library, m.Index, map[string]*payload.Payload{}, items)
	if err != nil {
		return "", err
	}
	sh := newSheet()
	if len(warnings) > 0 {
		sh.linef(asData)
	}
	for _, w := range warnings {
		what := "names what was given up or ruled out"
		if w.Item.Kind == payload.Lead {
			what = "was refused before (" + payload.Data(w.Name, 120) + ")"
		}
		text := "This " + what + ": " + short(&w.Item, w.Place, w.Turn) + overtaken(&w.Item, doubted[w.Item.ID])
		if q := w.Quote(); q != "" {
			text += "  " + quoted(q) + "\n"
		}
		if sh.add(text) {
			sh.of(w.Item.ID)
		}
	}
	if len(warnings) == 0 {
		said, err := brief.Find(ctx, m.Index, a.Project, strings.TrimSpace(a.Text+"\n"+a.Command),
			func(b *brief.Bearing) bool { return true })
		if err != nil {
			return "", err
		}
		if len(said) > 0 {
			sh.linef("No decision or refusal names it. Said before, and perhaps about it: read it first. " + asData)
		} else {
			sh.linef("Nothing that stands speaks against it, as far as recall can tell from names.")
		}
		for i := range said {
			if sh.add(said[i].Lines()) && said[i].Claims() {
				sh.of(said[i].Item.ID)
			}
		}
	} else {
		sh.linef("Ask the user before going on, naming session and turn; recall_query with ids tells more.")
	}
	return sh.text(""), nil
}
