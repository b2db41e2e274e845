package mcpserver

import (
	"context"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"recall/payload"
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

// addTool adds a tool. Its answer is text and nothing else: where there is
// structured content too, Claude Code shows its model that, as escaped JSON, a
// third longer and hard to read.
//
// Tools that are to be at hand are marked so for the client, which else shows a
// model their names alone.
func addTool[In any](s *Server, t *mcp.Tool, atHand bool, bounds map[string]bound, do work[In]) {
	schema, err := jsonschema.For[In](nil)
	if err != nil {
		panic(fmt.Sprintf("%s: %v", t.Name, err))
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
	t.InputSchema = schema
	if atHand {
		t.Meta = mcp.Meta{"anthropic/alwaysLoad": true}
	}
	mcp.AddTool(s.mcp, t, func(ctx context.Context, req *mcp.CallToolRequest, in In) (*mcp.CallToolResult, any, error) {
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

// readOnly are the annotations of a tool that changes nothing.
func readOnly(title string) *mcp.ToolAnnotations {
	no := false
	return &mcp.ToolAnnotations{
		Title: title, ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: &no, DestructiveHint: &no,
	}
}

// kinds are those that an item may be of.
func kinds() bound { return oneOf(payload.Kinds...) }
