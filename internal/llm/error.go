package llm

import (
	"fmt"
	"strings"
	"time"

	"recall/internal/escape"
)

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
	switch e.Fault {
	case RateLimited, Overloaded, Unreachable, TimedOut:
		return true
	}
	return false
}

// Ends reports whether no request will be answered until someone fixes the cause.
func (e *Error) Ends() bool {
	switch e.Fault {
	case Unauthorized, NotFound, NoCredit:
		return true
	}
	return false
}
