package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"
)

// browser is a headless Chromium that is spoken to in the DevTools protocol
// over its pipe (file descriptors 3 and 4, messages end in a zero byte):
// https://chromedevtools.github.io/devtools-protocol/.
type browser struct {
	t       *testing.T
	to      io.WriteCloser
	from    *bufio.Reader
	session string // of the tab
	n       int
	Events  []browserEvent // since the page was opened
}

// browserEvent is what the browser tells unasked: a request, a line on the console.
type browserEvent struct {
	Method string
	Params json.RawMessage
}

// browserWanted is the variable of the environment without which no test starts a browser; .ci/run sets it.
const browserWanted = "BROWSER_TESTS"

// openBrowser starts Chromium with one empty tab, and skips the test where
// there is none.
func openBrowser(t *testing.T) *browser {
	t.Helper()
	if os.Getenv(browserWanted) == "" {
		t.Skip(browserWanted + " not set")
	}
	if runtime.GOOS == "windows" {
		t.Skip("Chromium's pipe needs file descriptors 3 and 4, which Go can't hand on under Windows")
	}
	program := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chromium-headless-shell"} {
		if path, err := exec.LookPath(name); err == nil {
			program = path
			break
		}
	}
	if program == "" {
		t.Skip("no Chromium: apt-get install chromium, and this test opens the page in it")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	t.Cleanup(cancel)
	theirIn, ourOut, err := os.Pipe()
	must(t, err)
	ourIn, theirOut, err := os.Pipe()
	must(t, err)
	// A page that this test wrote is all that is opened: no sandbox, which a
	// container's root couldn't have.
	cmd := exec.CommandContext(ctx, program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
		"--disable-background-networking", "--no-first-run", "--user-data-dir="+t.TempDir(), "--remote-debugging-pipe",
		"about:blank")
	cmd.ExtraFiles = []*os.File{theirIn, theirOut}
	must(t, cmd.Start())
	theirIn.Close()
	theirOut.Close()
	b := &browser{t: t, to: ourOut, from: bufio.NewReader(ourIn)}
	t.Cleanup(func() {
		b.session = ""
		b.try("Browser.close", nil, nil) // it writes its profile until it has ended
		ourOut.Close()
		cmd.Wait()
		ourIn.Close()
	})
	b.attach()
	return b
}

func (b *browser) attach() {
	b.t.Helper()
	var targets struct {
		TargetInfos []struct{ TargetID, Type string }
	}
	b.Call("Target.getTargets", nil, &targets)
	for _, info := range targets.TargetInfos {
		if info.Type == "page" {
			var attached struct{ SessionID string }
			b.Call("Target.attachToTarget", map[string]any{"targetId": info.TargetID, "flatten": true}, &attached)
			b.session = attached.SessionID
			return
		}
	}
	b.t.Fatal("Chromium has no page open")
}

// Call sends a command and decodes its answer into out, unless that is nil.
func (b *browser) Call(method string, params map[string]any, out any) {
	b.t.Helper()
	if err := b.try(method, params, out); err != nil {
		b.t.Fatalf("%s: %v", method, err)
	}
}

func (b *browser) try(method string, params map[string]any, out any) error {
	b.n++
	if params == nil {
		params = map[string]any{}
	}
	ask := map[string]any{"id": b.n, "method": method, "params": params}
	if b.session != "" {
		ask["sessionId"] = b.session
	}
	data, err := json.Marshal(ask)
	if err != nil {
		return err
	}
	if _, err := b.to.Write(append(data, 0)); err != nil {
		return err
	}
	for {
		m, err := b.read()
		switch {
		case err != nil:
			return err
		case m.ID != b.n:
			b.Events = append(b.Events, browserEvent{m.Method, m.Params})
		case m.Error != nil:
			return errors.New(m.Error.Message)
		case out != nil:
			return json.Unmarshal(m.Result, out)
		default:
			return nil
		}
	}
}

type message struct {
	ID             int
	Method         string
	Params, Result json.RawMessage
	Error          *struct{ Message string }
}

func (b *browser) read() (m message, err error) {
	data, err := b.from.ReadBytes(0)
	if err != nil {
		return m, fmt.Errorf("the browser is gone: %w", err)
	}
	return m, json.Unmarshal(data[:len(data)-1], &m)
}

// Goto loads a page and waits until all of it is there.
func (b *browser) Goto(url string) {
	b.t.Helper()
	b.Events = nil
	b.Call("Page.navigate", map[string]any{"url": url}, nil)
	for {
		for _, e := range b.Events {
			if e.Method == "Page.loadEventFired" {
				return
			}
		}
		m, err := b.read()
		if err != nil {
			b.t.Fatal(err)
		}
		b.Events = append(b.Events, browserEvent{m.Method, m.Params})
	}
}

// Eval is the value of a script's expression in the page, or what the promise comes to that it is.
func (b *browser) Eval(script string, out any) {
	b.t.Helper()
	if err := b.evaluate(script, out); err != nil {
		b.t.Fatalf("%.200s: %v", script, err)
	}
}

// evaluate is Eval where the page may be left meanwhile: then the error is errLeft.
func (b *browser) evaluate(script string, out any) error {
	var answer struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails json.RawMessage
	}
	err := b.try("Runtime.evaluate", map[string]any{"expression": script, "returnByValue": true,
		"awaitPromise": true}, &answer)
	switch {
	case err != nil && strings.Contains(err.Error(), "navigated"):
		return errLeft
	case err != nil:
		return err
	case answer.ExceptionDetails != nil:
		return errors.New(string(answer.ExceptionDetails))
	}
	return json.Unmarshal(answer.Result.Value, out)
}

var errLeft = errors.New("the page was left while a script ran in it")
