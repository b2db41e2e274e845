package mcpserver

import (
	"context"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A bound is what an argument may be, beyond its Go type.
type bound struct {
	least, most float64 // of a number; most 0 is none
	words       []any   // the only ones
}

// from1 is a number that counts from 1.
var from1 = bound{least: 1}

func oneOf[T ~string](words ...T) bound {
	var b bound
	for _, w := range words {
		b.words = append(b.words, string(w))
	}
	return b
}

// work does a tool's work, and answers in words.
type work[In any] func(context.Context, *mcp.CallToolRequest, In) (string, error)

// A tool is what a client is told of one.
type tool struct {
	name, title, about string
	atHand             bool // with its description: else a client may show a model the name alone
	notes              bool // it writes; the others only read
}

// addTool adds a tool. Its answer is text and nothing else: where there is
// structured content too, Claude Code shows its model that, as escaped JSON, a
// third longer and hard to read.
func addTool[In any](s *Server, t tool, bounds map[string]bound, do work[In]) {
	schema, err := jsonschema.For[In](nil)
	if err != nil {
		panic(fmt.Sprintf("%s: %v", t.name, err))
	}
	for name, b := range bounds {
		p := schema.Properties[name]
		if len(p.Types) > 0 { // a list, which Go may leave nil: no client sends null
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
	no := false
	told := &mcp.Tool{Name: t.name, Title: t.title, Description: t.about, InputSchema: schema,
		Annotations: &mcp.ToolAnnotations{Title: t.title, ReadOnlyHint: !t.notes, IdempotentHint: !t.notes,
			OpenWorldHint: &no, DestructiveHint: &no}}
	if t.atHand {
		told.Meta = mcp.Meta{"anthropic/alwaysLoad": true}
	}
	mcp.AddTool(s.mcp, told, func(ctx context.Context, req *mcp.CallToolRequest, in In) (*mcp.CallToolResult, any, error) {
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
