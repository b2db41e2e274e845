package mcp

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"recall/payload"
	"recall/pipeline"
	"recall/prompts"
)

func (s *Server) addPrompts() {
	add := func(p mcp.Prompt, say func(ctx context.Context, arguments map[string]string) (string, error)) {
		s.mcp.AddPrompt(&p, func(ctx context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			text, err := say(ctx, req.Params.Arguments)
			if err != nil {
				return nil, s.failed(err)
			}
			return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user",
				Content: &mcp.TextContent{Text: text}}}}, nil
		})
	}
	add(mcp.Prompt{Name: "resume", Title: "Continue where the last session stopped",
		Description: "The payload of the task last worked on, with the question that shows whether it was understood.",
		Arguments: []*mcp.PromptArgument{{Name: "project",
			Description: "the project's name; default: that of the current folder"}}},
		func(ctx context.Context, arguments map[string]string) (string, error) {
			resume := withMemory(s, Fresh, s.resume)
			return resume(ctx, nil, resumeIn{Project: arguments["project"]})
		})
	add(mcp.Prompt{Name: "wrap-up", Title: "Close this session",
		Description: "Has the agent draft this session's payload and record each item with its evidence."},
		func(context.Context, map[string]string) (string, error) { return prompts.WrapUp.Text(), nil })
	add(mcp.Prompt{Name: "handoff", Title: "Hand this work to somebody",
		Description: "Has the agent draft a payload for another person.",
		Arguments:   []*mcp.PromptArgument{{Name: "to", Description: "who takes over"}}},
		func(_ context.Context, arguments map[string]string) (string, error) {
			text := prompts.Handoff.Text()
			if to := payload.Data(arguments["to"], 80); to != "" {
				text = fmt.Sprintf("%s\n\nThe payload is for %s.", text, to)
			}
			return text, nil
		})
}

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
	r := payload.RenderData(p, payload.Options{Variant: payload.Variant(cmp.Or(in.Variant, string(payload.Coding))),
		Budget: s.o.Budget})
	text := r.Text + "\n" + prompts.Confirm.Text() + "\n"
	if m.Behind.Any() {
		text += fmt.Sprintf("It is %s.\n", m.Behind)
	}
	return text, nil
}

// payload returns the payload of a session, or if none is named, of the project's thread.
func (s *Server) payload(ctx context.Context, m *Memory, project, session string) (*payload.Payload, error) {
	if strings.TrimSpace(session) == "" {
		return s.o.Compose(ctx, m.Library, m.Index, strings.TrimSpace(project))
	}
	e, err := m.Library.Lookup(session)
	if err != nil {
		return nil, err
	}
	p, err := m.Library.Payload(e.ID)
	if err == nil {
		p.Doubted, err = pipeline.Doubts(ctx, m.Library, m.Index, map[string]*payload.Payload{}, p.Items)
	}
	return p, err
}
