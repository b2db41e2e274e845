package answer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"recall/answer/compose"
	"recall/index"
	"recall/internal/escape"
	"recall/internal/text"
)

// SecondLook is a language model that is asked about a search's results.
type SecondLook struct {
	compose.Asker
	Within time.Duration // time limit for one question; 0: none

	// Meanwhile is called with the answer without the model before the model is asked. It isn't
	// called if an earlier look was kept. It may be nil.
	Meanwhile func(Answer)
}

// look has the model order the results of a question.
func (s *SecondLook) look(ctx context.Context, q Question, found *index.Answer) error {
	if s.Within > 0 {
		limited, cancel := context.WithTimeout(ctx, s.Within)
		defer cancel()
		ctx = limited
	}
	asker := s.Asker
	if s.Meanwhile != nil {
		asker.Waits = func() { s.Meanwhile(Of(q, *found)) }
	}
	look, err := asker.Look(ctx, q.Text, found.Ranked)
	if err == nil {
		look.Apply(found)
	}
	return err
}

// withoutModel says why the model gave no answer.
func withoutModel(err error) string {
	why := text.Clip(escape.Line(err.Error(), escape.Terminal), 200)
	if errors.Is(err, context.DeadlineExceeded) {
		why = "it took longer than query.model_timeout"
	}
	return fmt.Sprintf("the model gave no answer (%s); this one is made without it", why)
}
