package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"recall/index"
	"recall/library"
	"recall/payload"
	"recall/pipeline"
)

// goOn ends the explanation of a fault that the agent can't fix.
const goOn = "Go on with the task without recall, and tell the user once."

// failed words an error for the calling model: what is wrong and what to do next.
func (s *Server) failed(err error) error {
	if bad, ok := errors.AsType[*argumentError](err); ok {
		return bad
	}
	var many *library.AmbiguousError
	var not *pipeline.NotHereError
	switch {
	case errors.Is(err, context.Canceled):
		return err
	case errors.As(err, &many):
		var list []string
		for _, c := range many.Candidates[:min(len(many.Candidates), 5)] {
			list = append(list, fmt.Sprintf("%s %q", c.ID, payload.Data(c.Title, 40)))
		}
		return fmt.Errorf("recall: %w. Call again with one of these ids: %s", err, strings.Join(list, ", "))
	case errors.As(err, &not):
		return wrong("recall: %s. Send the project that you mean; "+
			"recall_session without arguments lists the latest sessions with theirs.", payload.Data(not.Error(), 200))
	}
	for _, f := range faults {
		if errors.Is(err, f.err) {
			return fmt.Errorf("recall: %w. %s", err, f.next)
		}
	}
	return fmt.Errorf("recall: %w. %s", err, cmp.Or(s.o.Hint(err), goOn))
}

// faults are errors with what to do next.
var faults = []struct {
	err  error
	next string
}{
	{context.DeadlineExceeded, "Ask again with fewer words or a project."},
	{library.ErrNoLibrary, "There is no memory yet: the user makes one with `recall init` in a terminal. " + goOn},
	{library.ErrBusy, "Another recall is writing just now. Call again in a few seconds."},
	{library.ErrNoSession, "Call recall_session without arguments to list the latest sessions with their ids."},
	{library.ErrNoProject, "Leave project out to search all of them; recall_session without arguments names projects."},
	{index.ErrNoItem, "Ids of items are the ten characters in [brackets] of recall_query's answer."},
	{library.ErrNoPayload, "That session isn't distilled yet; recall_session reads its transcript."},
	{fs.ErrPermission, "recall isn't allowed to read or write that file. " + goOn},
}

// wrong returns an error about an argument, saying what is expected.
func wrong(format string, args ...any) error { return &argumentError{fmt.Sprintf(format, args...)} }

type argumentError struct{ text string }

func (e *argumentError) Error() string { return e.text }
