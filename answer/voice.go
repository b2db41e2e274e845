package answer

import (
	"fmt"
	"strings"
	"time"

	"recall/payload"
	"recall/sink"
	"recall/text"
)

// A Voice is to whom an answer speaks: a person at a terminal, or an agent, to whom
// all of it is data and sessions are named by their ids.
type Voice struct {
	Agent   bool
	Several bool // several projects answer: sessions' numbers go with the project's name
}

// you is what the user is called.
func (v Voice) you() string {
	if v.Agent {
		return "the user"
	}
	return "you"
}

// line is text from elsewhere as one harmless line.
func (v Voice) line(s string) string {
	if v.Agent {
		return sink.Line(s, sink.Model)
	}
	return sink.Line(s, sink.Terminal)
}

// clipped is such a line of at most so many characters.
func (v Voice) clipped(s string, n int) string {
	if v.Agent {
		return payload.Data(s, n)
	}
	return text.Clip(v.line(s), n)
}

// Day is the day of a time, in the reader's zone.
func Day(t time.Time) string {
	if t.IsZero() {
		return "no date"
	}
	return t.Local().Format(time.DateOnly)
}

// Count is a number of things in words: 1 session, 2 sessions.
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// upperFirst begins a sentence with a text, unless that begins with an identifier.
func upperFirst(s string) string {
	r := []rune(s)
	if len(r) == 0 || strings.ContainsAny(strings.Fields(s)[0], "._/()`") {
		return s
	}
	return strings.ToUpper(string(r[:1])) + string(r[1:])
}

// stop is a line without its last full stop.
func (v Voice) stop(s string) string { return strings.TrimRight(v.line(s), ".:; ") }
