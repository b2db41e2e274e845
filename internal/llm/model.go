// Package llm defines the interfaces to language and embedding models. Sub-packages implement them.
package llm

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"recall/internal/escape"
	"recall/internal/text"
)

// A Model answers requests. Implementations send each request once; retries, limits and accounting are added around
// them (see Patient, Metered). Errors from a service are of type *Error. Safe for concurrent use.
type Model interface {
	// Name is provider and model, such as "anthropic/claude-haiku-4-5"; provenance, prices and usage refer to it.
	Name() string
	// Window is the maximum number of tokens in request and answer together, 0 if unknown.
	Window() int
	Complete(ctx context.Context, r Request) (Response, error)
}

// Options say which model of which service to use. "" and 0 mean the provider's default.
type Options struct {
	URL       string        // of the service
	Key       string        // "" if the service needs none
	Model     string        // the service's name for it
	Window    int           // tokens of request and answer together
	MaxOutput int           // tokens of an answer if the request sets no limit
	Timeout   time.Duration // per request
}

// Identity holds a Model's name and window; implementations embed it.
type Identity struct {
	ID     string // see Model.Name
	Tokens int    // see Model.Window
}

// Name implements Model.
func (i Identity) Name() string { return i.ID }

// Window implements Model.
func (i Identity) Window() int { return i.Tokens }

// Request is one question to a model. Its texts are already redacted.
type Request struct {
	Task   string // its purpose, for usage records: "extract", "reconcile", "rerank", "judge"
	System string // instructions; the same for many requests, so that a service can cache them
	Prompt string
	Schema *Schema // of the answer, nil for plain text
	Max    int     // most tokens in the answer; 0 for the model's default
}

// Schema is the required form of an answer.
type Schema struct {
	Name string          // letters, digits, _ and -
	JSON json.RawMessage // a JSON Schema: every object closed, every key required
}

// Response is a model's answer. Text is never empty. If a Schema was given, the caller must find the JSON in it (see
// FindJSON) and check that it follows the schema.
type Response struct {
	Text  string
	Usage Usage
}

// Usage is what a request took in tokens, as counted by the service.
type Usage struct {
	In         int `json:"in"`                    // the whole request
	CacheRead  int `json:"cache_read,omitempty"`  // part of In, read from the service's cache
	CacheWrite int `json:"cache_write,omitempty"` // part of In, written to the cache
	CacheHour  int `json:"cache_hour,omitempty"`  // part of CacheWrite, kept for an hour
	Out        int `json:"out"`
}

// Add returns the sum of two usages.
func (u Usage) Add(v Usage) Usage {
	return Usage{In: u.In + v.In, CacheRead: u.CacheRead + v.CacheRead, CacheWrite: u.CacheWrite + v.CacheWrite,
		CacheHour: u.CacheHour + v.CacheHour, Out: u.Out + v.Out}
}

// A Store keeps models' answers permanently. Safe for concurrent use. The data is a JSON object whose list "of" names
// the sessions whose words it contains.
type Store interface {
	// Answer returns what is stored under a key; ok is false if nothing is.
	Answer(key string) (data []byte, ok bool, err error)
	// KeepAnswer stores data under a key ([a-z0-9-], at most 64 bytes), replacing what was there.
	KeepAnswer(key string, data []byte) error
}

// Account is what a request is made for, as recorded in the ledger.
type Account struct {
	Session string // session id, "" for none in particular
	Project string // project id
}

type accountKey struct{}

// WithAccount returns a context whose requests are charged to an account. This passes it
// from the caller to the ledger through layers that don't need it.
func WithAccount(ctx context.Context, a Account) context.Context {
	return context.WithValue(ctx, accountKey{}, a)
}

// AccountOf returns the account of a context's requests.
func AccountOf(ctx context.Context) Account {
	a, _ := ctx.Value(accountKey{}).(Account)
	return a
}

// Thinks reports, by its name, whether a model thinks before answering unless told otherwise. Thinking is charged
// and counts towards the answer's token limit, so such a model is asked to think little (effort "low") and given
// ThinkingRoom in addition to the answer's tokens.
func Thinks(model string) bool { return thinkingModels().MatchString(bareName(model)) }

// thinkingModels matches Claude since version 5, OpenAI's GPT since 5, and its o series.
var thinkingModels = text.Pattern(`^(claude-[a-z]+-([5-9]|\d\d)(-|$)|gpt-([5-9]|\d\d)(-|$)|o\d)`)

// ThinkingRoom is the number of tokens granted for thinking.
const ThinkingRoom = 8000

