package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

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
