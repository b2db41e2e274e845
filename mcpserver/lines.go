package mcpserver

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

// mostLine is how long a message may be, in bytes: what the SDK reads at most too.
const mostLine = 16 << 20

// lines stands before the SDK, for which the first line that is no message is the
// end of the session. One message a line (MCP, stdio transport): a line that is
// none gets the answer that JSON-RPC 2.0 wants, and the next one is read.
//
// An array of messages, as the protocol had them in 2025-03-26, is taken apart:
// each is answered by itself.
type lines struct {
	in   *bufio.Reader
	from io.Reader
	out  *inTurn
	rest []byte // of messages that are being handed on, each a line
}

func newLines(in io.Reader, out *inTurn) *lines {
	return &lines{in: bufio.NewReaderSize(in, 64<<10), from: in, out: out}
}

func (l *lines) Close() error { return closed(l.from) }

// closed closes a stream that can be.
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

// next reads a line, the last one without its end too; of one too long only the beginning, enough to see that.
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

// take hands on the messages of a line, and answers what is none.
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

// idOf is the id of a request that can't be taken, nil if none: an answer's is ours, and would be mistaken for the
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
		id, _ := json.Marshal(request.ID) // it can't fail
		return id
	}
	return nil
}

// refuse answers what is no message; the id is null where it can't be told.
func (l *lines) refuse(code int, id json.RawMessage, message string) error {
	text, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id,
		"error": map[string]any{"code": code, "message": message}})
	if id != nil {
		l.out.owe(1) // it counts as paid when it is written
	}
	if err == nil {
		_, err = l.out.Write(append(text, '\n'))
	}
	return err
}

// inTurn is a stream that two write whole messages to. It knows how many answers the client is owed.
type inTurn struct {
	mu   sync.Mutex // held while w is written to
	w    io.Writer
	owed atomic.Int64
	paid chan struct{} // one waits in it when nothing is owed any more
}

// lastAnswers is how long owed answers are waited for when the client sends no more: a script closes its end at once.
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

// settle waits until nothing is owed, but not for ever.
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
