package llm

import (
	"context"
	"encoding/json"
	"time"
)

// A Model answers requests. Implementations send a request once: trying again,
// limits and accounts are for what is put around them (see Patient, Metered).
// An error that a service gave is an *Error. Safe for concurrent use.
type Model interface {
	// Name is provider and model, "anthropic/claude-haiku-4-5": what
	// provenance, prices and usage go by.
	Name() string
	// Window is how many tokens request and answer may have together; 0 if
	// nobody knows.
	Window() int
	Complete(ctx context.Context, r Request) (Response, error)
}

// Options say which model of which service a provider asks. What is "" or 0 is the provider's own.
type Options struct {
	URL       string        // of the service
	Folder    string        // instead of a service, where requests and answers are
	Key       string        // "" where the service wants none
	Model     string        // by the service's name for it
	Window    int           // tokens of request and answer together
	MaxOutput int           // tokens of an answer where a request names none
	Timeout   time.Duration // a request
}

// Identity is what says which model a Model is: the part that all of them share.
type Identity struct {
	ID     string // see Model.Name
	Tokens int    // see Model.Window
}

// Name implements Model.
func (i Identity) Name() string { return i.ID }

// Window implements Model.
func (i Identity) Window() int { return i.Tokens }

// Request is one question to a model. Its texts are redacted already.
type Request struct {
	Task   string // what it is for, as usage names it: "extract", "repair", "reconcile", "answer", "judge"
	System string // instructions; the same for many requests, so that a service can keep it in its cache
	Prompt string
	Schema *Schema // of the answer, nil for plain text
	Max    int     // most tokens of the answer; 0 for the model's own
}

// Schema is the form that an answer must have.
type Schema struct {
	Name string          // letters, digits, _ and -
	JSON json.RawMessage // a JSON Schema: every object closed, every key required
}

// Response is a model's answer. Text is never empty. Where a Schema was given
// it is for the caller to find the JSON in it (see FindJSON), and to check whether that follows the schema.
type Response struct {
	Text  string
	Usage Usage
}

// Usage is what a request took, in tokens, as the service counts.
type Usage struct {
	In         int `json:"in"`                    // of the request, all of it
	CacheRead  int `json:"cache_read,omitempty"`  // of In, taken from the service's cache
	CacheWrite int `json:"cache_write,omitempty"` // of In, put there
	CacheHour  int `json:"cache_hour,omitempty"`  // of CacheWrite, to be kept for an hour
	Out        int `json:"out"`
}

// Add sums usage up.
func (u Usage) Add(v Usage) Usage {
	return Usage{In: u.In + v.In, CacheRead: u.CacheRead + v.CacheRead, CacheWrite: u.CacheWrite + v.CacheWrite,
		CacheHour: u.CacheHour + v.CacheHour, Out: u.Out + v.Out}
}

// A Batcher is a Model that also takes many requests at once, to be answered
// within a day at a lower price.
type Batcher interface {
	Model
	// Submit hands requests in by keys of the caller's ([a-zA-Z0-9_-], at most
	// 64) and returns the batch's id. name is the caller's own for the batch, of
	// the same form; a service that keeps it can be asked by it (see Find).
	Submit(ctx context.Context, name string, requests map[string]Request) (id string, err error)
	// Collect asks how a batch is doing. One that the service refused as a whole
	// has Ended, with an error that says why; its answers are there all the same.
	Collect(ctx context.Context, id string) (Batch, error)
	// Find returns the id of what was handed in by somebody who didn't live to hear
	// it. It goes by the name where the service keeps it, else it is the one batch of
	// so many requests that was taken since a time and has none of the ids of other
	// batches; "" if there isn't just one.
	Find(ctx context.Context, b Lost) (id string, err error)
}

// Lost is a batch whose id isn't known.
type Lost struct {
	Name     string // that Submit was given
	Requests int
	Since    time.Time // when it was handed in, at the earliest
	Others   []string  // ids of other batches
}

// Batch is how far a batch has come.
type Batch struct {
	Ended   bool              // no more answers will come
	Answers map[string]Answer // by the caller's keys; those that expired or were cancelled are missing
}

// Answer is what came of one request of a batch: Response, or else Err.
type Answer struct {
	Response Response
	Err      error
}

// A Store keeps models' answers for good. Safe for concurrent use. What is kept
// is JSON, an object whose list "of" names the sessions that it holds words of.
type Store interface {
	// Answer returns what was kept under a key, ok false if nothing was.
	Answer(key string) (data []byte, ok bool, err error)
	// KeepAnswer keeps data under a key ([a-z0-9-], at most 64 bytes), in
	// place of what was there.
	KeepAnswer(key string, data []byte) error
}
