package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"recall/answer"
	"recall/library"
	"recall/payload"
	"recall/pipeline"
	"recall/prompts"
)

const (
	markdown      = "text/markdown"
	payloadPrefix = "recall://payload/"
	threadURI     = payloadPrefix + "current"
)

func (s *Server) addResources() {
	s.mcp.AddResource(&mcp.Resource{URI: threadURI, Name: "payload of the current thread",
		Title: "Payload to continue from", MIMEType: markdown,
		Description: "Goal, decisions, dead ends, warnings and next action of the task last worked on in this folder."},
		s.read)
	s.mcp.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: payloadPrefix + "{session}",
		Name: "payload of a session", Title: "A session's payload", MIMEType: markdown,
		Description: "What one session decided, ruled out and left open. session is its id, its beginning, or its title."},
		s.read)
}

// read answers resources/read.
func (s *Server) read(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	uri := req.Params.URI
	name, ok := strings.CutPrefix(uri, payloadPrefix)
	if name, err := url.PathUnescape(name); err == nil && ok && name != "" {
		need := Read
		if uri == threadURI {
			need, name = Fresh, ""
		}
		text, err := withMemory(s, need, func(ctx context.Context, m *Memory, _ struct{}) (string, error) {
			p, err := s.payload(ctx, m, "", name)
			if err != nil {
				return "", err
			}
			return payload.HarmlessPage(payload.Render(p, payload.Options{Budget: s.o.Budget}).Text), nil
		})(ctx, nil, struct{}{})
		if errors.Is(err, library.ErrNoSession) || errors.Is(err, library.ErrNoPayload) {
			return nil, mcp.ResourceNotFoundError(uri)
		}
		if err != nil {
			return nil, s.failed(err)
		}
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: uri, MIMEType: markdown, Text: text}}}, nil
	}
	return nil, mcp.ResourceNotFoundError(uri)
}

// listSessions adds the latest sessions' payloads to the list of resources; without a library it adds nothing.
func (s *Server) listSessions(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		res, err := next(ctx, method, req)
		list, ok := res.(*mcp.ListResourcesResult)
		if err != nil || !ok || list.NextCursor != "" {
			return res, err
		}
		l, err := s.o.Library(ctx)
		if err != nil {
			return res, nil
		}
		defer l.Close()
		entries, err := l.Sessions()
		if err != nil {
			return res, nil
		}
		whole := *list
		whole.Resources = slices.Clone(list.Resources)
		for _, e := range slices.Backward(entries) {
			if e.Helper || e.Distilled == nil {
				continue
			}
			if len(whole.Resources) > mostListed {
				break
			}
			title := payload.Data(e.Title, 80)
			whole.Resources = append(whole.Resources, &mcp.Resource{URI: payloadPrefix + url.PathEscape(string(e.ID)),
				Name:  fmt.Sprintf("%s %s", answer.Day(e.Start), answer.ShortID(e.ID)),
				Title: title, MIMEType: markdown})
		}
		return &whole, nil
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
