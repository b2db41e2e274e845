package mcpserver

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"recall/payload"
	"recall/prompts"
)

type resumeIn struct {
	Project string `json:"project,omitempty"`
	Session string `json:"session,omitempty"`
	Variant string `json:"variant,omitempty"`
}

func (s *Server) resume(ctx context.Context, m *Memory, in resumeIn) (string, error) {
	p, err := s.payload(ctx, m, in.Project, in.Session)
	if err != nil {
		return "", err
	}
	r := payload.Render(p, payload.Options{Variant: payload.Variant(cmp.Or(in.Variant, string(payload.Coding))),
		Budget: s.o.Budget})
	text := payload.HarmlessPage(r.Text) + "\n" + prompts.Confirm.Text() + "\n"
	if m.Behind.Any() {
		text += fmt.Sprintf("It is %s.\n", m.Behind)
	}
	return text, nil
}

// payload is that of a session, else of the thread that is meant.
func (s *Server) payload(ctx context.Context, m *Memory, project, session string) (*payload.Payload, error) {
	if strings.TrimSpace(session) == "" {
		return s.o.Compose(ctx, m.Library, m.Index, strings.TrimSpace(project))
	}
	e, err := m.Library.Lookup(session)
	if err != nil {
		return nil, err
	}
	return m.Library.Payload(e.ID)
}
