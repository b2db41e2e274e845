package mcp

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.yaml.in/yaml/v3"

	"recall/payload"
	"recall/prompts"
)

// pages holds what clients are told about the tools, by name.
var pages = sync.OnceValue(func() (all map[string]page) {
	if err := yaml.Unmarshal(tools, &all); err != nil {
		panic(err) // the file is our own
	}
	return all
})

//go:embed tools.yaml
var tools []byte

type page struct {
	Title, About string
	Input        map[string]any // the properties of its JSON Schema
	Required     []string
}

// addTools adds the tools.
func (s *Server) addTools() {
	addTool(s, "recall_query", withMemory(s, Fresh, s.query))
	addTool(s, "recall_check", withMemory(s, Ask, s.check))
	addTool(s, "recall_resume", withMemory(s, Fresh, s.resume))
	addTool(s, "recall_session", withMemory(s, Read, s.session))
	addTool(s, "recall_note", s.note)
	addTool(s, "recall_state", withMemory(s, Fresh, s.state))
}

// atHand are tools that always come with their description; of others a client may show a model only the name.
var atHand = []string{"recall_query", "recall_check", "recall_note"}

// work does a tool's work and returns the answer's text.
type work[In any] func(context.Context, *mcp.CallToolRequest, In) (string, error)

// addTool adds a tool whose answer is only text: if there were structured content too, Claude Code's model would be
// shown that instead, as escaped JSON, a third longer and hard to read.
func addTool[In any](s *Server, name string, do work[In]) {
	p := pages()[name]
	schema := map[string]any{"type": "object", "properties": p.Input, "additionalProperties": false}
	if p.Required != nil {
		schema["required"] = p.Required
	}
	no, reads := false, name != "recall_note"
	tool := &mcp.Tool{Name: name, Title: p.Title, Description: p.About, InputSchema: schema,
		Annotations: &mcp.ToolAnnotations{Title: p.Title, ReadOnlyHint: reads, IdempotentHint: reads,
			OpenWorldHint: &no, DestructiveHint: &no}}
	if slices.Contains(atHand, name) {
		tool.Meta = mcp.Meta{"anthropic/alwaysLoad": true}
	}
	mcp.AddTool(s.mcp, tool, func(ctx context.Context, req *mcp.CallToolRequest, in In) (*mcp.CallToolResult, any, error) {
		text, err := do(ctx, req, in)
		if err != nil {
			return nil, nil, s.failed(err)
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil, nil
	})
}

// withMemory opens the memory around a tool's work.
func withMemory[In any](s *Server, need Need, do func(context.Context, *Memory, In) (string, error)) work[In] {
	return func(ctx context.Context, _ *mcp.CallToolRequest, in In) (string, error) {
		m, err := s.o.Open(ctx, need)
		if err != nil {
			return "", err
		}
		defer m.Close()
		return do(ctx, m, in)
	}
}

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
	p, err := m.Compose(ctx, strings.TrimSpace(cmp.Or(in.Session, in.Project)))
	if err != nil {
		return "", err
	}
	r := payload.RenderData(p, payload.Options{Variant: payload.Variant(cmp.Or(in.Variant, string(payload.Coding))),
		Budget: m.Budget})
	text := r.Text + "\n" + prompts.Confirm.Text() + "\n"
	if m.Behind.Any() {
		text += fmt.Sprintf("It is %s.\n", m.Behind)
	}
	return text, nil
}
