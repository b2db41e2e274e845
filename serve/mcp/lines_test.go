package mcp

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
)

// raw is recall mcp with its own streams, no client's.
type raw struct {
	t       *testing.T
	in      io.WriteCloser
	answers chan string
	end     chan error
}

func (w *world) raw() *raw {
	w.t.Helper()
	cmd := w.command("mcp")
	in, err := cmd.StdinPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	r := &raw{w.t, in, make(chan string, 100), make(chan error, 1)}
	go func() {
		for s := bufio.NewReader(out); ; {
			line, err := s.ReadString('\n')
			if line != "" {
				r.answers <- line
			}
			if err != nil {
				break
			}
		}
		r.end <- cmd.Wait()
		close(r.answers)
	}()
	w.t.Cleanup(func() { in.Close(); cmd.Process.Kill() })
	return r
}

func (r *raw) send(text string) {
	r.t.Helper()
	if _, err := io.WriteString(r.in, text); err != nil {
		r.t.Fatalf("sending %.60q: %v", text, err)
	}
}

// answer is the next answer as "id code": "null -32700", "7 ok".
func (r *raw) answer() string {
	r.t.Helper()
	select {
	case line, ok := <-r.answers:
		if !ok {
			r.t.Fatal("the server ended")
		}
		var doc struct {
			Version string          `json:"jsonrpc"`
			ID      json.RawMessage `json:"id"`
			Error   *struct {
				Code    int
				Message string
			}
		}
		if err := json.Unmarshal([]byte(line), &doc); err != nil || doc.Version != "2.0" {
			r.t.Fatalf("got %.200q, want a message of JSON-RPC 2.0", line)
		}
		if doc.Error == nil {
			return string(doc.ID) + " ok"
		}
		if doc.Error.Message == "" {
			r.t.Errorf("got %q, want it to say what is wrong", line)
		}
		return fmt.Sprintf("%s %d", doc.ID, doc.Error.Code)
	case <-time.After(2 * time.Minute):
		r.t.Fatal("no answer")
	}
	return ""
}

const hello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":%q,"capabilities":{},` +
	`"clientInfo":{"name":"t","version":"1"}}}` + "\n"

// A line that is no message is answered, and the session goes on.
func TestLinesThatAreNoMessage(t *testing.T) {
	w := newWorld(t).demo()
	cases := []struct {
		name, line string
		want       []string
	}{
		{"words", "hello?", []string{"null -32700"}},
		{"torn", `{"jsonrpc":"2.0","id":7,"method":"pi`, []string{"null -32700"}},
		{"two on a line", `{"jsonrpc":"2.0","id":7,"method":"ping"}{"jsonrpc":"2.0","id":8,"method":"ping"}`,
			[]string{"null -32700"}},
		{"binary", "\x00\xff\xfe\x1b[31m{\x80", []string{"null -32700"}},
		{"a frame of another protocol", "Content-Length: 12\r", []string{"null -32700"}},
		{"endless", `{"jsonrpc":"2.0","id":7,"method":"` + strings.Repeat("x", mostLine) + `"}`, []string{"null -32700"}},
		{"endless, and torn", strings.Repeat("[", 2*mostLine), []string{"null -32700"}},
		{"deep", `{"jsonrpc":"2.0","id":7,"method":"ping","params":` + strings.Repeat("[", 5000) +
			strings.Repeat("]", 5000) + "}", []string{"null -32600"}},
		{"blank", "", nil},
		{"spaces", "  \t \r", nil},
		{"a number", "42", []string{"null -32600"}},
		{"null", "null", []string{"null -32600"}},
		{"nothing in it", "{}", []string{"null -32600"}},
		{"another version", `{"jsonrpc":"1.0","id":"a","method":"ping"}`, []string{"null -32600"}},
		{"a method that is none", `{"jsonrpc":"2.0","id":9,"method":5}`, []string{"null -32600"}},
		{"an id that is none", `{"jsonrpc":"2.0","id":{},"method":"ping"}`, []string{"null -32600"}},
		{"an answer that is none", `{"id":3,"result":{}}`, []string{"null -32600"}},
		{"an answer to nothing", `{"jsonrpc":"2.0","id":3,"result":{}}`, nil},
		{"an array", `[{"jsonrpc":"2.0","id":5,"method":"ping"}]`, []string{"null -32600"}},
		{"a method that isn't there", `{"jsonrpc":"2.0","id":6,"method":"nothing"}`, []string{"6 -32601"}},
		{"parameters that are none", `{"jsonrpc":"2.0","id":6,"method":"tools/call","params":5}`, []string{"6 -32602"}},
		{"with a byte order mark", "\ufeff" + `{"jsonrpc":"2.0","id":6,"method":"ping"}` + "\r", []string{"6 ok"}},
	}
	for _, version := range []string{"2025-03-26", "2025-06-18"} {
		r := w.raw()
		r.send("garbage before the first word\n")
		if got := r.answer(); got != "null -32700" {
			t.Errorf("%s: before initialize: got %s", version, got)
		}
		r.send(fmt.Sprintf(hello, version))
		if got := r.answer(); got != "0 ok" {
			t.Fatalf("%s: initialize: got %s", version, got)
		}
		r.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n")
		for i, c := range cases {
			r.send(c.line + "\n")
			for _, want := range c.want {
				if got := r.answer(); got != want {
					t.Errorf("%s: %s: got %s, want %s", version, c.name, got, want)
				}
			}
			r.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`+"\n", 1000+i))
			if got, want := r.answer(), fmt.Sprintf("%d ok", 1000+i); got != want {
				t.Errorf("%s: after %s: got %s, want %s", version, c.name, got, want)
			}
		}
		r.send(`{"jsonrpc":"2.0","id":2000,"method":"pi`) // the client dies over it
		r.in.Close()
		if got := r.answer(); got != "null -32700" {
			t.Errorf("%s: at the end: got %s", version, got)
		}
		if err := <-r.end; err != nil {
			t.Errorf("%s: the end: %v", version, err)
		}
	}
}

// What answers and what complains don't get into each other's lines.
func TestLinesAmongCalls(t *testing.T) {
	r := newWorld(t).demo().raw()
	r.send(fmt.Sprintf(hello, "2025-06-18") + `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n")
	want := map[string]int{"0 ok": 1, "null -32700": 40}
	for i := range 40 {
		r.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/list"}`+"\n?!\n", i+1))
		want[fmt.Sprintf("%d ok", i+1)] = 1
	}
	for range 81 {
		want[r.answer()]--
	}
	for what, left := range want {
		if left != 0 {
			t.Errorf("%s: %d are missing", what, left)
		}
	}
}

// What a script asks before it closes its end is answered, also beside what can't be.
func TestAnsweredAfterTheLastLine(t *testing.T) {
	w := newWorld(t)
	cmd := w.command("mcp")
	cmd.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"1.0","id":8,"method":"tools/list"}
{"jsonrpc":"1.0","id":9,"method":"tools/list"}
{"jsonrpc":"1.0","id":10,"method":"tools/list"}
{"jsonrpc":"2.0","id":2,"method":"tools/list"}
{"jsonrpc":"2.0","id":2,"method":"tools/list"}
{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"recall_query","arguments":{"question":"which cache?"}}}
`)
	start := time.Now()
	out, err := cmd.Output()
	if err != nil || time.Since(start) > lastAnswers {
		t.Fatalf("after %v: %v", time.Since(start), err)
	}
	for id := range 3 {
		if want := fmt.Sprintf(`"id":%d,"result"`, id+1); !strings.Contains(string(out), want) {
			t.Errorf("no %s in\n%.2000s", want, out)
		}
	}
}