// An Embedder turns texts into vectors.
//
// Embed returns one vector of length 1 for each text, in order. It splits the texts into as many requests as the
// service needs. If a request fails, Embed returns the vectors of the texts before it together with the error, so
// that the caller can keep them.
//
// Model names model and dimension, such as "embed-small/512"; vectors of different models are not comparable.
type Embedder interface {
	Model() string
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// Fault is why a model didn't answer, as far as that determines what to do.
type Fault string

const (
	Unauthorized Fault = "unauthorized" // key missing, wrong or not permitted
	NotFound     Fault = "not found"    // no such model or address
	RateLimited  Fault = "rate limited"
	NoCredit     Fault = "no credit" // out of credit, or over the account's own limit
	Overloaded   Fault = "overloaded"
	Unreachable  Fault = "unreachable" // no connection, or it was lost
	TimedOut     Fault = "timed out"
	Refused      Fault = "refused"  // the model declined
	Cut          Fault = "cut"      // the answer hit its token limit
	TooLong      Fault = "too long" // the request exceeds the model's context window
	Rejected     Fault = "rejected" // the service considers the request invalid
	Nonsense     Fault = "nonsense" // not a usable answer: empty, not JSON, an error page
)

// Error is a request that was not answered.
type Error struct {
	Fault  Fault
	Model  string
	Status int           // HTTP status, 0 if there was none
	After  time.Duration // how long the service asks to wait; 0 if it doesn't say
	Usage  Usage         // what it took anyway: cut and refused answers are charged
	Text   string        // in the service's words, without keys; "" if it said nothing
	Err    error         // underlying error, may be nil
}

// WebPage is the beginning of Text in an error caused by a web page: it comes from a proxy
// or portal rather than the service.
const WebPage = "a web page"

func (e *Error) Error() string {
	s := fmt.Sprintf("%s: %s", e.Model, e.Fault)
	if e.Status != 0 {
		s += fmt.Sprintf(" (%d)", e.Status)
	}
	switch {
	case e.Text != "":
		s += ": " + e.Text
	case e.Err != nil:
		s += ": " + e.Err.Error()
	}
	return s
}

// Short puts a text on one line of at most 300 bytes.
func Short(s string) string {
	s = escape.Line(s, escape.Terminal)
	if len(s) > 300 {
		s = strings.ToValidUTF8(s[:300], "") + " …"
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }

// Passing reports whether the same request may succeed a little later.
func (e *Error) Passing() bool {
	return slices.Contains([]Fault{RateLimited, Overloaded, Unreachable, TimedOut}, e.Fault)
}

// Ends reports whether no request will be answered until someone fixes the cause.
func (e *Error) Ends() bool {
	return slices.Contains([]Fault{Unauthorized, NotFound, NoCredit}, e.Fault)
}

// Told returns the schema as an addition to the prompt, for models that can't be forced to
// follow one; "" without a schema.
func (s *Schema) Told() string {
	if s == nil {
		return ""
	}
	return "\n\nAnswer with one JSON value and nothing else: no words before or after it, " +
		"no code fence. It follows this JSON Schema:\n" + string(s.JSON) + "\n"
}

// FindJSON extracts the JSON object or array from an answer that isn't forced to follow a
// schema: from a code fence or between words. It repairs raw newlines in strings and
// trailing commas, but not truncated values. ok is false if there is none.
func FindJSON(text string) (value string, ok bool) {
	text = strings.TrimSpace(strings.TrimPrefix(text, "\ufeff"))
	if json.Valid([]byte(text)) {
		return text, text != ""
	}
	best := ""
	for i, tries := 0, 0; i+len(best) < len(text) && tries < 50; i++ {
		if text[i] != '{' && text[i] != '[' {
			continue
		}
		var v json.RawMessage
		err := json.NewDecoder(strings.NewReader(mended(text[i:]))).Decode(&v)
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return "", false // truncated: what is inside isn't the answer
		}
		if err != nil {
			tries++
			continue
		}
		if len(v) > len(best) { // "[1] here it is: {…}"
			best = string(v)
		}
		i += len(v) - 1 // or nearly, if it was mended
	}
	return best, best != ""
}

// mended escapes raw controls in the strings of JSON, and removes trailing commas.
func mended(value string) string {
	return slips().ReplaceAllStringFunc(value, func(s string) string {
		if s[0] == ',' {
			return s[len(s)-1:]
		}
		return controls.Replace(s)
	})
}

// slips matches a string, even if it breaks off, and a comma before a closing bracket.
var slips = text.Pattern(`(?s)"(?:[^"\\]|\\.)*"?|,\s*[}\]]`)

var controls = func() *strings.Replacer {
	var pairs []string
	for c := range ' ' {
		escaped, _ := json.Marshal(string(c)) // of a text: it can't fail
		pairs = append(pairs, string(c), strings.Trim(string(escaped), `"`))
	}
	return strings.NewReplacer(pairs...)
}()

// Misfit words an error of decoding JSON in terms of the JSON, which a model and a person can see, rather than of what
// it was decoded into: "items[3].quotes is of another form: number". at is the path of what was decoded, "" for the
// whole. Other errors stay as they are.
func Misfit(at string, err error) error {
	kind, ok := errors.AsType[*json.UnmarshalTypeError](err)
	if !ok {
		return err
	}
	path := strings.Trim(strings.ReplaceAll(at+"."+kind.Field, ".[", "["), ".")
	return fmt.Errorf("%s is of another form: %s", cmp.Or(path, "it"), kind.Value)
}
