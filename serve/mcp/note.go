package mcp

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"recall/ingest"
	"recall/internal/redact"
	"recall/library/inbox"
	"recall/payload"
	"recall/pipeline/notes"
)

type noteIn struct {
	Kind         string   `json:"kind"`
	Text         string   `json:"text"`
	Quote        string   `json:"quote,omitempty"`
	Why          string   `json:"why,omitempty"`
	Alternatives []string `json:"alternatives,omitempty"`
	Scope        string   `json:"scope,omitempty"`
	About        []string `json:"about,omitempty"`
	Session      string   `json:"session,omitempty"`
}

// note checks a note, redacts it and appends it to the inbox.
func (s *Server) note(ctx context.Context, req *mcp.CallToolRequest, in noteIn) (string, error) {
	n := payload.Note{Type: payload.NoteType, By: "agent", Kind: payload.Kind(in.Kind), Text: in.Text, Why: in.Why,
		Alternatives: in.Alternatives, Scope: in.Scope, About: in.About, Quote: in.Quote,
		Session: strings.TrimSpace(in.Session)}
	if id, ok := req.Params.GetMeta()["claudecode/toolUseId"].(string); ok && len(id) < 200 {
		n.Call = id
	}
	if err := n.Check(); err != nil {
		return "", wrong("recall: not noted: %v. Call again.", err)
	}
	l, err := s.o.Library(ctx)
	if err != nil {
		return "", err
	}
	defer l.Close()
	switch {
	case n.Session != "":
		if e, err := l.Lookup(n.Session); err == nil {
			n.Session = string(e.ID)
		}
	case s.o.Session != "":
		n.Session = string(s.o.Session)
	default:
		n.Session = s.running(ctx)
	}
	if n.Session == "" {
		return "", wrong("recall: not noted: this client doesn't say which session is running. Call again with session: " +
			"the id of the running session, or one that recall_session lists.")
	}
	if len(n.Session) > 200 || strings.ContainsFunc(n.Session, func(r rune) bool { return r < ' ' }) {
		return "", wrong("recall: not noted: session must be a session's id, at most 200 characters and no line breaks. " +
			"Call again.")
	}
	closed, err := l.Closed(ingest.SessionID(n.Session))
	if err != nil {
		return "", err
	}
	if closed || s.o.Excluded() {
		return "", wrong("recall: not noted: the user wants nothing of this session kept. Don't call again.")
	}
	for _, text := range []*string{&n.Text, &n.Why, &n.Scope, &n.Quote} {
		*text = redact.Text(*text)
	}
	for _, list := range [][]string{n.Alternatives, n.About} {
		for i := range list {
			list[i] = redact.Text(list[i])
		}
	}
	if err := inbox.Add(l, &n); err != nil {
		return "", err
	}
	s.o.Noted(n)
	return fmt.Sprintf("Noted as %s of session %s; it is on the disk. %s", n.Kind, payload.ShortID(n.Session),
		s.verdict(ctx, n)), nil
}

// verdict says what the conversation, as far as it is on the disk, makes of a note.
func (s *Server) verdict(ctx context.Context, n payload.Note) string {
	const again = " Call again with the user's words, verbatim, that settle it."
	if strings.TrimSpace(n.Quote) == "" {
		return "It has no quote, so it stays a note of yours." + again
	}
	m, err := s.o.Open(ctx, Fresh)
	if err != nil {
		return "The next sync checks its quote."
	}
	defer m.Close()
	said, err := m.Read(ctx, ingest.SessionID(n.Session))
	if err != nil {
		return "The next sync checks its quote."
	}
	switch of := notes.GroundNotes(said, []payload.Note{n})[0]; {
	case of.Item == nil:
		return "As it stands it is no item: " + of.Why + "." + again
	case of.Item.Said():
		return "It is kept as your words, not as an item: " + of.Why + "." + again
	}
	return "Its quote bears it out."
}

// lately is how recently a session must have been written to be taken for the running one.
const lately = 15 * time.Minute

// running returns the running session according to its transcript, as Cowork doesn't say; "" if none or several were
// written to recently.
func (s *Server) running(ctx context.Context) string {
	m, err := s.o.Open(ctx, Fresh)
	if err != nil {
		return ""
	}
	defer m.Close()
	entries, err := m.Library.Sessions()
	if err != nil {
		return ""
	}
	found := ""
	for _, e := range entries {
		if e.Helper || time.Since(e.Written()) > lately {
			continue
		}
		if found != "" {
			return ""
		}
		found = string(e.ID)
	}
	return found
}
