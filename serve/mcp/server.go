// Package mcp gives an agent recall's memory over the Model Context Protocol: tools to ask what was decided,
// to check a plan against it, to get a thread's payload, to read parts of a transcript, to read back a session's
// state and to note something while working; and prompts.
//
// Everything it returns is redacted. Text about items is wrapped in recall's markers, and transcripts are quoted as
// data: nothing in them is an instruction.
package mcp

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"recall/answer"
	"recall/index"
	"recall/ingest"
	"recall/internal/hint"
	"recall/internal/redact"
	"recall/library"
	"recall/payload"
	"recall/pipeline"
)

// A Memory is the library for the duration of one call.
type Memory struct {
	*pipeline.Pipeline // its index has the configured vectors and lexicon, and is nil if the call only reads
	// SecondLook returns the user's model for one question if the user has it look at answers; else nil. why says if it
	// can't be asked.
	SecondLook func() (model *answer.SecondLook, why string)
	// Shared returns a session that somebody else shares with the team; the error is library.ErrNoSession.
	Shared func(ctx context.Context, id string) (*answer.Shared, error)
	// Compose makes the payload of a named session or project's thread, else of the working directory's; if that has
	// none, the error is a *pipeline.NotHereError.
	Compose func(ctx context.Context, name string) (*payload.Payload, error)
	// Here names the working directory's project; if there is none, the error is a *pipeline.NotHereError.
	Here func() (string, error)
	// Running returns the session that is running, if the client says which, else the latest of the project here.
	Running func() (library.Entry, error)

	Words  Words
	Search answer.Index // what is searched: the index, and what a team shares
	Behind answer.Behind
	Close  func() // ends the call's use of the memory
}

// Words lays out documents in the program's forms, so that an agent reads what a person does.
type Words interface {
	Form(name string, doc any) string
}

// Need is how much of the memory a call needs.
type Need int

const (
	Read  Need = iota // the library as it is
	Ask               // the index too
	Fresh             // and sync first, for as long as a question may wait
)

// Options is what a server needs from the program around it. Open is called from several goroutines.
type Options struct {
	Version string
	Session ingest.SessionID // the client's session, "" if it doesn't say

	// Open opens the memory for one call.
	Open func(ctx context.Context, need Need) (*Memory, error)
	// Library opens the library alone, for an append that must not wait.
	Library func(ctx context.Context) (*library.Library, error)
	// Excluded reports whether nothing of what runs here now is to be kept.
	Excluded func() bool
	// Noted adds a note to the log of the project that the server runs in, if one is kept.
	Noted func(n payload.Note)
	Log   *slog.Logger
}

// Server is recall as an MCP server.
type Server struct {
	o   Options
	mcp *mcp.Server
}

// New makes a server. It opens nothing yet.
func New(o Options) *Server {
	s := &Server{o: o}
	s.mcp = mcp.NewServer(&mcp.Implementation{Name: "recall", Title: "recall: memory of coding sessions",
		Version: o.Version},
		&mcp.ServerOptions{Instructions: pages()["instructions"].About, Logger: slog.New(slog.DiscardHandler),
			Capabilities: &mcp.ServerCapabilities{}})
	s.mcp.AddReceivingMiddleware(s.guard)
	s.addTools()
	s.addPrompts()
	return s
}

// Run serves one client until it disconnects, which is no error, or ctx ends; then it closes in and out if they are
// closers.
func (s *Server) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	turns := &inTurn{w: out, owed: map[any]bool{}}
	read := &lines{in: bufio.NewReaderSize(in, 64<<10), from: in, out: turns} // which limits the length
	err := s.mcp.Run(ctx, &mcp.IOTransport{Reader: read, Writer: turns, MaxLineLength: -1})
	if errors.Is(err, io.EOF) || errors.Is(err, mcp.ErrConnectionClosed) {
		return nil
	}
	return err
}

// mostFault is the maximum length of what a call that failed is told, in characters.
const mostFault = 2000

// guard turns a handler's panic into an error of that call, and what an error tells into data.
func (s *Server) guard(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (res mcp.Result, err error) {
		defer func() {
			if p := recover(); p != nil {
				s.o.Log.Error("panic", "method", method, "panic", p, "stack", string(debug.Stack()))
				res, err = nil, fmt.Errorf("%s: a fault inside recall; go on without it, and tell the user that recall's log on "+
					"stderr has the details", method)
			}
		}()
		res, err = next(ctx, method, req)
		if told, ok := res.(*mcp.CallToolResult); ok && told.IsError {
			for _, c := range told.Content { // the SDK's own quote an argument whole, and as it is
				if c, ok := c.(*mcp.TextContent); ok {
					c.Text = payload.Data(redact.Text(c.Text), mostFault)
				}
			}
		}
		if wire := (*jsonrpc.Error)(nil); errors.As(err, &wire) && !json.Valid(wire.Data) {
			// The SDK quotes a URI in it as Go does; sending that would end the session.
			err = &jsonrpc.Error{Code: wire.Code, Message: wire.Message}
		}
		return res, err
	}
}

// goOn ends the explanation of a fault that the agent can't fix.
const goOn = "Go on with the task without recall, and tell the user once."

