package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// mostLine is the maximum size of a message, in bytes, as in the SDK.
const mostLine = 16 << 20

// lines filters input for the SDK, which ends the session at the first line that isn't a message.
// Each line is one message (MCP, stdio transport): others get the error response that JSON-RPC 2.0
// requires, and reading continues.
//
// An array of messages, as in the protocol of 2025-03-26, is split: each is answered separately.
type lines struct {
	in   *bufio.Reader
	from io.Reader
	out  *inTurn
	rest []byte // messages not passed on yet, one per line
}

func newLines(in io.Reader, out *inTurn) *lines {
	return &lines{in: bufio.NewReaderSize(in, 64<<10), from: in, out: out}
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

// take passes on the messages of a line and answers what isn't a message.
func (l *lines) take(line []byte) error {
	l.rest = nil
	switch {
	case len(line) > mostLine:
		return l.refuse(jsonrpc.CodeParseError, nil, "a line of more than 16 MB isn't read")
	case !json.Valid(line):
		return l.refuse(jsonrpc.CodeParseError, nil, "this line isn't JSON; each message is one line")
	}
	batch := []json.RawMessage{line}
	if line[0] == '[' {
		if err := json.Unmarshal(line, &batch); err != nil || len(batch) == 0 {
			return l.refuse(jsonrpc.CodeInvalidRequest, nil, "an array without a message in it")
		}
	}
	for _, one := range batch {
		message, err := jsonrpc.DecodeMessage(one)
		if err == nil && one[0] != '[' {
			if call, ok := message.(*jsonrpc.Request); ok && call.IsCall() {
				l.out.owe(1)
			}
			l.rest = append(append(l.rest, one...), '\n')
			continue
		}
		if err := l.refuse(jsonrpc.CodeInvalidRequest, idOf(one), "not a message of JSON-RPC 2.0"); err != nil {
			return err
		}
	}
	return nil
}

// idOf returns the id of an invalid request, nil if unknown. A response's id is ours and could be mistaken for the
// client's.
func idOf(line []byte) json.RawMessage {
	var request struct {
		ID     any             `json:"id"`
		Method json.RawMessage `json:"method"`
	}
	if json.Unmarshal(line, &request) != nil || request.Method == nil {
		return nil
	}
	switch request.ID.(type) {
	case string, float64:
		id, _ := json.Marshal(request.ID) // can't fail
		return id
	}
	return nil
}

// refuse answers what isn't a message; the id is null if unknown.
func (l *lines) refuse(code int, id json.RawMessage, message string) error {
	text, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id,
		"error": map[string]any{"code": code, "message": message}})
	if id != nil {
		l.out.owe(1) // Write counts it as paid
	}
	if err == nil {
		_, err = l.out.Write(append(text, '\n'))
	}
	return err
}

// inTurn is a stream to which two writers write whole messages. It counts the responses owed to the client.
type inTurn struct {
	mu   sync.Mutex // held while w is written to
	w    io.Writer
	owed atomic.Int64
	paid chan struct{} // signals that nothing is owed any more
}

// lastAnswers is how long to wait for owed responses at the end of input: a script closes its end at once.
const lastAnswers = 30 * time.Second

func newInTurn(w io.Writer) *inTurn { return &inTurn{w: w, paid: make(chan struct{}, 1)} }

func (t *inTurn) Write(p []byte) (int, error) {
	t.mu.Lock()
	n, err := t.w.Write(p)
	t.mu.Unlock()
	if message, bad := jsonrpc.DecodeMessage(p); bad == nil {
		if _, ok := message.(*jsonrpc.Response); ok {
			t.owe(-1)
		}
	}
	return n, err
}

func (t *inTurn) owe(n int64) {
	if t.owed.Add(n) == 0 {
		select {
		case t.paid <- struct{}{}:
		default:
		}
	}
}

// settle waits until nothing is owed, for at most lastAnswers.
func (t *inTurn) settle() {
	for late := time.After(lastAnswers); t.owed.Load() > 0; {
		select {
		case <-t.paid:
		case <-late:
			return
		}
	}
}

func (t *inTurn) Close() error { return closed(t.w) }
