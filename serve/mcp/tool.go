package mcp

import (
	"context"
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.yaml.in/yaml/v3"

	"recall/payload"
)

// A bound restricts an argument beyond its Go type.
type bound struct {
	least, most float64 // of a number; most 0 means unlimited
	words       []any   // the only words allowed
}

// from1 bounds numbers that count from 1.
var from1 = bound{least: 1}

func oneOf[T ~string](words ...T) bound {
	var b bound
	for _, w := range words {
		b.words = append(b.words, string(w))
	}
	return b
}

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
	Takes        string            // in one line
	Arguments    map[string]string // descriptions of those whose names don't suffice
}

// Tools lists the names of the tools, sorted.
func Tools() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(pages())), func(name string) bool { return name == "instructions" })
}

// addTools adds the tools.
func (s *Server) addTools() {
	addTool(s, "recall_query", map[string]bound{"kinds": oneOf(payload.Kinds...), "limit": {least: 1, most: mostLimit}},
		withMemory(s, Fresh, s.query))
	addTool(s, "recall_check", nil, withMemory(s, Ask, s.check))
	addTool(s, "recall_resume", map[string]bound{"variant": oneOf(payload.Coding, payload.Debug, payload.Handoff)},
		withMemory(s, Fresh, s.resume))
	addTool(s, "recall_session", map[string]bound{"turn": from1, "from": from1, "to": from1},
		withMemory(s, Read, s.session))
	addTool(s, "recall_note", map[string]bound{"kind": oneOf(payload.NoteKinds...)}, s.note)
	var names []string
	for _, p := range stateParts {
		names = append(names, p.name)
	}
	addTool(s, "recall_state", map[string]bound{"parts": oneOf(names...), "from": from1, "to": from1},
		withMemory(s, Fresh, s.state))
}

// atHand are tools that always come with their description; of others a client may show a model only the name.
var atHand = []string{"recall_query", "recall_check", "recall_note"}

// work does a tool's work and returns the answer's text.
type work[In any] func(context.Context, *mcp.CallToolRequest, In) (string, error)

// addTool adds a tool whose answer is only text: if there were structured content too, Claude Code's model would be
// shown that instead, as escaped JSON, a third longer and hard to read.
func addTool[In any](s *Server, name string, bounds map[string]bound, do work[In]) {
	schema, err := jsonschema.For[In](nil)
	if err != nil {
		panic(fmt.Sprintf("%s: %v", name, err))
	}
	p := pages()[name]
	for argument, about := range p.Arguments {
		schema.Properties[argument].Description = about
	}
	for argument, b := range bounds {
		p := schema.Properties[argument]
		if len(p.Types) > 0 { // a list, nullable as a Go type; but no client sends null
			p.Types, p.Type = nil, "array"
		}
		if b.most > 0 {
			p.Maximum = &b.most
		}
		switch {
		case b.words == nil:
			p.Minimum = &b.least
		case p.Items != nil:
			p.Items.Enum = b.words
		default:
			p.Enum = b.words
		}
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