// failed words an error for the calling model: what is wrong and what to do next.
func (s *Server) failed(err error) error {
	if bad, ok := errors.AsType[*argumentError](err); ok {
		return bad
	}
	var many *library.AmbiguousError
	var not *pipeline.NotHereError
	switch {
	case errors.Is(err, context.Canceled):
		return err
	case errors.As(err, &many):
		var list []string
		for _, c := range many.Candidates[:min(len(many.Candidates), 5)] {
			list = append(list, fmt.Sprintf("%s %q", c.ID, payload.Data(c.Title, 40)))
		}
		return fmt.Errorf("recall: %w. Call again with one of these ids: %s", err, strings.Join(list, ", "))
	case errors.As(err, &not):
		return wrong("recall: %s. Send the project that you mean; "+
			"recall_session without arguments lists the latest sessions with theirs.", payload.Data(not.Error(), 200))
	}
	for _, f := range faults {
		if errors.Is(err, f.err) {
			return fmt.Errorf("recall: %w. %s", err, f.next)
		}
	}
	return fmt.Errorf("recall: %w. %s", err, cmp.Or(hint.Of(err), goOn))
}

// faults are errors with what to do next.
var faults = []struct {
	err  error
	next string
}{
	{context.DeadlineExceeded, "Ask again with fewer words or a project."},
	{library.ErrNoLibrary, "There is no memory yet: the user makes one with `recall init` in a terminal. " + goOn},
	{library.ErrBusy, "Another recall is writing just now. Call again in a few seconds."},
	{library.ErrNoSession, "Call recall_session without arguments to list the latest sessions with their ids."},
	{library.ErrNoProject, "Leave project out to search all of them; recall_session without arguments names projects."},
	{index.ErrNoItem, "Ids of items are the ten characters in [brackets] of recall_query's answer."},
	{library.ErrNoPayload, "That session isn't distilled yet; recall_session reads its transcript."},
	{fs.ErrPermission, "recall isn't allowed to read or write that file. " + goOn},
}

// wrong returns an error about an argument, saying what is expected.
func wrong(format string, args ...any) error { return &argumentError{fmt.Sprintf(format, args...)} }

type argumentError struct{ text string }

func (e *argumentError) Error() string { return e.text }

// mostLine is the maximum size of a message, in bytes, as in the SDK.
const mostLine = 16 << 20

// lines filters input for the SDK, which ends the session at the first line that isn't a message. Each line is one
// message (MCP, stdio transport): others get the error response that JSON-RPC 2.0 requires, and reading continues.
type lines struct {
	in   *bufio.Reader
	from io.Reader
	out  *inTurn
	rest []byte // of a message, not passed on yet
}

func (l *lines) Close() error { return closed(l.from) }

// closed closes a stream if it is a closer.
func closed(stream any) error {
	if c, ok := stream.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

func (l *lines) Read(p []byte) (int, error) {
	for len(l.rest) == 0 {
		line, err := l.next()
		if len(line) == 0 && err != nil {
			l.out.settle()
			return 0, err
		}
		if line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\ufeff"))); len(line) == 0 {
			continue
		}
		if err := l.take(line); err != nil {
			return 0, err
		}
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// next reads a line, even if the last one has no end; of one that is too long it returns only the beginning, long
// enough to show that.
func (l *lines) next() (line []byte, err error) {
	for {
		part, err := l.in.ReadSlice('\n')
		if len(line) <= mostLine {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// take passes on a line that is a message, and answers one that isn't.
func (l *lines) take(line []byte) error {
	switch {
	case len(line) > mostLine:
		return l.refuse(jsonrpc.CodeParseError, "a line of more than 16 MB isn't read")
	case !json.Valid(line):
		return l.refuse(jsonrpc.CodeParseError, "this line isn't JSON; each message is one line")
	}
	message, err := jsonrpc.DecodeMessage(line)
	if err != nil || line[0] != '{' {
		return l.refuse(jsonrpc.CodeInvalidRequest, "not a message of JSON-RPC 2.0")
	}
	if call, ok := message.(*jsonrpc.Request); ok && call.IsCall() {
		l.out.owe(call.ID)
	}
	l.rest = append(line, '\n')
	return nil
}

// refuse answers what isn't a message. Whose id it would have isn't known.
func (l *lines) refuse(code int, message string) error {
	text, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": nil,
		"error": map[string]any{"code": code, "message": message}})
	if err == nil {
		_, err = l.out.Write(append(text, '\n'))
	}
	return err
}

// inTurn is a stream to which two writers write whole messages. It knows the requests that the client has no response
// to.
type inTurn struct {
	w io.Writer

	mu   sync.Mutex // held while w is written to
	owed map[any]bool
}

// lastAnswers is how long to wait for owed responses at the end of input: a script closes its end at once.
const lastAnswers = 30 * time.Second

func (t *inTurn) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n, err := t.w.Write(p)
	if message, bad := jsonrpc.DecodeMessage(p); bad == nil {
		if res, ok := message.(*jsonrpc.Response); ok {
			delete(t.owed, res.ID.Raw())
		}
	}
	return n, err
}

// owe records a request. Of two with one id the SDK may answer one.
func (t *inTurn) owe(id jsonrpc.ID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.owed[id.Raw()] = true
}

// settle waits until nothing is owed, for at most lastAnswers.
func (t *inTurn) settle() {
	for late := time.Now().Add(lastAnswers); time.Now().Before(late); time.Sleep(5 * time.Millisecond) {
		t.mu.Lock()
		left := len(t.owed)
		t.mu.Unlock()
		if left == 0 {
			return
		}
	}
}

func (t *inTurn) Close() error { return closed(t.w) }
