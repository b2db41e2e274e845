// Package claudecli asks the claude program installed on this machine, so that a Claude subscription suffices.
//
// The program runs for a single answer. It saves no session, loads none of the user's hooks, settings, CLAUDE.md,
// plugins and MCP servers, has no tools and runs in an empty folder. Programs that asked it carelessly observed
// themselves, filled the list of sessions and left hundreds of processes behind. The program decides who pays: with
// ANTHROPIC_API_KEY in the environment it uses that, as in a terminal.
package claudecli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"recall/internal/llm"
	"recall/internal/llm/wire"
	"recall/internal/text"
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

// wire words its failures as a service's.
func (m *Model) wire() *wire.Transport { return &wire.Transport{Model: m.Name()} }

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
			return nil, m.wire().Broken(ctx, fmt.Errorf("waiting for another request to claude: %w", ctx.Err()))
		}
		return nil, fmt.Errorf("claude: its lock %s: %w", m.o.Lock, err)
	}
	return func() { lock.Close() }, nil
}

// result is what --output-format json prints, as of version 2.1.197.
type result struct {
	Type       string              `json:"type"`    // "result"
	Subtype    string              `json:"subtype"` // "success" even if is_error is set, or error_…
	IsError    bool                `json:"is_error"`
	Status     int                 `json:"api_error_status"`
	Result     string              `json:"result"` // the answer, or what went wrong
	Errors     []string            `json:"errors"`
	Structured json.RawMessage     `json:"structured_output"` // the answer in the form of the schema
	StopReason string              `json:"stop_reason"`
	Usage      wire.AnthropicUsage `json:"usage"`
}

// answer converts the program's output to a response, or explains why it is unusable.
func (m *Model) answer(o output) (llm.Response, error) {
	r, ok := parse(o.out)
	if !ok {
		return llm.Response{}, m.noResult(o)
	}
	res := llm.Response{Text: strings.TrimSpace(withoutJoiners(r.Result)), Usage: r.Usage.Usage()}
	fault, why := llm.Fault(""), res.Text
	switch {
	case r.IsError || r.Subtype != "success":
		if why == "" {
			why = strings.TrimSpace(r.Subtype + " " + strings.Join(r.Errors, "; "))
		}
		fault = faultOf(r.Status, r.Subtype, r.StopReason, why)
	case r.StopReason == "refusal":
		fault = llm.Refused
	case len(r.Structured) > 0 && string(r.Structured) != "null":
		res.Text = withoutJoiners(string(r.Structured))
	}
	if fault != "" {
		return llm.Response{}, &llm.Error{Fault: fault, Model: m.Name(), Status: r.Status, Usage: res.Usage,
			Text: llm.Short(why)}
	}
	return m.wire().Answer(res, "", "")
}

// parse finds the result: an object, or the last element of a list if the user has set
// "verbose". Warnings may precede it.
func parse(out []byte) (result, bool) {
	out = bytes.TrimSpace(out)
	if r, ok := decode(out); ok {
		return r, true
	}
	return decode(out[bytes.LastIndexByte(out, '\n')+1:])
}

func decode(out []byte) (result, bool) {
	var r result
	if bytes.HasPrefix(out, []byte("[")) {
		var all []result
		if json.Unmarshal(out, &all) == nil && len(all) > 0 {
			r = all[len(all)-1]
		}
	} else if json.Unmarshal(out, &r) != nil {
		return result{}, false
	}
	return r, r.Type == "result"
}

// noResult returns the error for a program that printed no result because it is too old, broken or was killed.
func (m *Model) noResult(o output) error {
	words := strings.TrimSpace(string(o.err))
	if words == "" {
		words = strings.TrimSpace(string(o.out))
	}
	e := &llm.Error{Fault: llm.Nonsense, Model: m.Name(), Text: llm.Short(words)}
	switch {
	case strings.Contains(words, "unknown option"):
		e.Fault, e.Text = llm.NotFound, "this claude is too old or too new ("+llm.Short(words)+"): run claude update"
	case o.exit != nil && o.exit.ExitCode() < 0:
		e.Fault, e.Text = llm.Unreachable, "claude was killed: "+o.exit.String()
	case words != "":
		if f := faultOf(0, "", "", words); f != llm.Rejected {
			e.Fault = f
		}
	case o.exit != nil:
		e.Text = "claude printed nothing: " + o.exit.String()
	default:
		e.Text = "claude printed nothing"
	}
	return e
}

// faults maps the program's error messages to faults; the first match counts. A subscription's limits last for
// hours and affect every request, so they are treated like used-up credit.
var faults = []struct {
	words func() *regexp.Regexp
	fault llm.Fault
}{
	{text.Pattern(`(?i)not logged in|run /login|invalid api key|fix external api key|oauth ` +
		`token|authentication_error|does not have access`), llm.Unauthorized},
	{text.Pattern(`(?i)credit balance|usage limit|(session|weekly|opus|sonnet|your|hour) limit|limit ` +
		`reached|error_max_budget|api usage limits|out of (extra )?usage`), llm.NoCredit},
	{text.Pattern(`(?i)prompt is too long|context limit|context window|request too large`), llm.TooLong},
	{text.Pattern(`(?i)output token maximum`), llm.Cut},
	{text.Pattern(`(?i)usage policy`), llm.Refused},
	{text.Pattern(`(?i)issue with the selected model`), llm.NotFound},
	{text.Pattern(`(?i)timed out|timeout`), llm.TimedOut},
	{text.Pattern(`(?i)overloaded`), llm.Overloaded},
	{text.Pattern(`(?i)connection|unable to connect|econn|enotfound|socket|fetch failed`), llm.Unreachable},
}

func faultOf(status int, subtype, stop, words string) llm.Fault {
	if stop == "refusal" {
		return llm.Refused
	}
	for _, f := range faults {
		if f.words().MatchString(words) || f.words().MatchString(subtype) {
			return f.fault
		}
	}
	switch {
	case status >= 400:
		return wire.FaultOf(status, "", "")
	case strings.HasPrefix(subtype, "error_"):
		return llm.Nonsense
	}
	return llm.Rejected
}
