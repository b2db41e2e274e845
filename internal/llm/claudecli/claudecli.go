// Package claudecli asks the claude program installed on this machine, so that a Claude subscription suffices.
//
// The program runs for a single answer. It saves no session, loads none of the user's hooks, settings, CLAUDE.md,
// plugins and MCP servers, has no tools and runs in an empty folder. Programs that asked it carelessly observed
// themselves, filled the list of sessions and left hundreds of processes behind. The program decides who pays: with
// ANTHROPIC_API_KEY in the environment it uses that, as in a terminal.
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

	"recall/internal/llm"
)

// Options say which program answers, and with which model.
type Options struct {
	Program string        // path or name; "claude" if ""
	Model   string        // the program's name for it, such as haiku; "" for its default
	Window  int           // tokens of request and answer together; 200,000 if 0
	Timeout time.Duration // per request, not counting the wait for other recalls; 5 min if 0
	Lock    string        // lock file that prevents concurrent runs; one in the user's cache folder if ""
}

// Model is an llm.Model over the claude program. Safe for concurrent use, but runs one
// request at a time, even across processes.
type Model struct {
	llm.Identity
	o Options
}

var _ llm.Model = (*Model)(nil)

// New sets defaults without running anything.
func New(o Options) (*Model, error) {
	if strings.HasPrefix(o.Model, "-") {
		return nil, fmt.Errorf("claude: %q is not the name of a model", o.Model)
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
	done, err := m.acquire(ctx)
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

// acquire waits for this request's turn within and across processes.
func (m *Model) acquire(ctx context.Context) (done func(), err error) {
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

// ended returns the error for a context that ended; cancellation is returned unchanged.
func (m *Model) ended(ctx context.Context, what string) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return ctx.Err()
	}
	return &llm.Error{Fault: llm.TimedOut, Model: m.Name(), Text: what, Err: ctx.Err()}
}
