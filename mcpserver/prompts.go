package mcpserver

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"recall/payload"
	"recall/prompts"
)

func (s *Server) addPrompts() {
	s.mcp.AddPrompt(&mcp.Prompt{Name: "resume", Title: "Go on where the last session stopped",
		Description: "The payload of the task last worked on, with the question that shows whether it was understood.",
		Arguments: []*mcp.PromptArgument{{Name: "project",
			Description: "the project's name; left out, that of the current folder"}}}, s.resumePrompt)
	s.mcp.AddPrompt(&mcp.Prompt{Name: "wrap-up", Title: "Close this session",
		Description: "Has the agent draft this session's payload and record each item with its evidence."},
		fixed(prompts.WrapUp()))
	s.mcp.AddPrompt(&mcp.Prompt{Name: "handoff", Title: "Hand this work to somebody",
		Description: "Has the agent draft a payload for another person.",
		Arguments:   []*mcp.PromptArgument{{Name: "to", Description: "who takes over"}}}, s.handoffPrompt)
}

func said(text string) *mcp.GetPromptResult {
	return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: text}}}}
}

func fixed(text string) mcp.PromptHandler {
	return func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) { return said(text), nil }
}

func (s *Server) resumePrompt(ctx context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	m, err := s.o.Open(ctx, Fresh)
	if err != nil {
		return nil, s.failed(err)
	}
	defer m.Close()
	text, err := s.resume(ctx, m, resumeIn{Project: req.Params.Arguments["project"]})
	if err != nil {
		return nil, s.failed(err)
	}
	return said(text), nil
}

func (s *Server) handoffPrompt(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	text := prompts.Handoff()
	if to := payload.Data(req.Params.Arguments["to"], 80); to != "" {
		text = fmt.Sprintf("%s\n\nThe payload is for %s.", text, to)
	}
	return said(text), nil
}
