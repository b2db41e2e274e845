package llm

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"recall/sink"
)

// Fault is why a model didn't answer, as far as it matters for what to do.
type Fault string

const (
	Unauthorized Fault = "unauthorized" // key missing, wrong or without the right
	NotFound     Fault = "not found"    // no such model or address
	RateLimited  Fault = "rate limited"
	NoCredit     Fault = "no credit" // paid up or over the account's own limit
	Overloaded   Fault = "overloaded"
	Unreachable  Fault = "unreachable" // no connection, or it broke off
	TimedOut     Fault = "timed out"
	Refused      Fault = "refused"  // the model won't
	Cut          Fault = "cut"      // the answer ran into its limit of tokens
	TooLong      Fault = "too long" // the request doesn't fit the model's window
	Rejected     Fault = "rejected" // the service calls the request wrong
	Nonsense     Fault = "nonsense" // an answer that isn't one: empty, no JSON, an error page
)

// Error is a request that was not answered.
type Error struct {
	Fault  Fault
	Model  string
	Status int           // of HTTP, 0 if there was none
	After  time.Duration // the service asks to be left alone for so long; 0 if it doesn't say
	Usage  Usage         // what it took all the same: cut and refused answers are paid for
	Text   string        // in the service's words, without keys; "" if it said nothing
	Err    error         // below it, may be nil
}

// WebPage is how the Text begins of an error for which somebody sent a page to
// look at: it is of whoever stands between, and no word of the service's.
const WebPage = "a web page"

// Unknown reports whether the service itself says that it doesn't have what it was
// asked for, or doesn't know what to make of its name.
func (e *Error) Unknown() bool {
	return (e.Fault == Rejected || e.Fault == NotFound && e.Status == http.StatusNotFound) &&
		!strings.HasPrefix(e.Text, WebPage)
}

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

// Short is what somebody says on one line, at most 300 bytes of it.
func Short(s string) string {
	s = sink.Line(s, sink.Terminal)
	if len(s) > 300 {
		s = strings.ToValidUTF8(s[:300], "") + " …"
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }

// Passing reports whether the same request may be answered a little later.
func (e *Error) Passing() bool {
	switch e.Fault {
	case RateLimited, Overloaded, Unreachable, TimedOut:
		return true
	}
	return false
}

// Unsure reports whether a service may have done what it was asked to though
// nobody heard of it.
func (e *Error) Unsure() bool {
	switch e.Fault {
	case Unreachable, TimedOut, Nonsense:
		return true
	case Overloaded: // 503 and 529 say that nothing was taken
		return e.Status != http.StatusServiceUnavailable && e.Status != 529
	}
	return false
}

// Ends reports whether no other request will be answered either until somebody
// does something about it.
func (e *Error) Ends() bool {
	switch e.Fault {
	case Unauthorized, NotFound, NoCredit:
		return true
	}
	return false
}
