package anthropic

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"recall/internal/llm"
)

// batch is the service's description of a batch.
type batch struct {
	ID        string     `json:"id"`
	Status    string     `json:"processing_status"` // in_progress, canceling, ended
	CreatedAt time.Time  `json:"created_at"`
	Archived  *time.Time `json:"archived_at"` // when its results were removed
	Counts    struct {
		Processing, Succeeded, Errored, Canceled, Expired int
	} `json:"request_counts"`
}

// result is one line of a batch's results.
type result struct {
	CustomID string `json:"custom_id"`
	Result   struct {
		Type    string          `json:"type"`
		Message reply           `json:"message"`
		Error   json.RawMessage `json:"error"` // a complete error response with its own "error"
	} `json:"result"`
}

func (b batch) done() int {
	c := b.Counts
	return c.Succeeded + c.Errored + c.Canceled + c.Expired
}

// account gets or changes a batch's state.
func (m *Model) account(ctx context.Context, method, path string, body io.Reader) (batch, error) {
	ctx, cancel := context.WithTimeout(ctx, 6*m.o.Timeout)
	defer cancel()
	var b batch
	_, err := m.call(ctx, method, "/v1/messages/batches"+path, body, &b)
	return b, err
}

// Collect implements llm.Batcher. Answers are available once the service has finished the
// whole batch, which takes minutes to a day. A batch that the service no longer knows has
// ended without answers.
func (m *Model) Collect(ctx context.Context, id string) (llm.Batch, error) {
	id = strings.TrimPrefix(id, "told:") // prefix of some ids stored by earlier versions
	b, err := m.account(ctx, http.MethodGet, "/"+url.PathEscape(id), nil)
	switch {
	case gone(err):
		return llm.Batch{Ended: true}, nil
	case err != nil:
		return llm.Batch{}, err
	}
	out := llm.Batch{Ended: b.Status == "ended"}
	if out.Ended && b.Archived == nil {
		if out.Answers, err = m.results(ctx, id, b.done()); err != nil {
			return llm.Batch{}, err
		}
	}
	return out, nil
}

// gone reports whether the service itself, rather than some web page, says that there is no
// such batch.
func gone(err error) bool {
	e, ok := err.(*llm.Error)
	return ok && e.Fault == llm.NotFound && e.Unknown()
}

// results reads a batch's results: want lines in any order. They are fetched from the
// configured address, whatever results_url says, so that the key goes nowhere else.
func (m *Model) results(ctx context.Context, id string, want int) (map[string]llm.Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, 6*m.o.Timeout)
	defer cancel()
	res, err := m.send(ctx, http.MethodGet, "/v1/messages/batches/"+url.PathEscape(id)+"/results", nil)
	if gone(err) {
		return nil, nil // older than 29 days
	}
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	lines, answers := 0, map[string]llm.Answer{}
	err = m.wire.Lines(ctx, res.Body, func(line []byte, _ bool) error {
		lines++
		m.keep(line, answers)
		return nil
	})
	if err == nil && lines < want {
		err = m.wire.Fail(llm.Unreachable, http.StatusOK,
			fmt.Sprintf("received only %d of %d results of batch %s", lines, want, id))
	}
	return answers, err
}

// keep stores one line of results. An unreadable one is treated as expired, and so will be
// asked again.
func (m *Model) keep(line []byte, answers map[string]llm.Answer) {
	var r result
	if json.Unmarshal(line, &r) != nil || r.CustomID == "" {
		return
	}
	var a llm.Answer
	switch r.Result.Type {
	case "succeeded":
		a.Response, a.Err = m.answer(r.Result.Message)
	case "errored":
		a.Err = m.errored(r.Result.Error)
	case "expired", "canceled":
		return
	default:
		a.Err = m.wire.Fail(llm.Nonsense, http.StatusOK, "an unknown type of result: "+m.wire.Clip([]byte(r.Result.Type)))
	}
	answers[r.CustomID] = a
}

// errored returns the error of a request in a batch that failed.
func (m *Model) errored(body []byte) error {
	status := 0
	if bytes.Contains(body, []byte(`"invalid_request_error"`)) {
		status = http.StatusBadRequest
	}
	e := m.wire.Refused(status, body)
	if e.Fault == llm.Rejected && strings.Contains(e.Text, "output_config") {
		m.refused.AddAll() // from the next request on
	}
	return e
}
