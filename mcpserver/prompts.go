package mcpserver

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"recall/payload"
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
	add(mcp.Prompt{Name: "resume", Title: "Go on where the last session stopped",
		Description: "The payload of the task last worked on, with the question that shows whether it was understood.",
		Arguments: []*mcp.PromptArgument{{Name: "project",
			Description: "the project's name; left out, that of the current folder"}}},
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
