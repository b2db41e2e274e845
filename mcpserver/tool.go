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

// addTools adds the tools.
func (s *Server) addTools() {
	addTool(s, tool{name: "recall_query", title: "Ask what was decided", atHand: true,
		about: `What earlier sessions decided and why, tried and ruled out, found, left open, with the words it rests on. Ask before you choose an approach, before you try what may have been tried, and when the user refers to earlier work.
Always send "also": without it the answer is among the first five half of the time, with it nine times in ten.
Answers are short lines with an [id]; ask again with "ids" for reasons, lost alternatives and quotes.`},
		map[string]bound{"kinds": oneOf(payload.Kinds...), "limit": {least: 1, most: mostLimit}},
		withMemory(s, Fresh, s.query))
	addTool(s, tool{name: "recall_check", title: "Check a plan against what was decided", atHand: true,
		about: `Reports whether a plan, an edit or a command goes against a standing decision or repeats what was ruled out. Call it before you carry out a plan, add a dependency, change an approach or rewrite what exists. It goes by names, so silence proves nothing. A warning is a reason to ask the user, not a veto.`},
		nil, withMemory(s, Ask, s.check))
	addTool(s, tool{name: "recall_resume", title: "Get the payload to go on from",
		about: `The payload of the task last worked on in the project: goal, standing decisions with reasons, what was ruled out, files in play, warnings, next action; about 1,000 tokens. Call it when the user wants to go on where they stopped and no payload is in the conversation yet.`},
		map[string]bound{"variant": oneOf(payload.Coding, payload.Debug, payload.Handoff)},
		withMemory(s, Fresh, s.resume))
	addTool(s, tool{name: "recall_session", title: "Read parts of a transcript",
		about: `Turns of an earlier session, tool calls in a line each, secrets left out: the conversation around a turn that recall_query or recall_check named. Without arguments the latest sessions with their ids.`},
		map[string]bound{"turn": from1, "from": from1, "to": from1}, withMemory(s, Read, s.session))
	addTool(s, tool{name: "recall_note", title: "Record a decision, a dead end, a warning, a next step", atHand: true,
		notes: true,
		about: `Records one thing as it happens, so that it survives a crash and a compaction: a decision the user made or agreed to, an approach ruled out, a warning, a next step, an open question. One note a thing.
The quote is looked up in the transcript and must say what the text says: then the note is the user's word. Else it stays your own claim and is shown as that. No secrets, nothing the code says anyway, no small choices.`},
		map[string]bound{"kind": oneOf(payload.NoteKinds...)}, s.note)
	var names []string
	for _, p := range stateParts {
		names = append(names, p.name)
	}
	addTool(s, tool{name: "recall_state", title: "Read a session's state back",
		about: `Where a session stood: decisions and dead ends, working set of files, programs and packages used, data and whether it can be made again, the chain of tool calls. Use it after a crash or a compaction, or to take over another session's work. Paths are as they were then.`},
		map[string]bound{"parts": oneOf(names...), "from": from1, "to": from1}, withMemory(s, Fresh, s.state))
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
