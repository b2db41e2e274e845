// Package claudecli asks the claude program that is installed on this machine,
// so that a Claude subscription suffices.
//
// The program runs for one answer and is gone: no session is kept, no hook,
// setting, CLAUDE.md, plugin or MCP server of the user's is loaded, it has no
// tools and stands in an empty folder. Programs that asked it carelessly
// observed themselves, filled the list of sessions and left hundreds of
// processes behind. Who pays is for the program to say: with
// ANTHROPIC_API_KEY in the environment it uses that, as it does in a terminal.
package claudecli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"recall/llm"
)

// Options say which program answers, and with which model.
type Options struct {
	Program string        // path or name; "claude" if ""
	Model   string        // by the program's name for it: haiku; "" for its own choice
	Window  int           // tokens of request and answer together; 200,000 if 0
	Timeout time.Duration // a request; 5 min if 0. Waiting for another recall to be done isn't counted
	Lock    string        // the file that keeps a second program from running; one of the user's cache folder if ""
}

// Model is an llm.Model over the claude program. Safe for concurrent use, but
// one request runs at a time, also across processes.
type Model struct {
	llm.Identity
	o Options
}

var _ llm.Model = (*Model)(nil)

// New sets defaults; nothing is run yet.
func New(o Options) (*Model, error) {
	if strings.HasPrefix(o.Model, "-") {
		return nil, fmt.Errorf("claude: %q is no model", o.Model)
	}
	o.Program = cmp.Or(o.Program, "claude")
	o.Timeout = cmp.Or(max(o.Timeout, 0), 5*time.Minute)
	if o.Lock == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return nil, fmt.Errorf("claude: no folder for its lock: %w", err)
		}
		o.Lock = filepath.Join(cache, "recall", "claude.lock")
	}
	who := llm.Identity{ID: "claude-cli/" + cmp.Or(o.Model, "default"), Tokens: cmp.Or(max(o.Window, 0), 200_000)}
	return &Model{Identity: who, o: o}, nil
}

// Complete implements llm.Model. It waits until no other request runs.
func (m *Model) Complete(ctx context.Context, r llm.Request) (llm.Response, error) {
	done, err := m.alone(ctx)
	if err != nil {
		return llm.Response{}, err
	}
	defer done()
	out, err := m.run(ctx, r)
	if err != nil {
		return llm.Response{}, err
	}
	return m.answer(out)
}

// alone waits for this request's turn, in this process and among all.
func (m *Model) alone(ctx context.Context) (done func(), err error) {
	if err := os.MkdirAll(filepath.Dir(m.o.Lock), 0o700); err != nil {
		return nil, fmt.Errorf("claude: its lock: %w", err)
	}
	lock := flock.New(m.o.Lock, flock.SetPermissions(0o600))
	ok, err := lock.TryLockContext(ctx, 50*time.Millisecond)
	if !ok {
		if ctx.Err() != nil {
			return nil, m.ended(ctx, "waiting for another request to claude")
		}
		return nil, fmt.Errorf("claude: its lock %s: %w", m.o.Lock, err)
	}
	return func() { lock.Close() }, nil
}

// ended is what comes of a context's end: a cancel stays one.
func (m *Model) ended(ctx context.Context, what string) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return ctx.Err()
	}
	return &llm.Error{Fault: llm.TimedOut, Model: m.Name(), Text: what, Err: ctx.Err()}
}
