package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"recall/cmd/recall/agents"
	"recall/cmd/recall/app"
	"recall/cmd/recall/terminal"
	"recall/ingest/synthtest"
	"recall/library"
	"recall/pipeline"
)

// mcpPipe is a server over made-up items, in this process.
type mcpPipe struct {
	tb      testing.TB
	in      *io.PipeWriter
	answers *bufio.Reader
	ended   chan error
	made    []synthtest.Item
}

func newMCPPipe(tb testing.TB, items int) *mcpPipe {
	home := tb.TempDir()
	for _, name := range []string{"HOME", "USERPROFILE", "CLAUDE_CONFIG_DIR"} {
		tb.Setenv(name, home)
	}
	for _, name := range []string{"XDG_CACHE_HOME", "LocalAppData", "XDG_CONFIG_HOME", "AppData"} {
		tb.Setenv(name, filepath.Join(home, "other"))
	}
	l, err := library.Create(filepath.Join(home, "Recall"))
	if err != nil {
		tb.Fatal(err)
	}
	p := &mcpPipe{tb: tb, made: synthtest.Items(items, 1), ended: make(chan error, 1)}
	first := &app.App{Console: terminal.Console{Out: io.Discard, Err: io.Discard}}
	if _, err := first.LoadConfig(); err != nil {
		tb.Fatal(err)
	}
	first.Use(l)
	if _, err := first.Sync(tb.Context(), pipeline.Options{}); err != nil { // the next finds nothing new
		tb.Fatal(err)
	}
	first.Close()
	fillIndex(tb, app.IndexPath(l), p.made)
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	a := &app.App{Console: terminal.Console{In: in, Out: out, Err: io.Discard}}
	go func() { p.ended <- agents.ServeMCP(tb.Context(), a) }()
	p.in, p.answers = toServer, bufio.NewReaderSize(fromServer, 1<<20)
	p.send(1, "initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}`)
	p.answer()
	fmt.Fprintln(toServer, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return p
}

func (p *mcpPipe) send(id int, method, params string) {
	fmt.Fprintf(p.in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", id, method, params)
}

func (p *mcpPipe) answer() string {
	line, err := p.answers.ReadString('\n')
	if err != nil {
		p.tb.Fatal(err)
	}
	return line
}

// ask sends the nth question.
func (p *mcpPipe) ask(n int) {
	question, err := json.Marshal(p.made[n*7919%len(p.made)].Question)
	if err != nil {
		p.tb.Fatal(err)
	}
	p.send(n+2, "tools/call", fmt.Sprintf(`{"name":"recall_query","arguments":{"question":%s}}`, question))
}

// answered reads an answer to some question.
func (p *mcpPipe) answered() {
	if line := p.answer(); strings.Contains(line, `"isError":true`) ||
		!strings.Contains(line, "Quoted data from earlier sessions") {
		p.tb.Fatal(line)
	}
}

func (p *mcpPipe) close() {
	p.in.Close()
	if err := <-p.ended; err != nil {
		p.tb.Error(err)
	}
}

// Questions that come at once are answered at once, each taking in what is new or
// leaving that to another.
func TestMCPQuestionsAtOnce(t *testing.T) {
	const at = 12
	p := newMCPPipe(t, 200)
	go func() {
		for n := range at {
			p.ask(n)
		}
	}()
	for range at {
		p.answered()
	}
	p.close()
}
