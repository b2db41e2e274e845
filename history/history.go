// Package history is what sessions did, asked about: who touched a file, why a line reads as it does, what was done
// about an error, what was decided when, what one session did so far. A question rests on a pipeline whose index is
// open. All of recall's git runs here.
package history

import (
	"regexp"
	"strconv"
	"strings"

	"recall/ingest"
	"recall/sink"
)

// line is text from elsewhere as one harmless line.
func line(s string) string { return sink.Line(s, sink.Terminal) }

var lineEnd = regexp.MustCompile(`^(.+?):(\d{1,9})(?::\d+)?$`)

// FileLine parts FILE:LINE or FILE:LINE:COLUMN; the line is 0 if it is neither. A
// file whose own name ends so is that file.
func FileLine(arg string) (file string, line int) {
	m := lineEnd.FindStringSubmatch(arg)
	if m == nil || IsRegular(arg) {
		return arg, 0
	}
	n, err := strconv.Atoi(m[2])
	if err != nil {
		return arg, 0
	}
	return m[1], n
}

// Called is a call on one line: the tool, and what it was called with.
func Called(c *ingest.ToolCall) string {
	switch with := c.With(); {
	case with == "":
		return c.Name
	case c.Command == "" && c.Path != "":
		return c.Name + " " + with
	default:
		return c.Name + ": " + with
	}
}

// skipped is the problem of a session that could not be read.
func skipped(session string, err error) ingest.Problem {
	return ingest.Problem{Path: session, Reason: strings.TrimSpace(err.Error())}
}
