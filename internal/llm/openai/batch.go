package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	api "github.com/sashabaranov/go-openai"

	"recall/internal/llm"
	"recall/internal/text"
)

// A batch is a file of requests, one per line, that the service processes within a day, producing a file of answers
// and one of errors.

// batchTime is the time limit for transferring files.
const batchTime = 10 * time.Minute

// nameKey is the metadata key for the caller's name of a batch.
const nameKey = "recall"

// Submit implements llm.Batcher.
func (m *Chat) Submit(ctx context.Context, name string, requests map[string]llm.Request) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, batchTime)
	defer cancel()
	var lines []byte
	for _, key := range slices.Sorted(maps.Keys(requests)) {
		line, err := m.line(key, requests[key])
		if err != nil {
			return "", err
		}
		lines = append(append(lines, line...), '\n')
	}
	file, err := m.client.CreateFileBytes(ctx, api.FileBytesRequest{Name: "recall.jsonl", Bytes: lines,
		Purpose: api.PurposeBatch})
	if err != nil {
		return "", m.wire.Fault(ctx, err)
	}
	b, err := m.client.CreateBatch(ctx, api.CreateBatchRequest{InputFileID: file.ID,
		Endpoint: api.BatchEndpointChatCompletions, CompletionWindow: "24h", Metadata: map[string]any{nameKey: name}})
	if err != nil {
		return "", m.wire.Fault(ctx, err)
	}
	if b.ID == "" {
		return "", m.wire.Fail(llm.Nonsense, http.StatusOK, "a batch without an id")
	}
	return b.ID, nil
}

// line encodes a request as a line of a batch's file.
func (m *Chat) line(key string, r llm.Request) ([]byte, error) {
	h := m.dialects.of(r.Schema)
	h.ownTemperature = true // there is no second try without it
	h.format = max(h.format, m.safeFormat())
	line, err := json.Marshal(api.BatchChatCompletionRequest{CustomID: key, Method: http.MethodPost,
		URL: api.BatchEndpointChatCompletions, Body: m.request(r, h)})
	if err != nil {
		return nil, fmt.Errorf("request %s: %w", key, err)
	}
	return line, nil
}

// safeFormat returns the format that is certain to be accepted, because a batch can't find out first and a rejected
// format would fail all of its requests.
func (m *Chat) safeFormat() format {
	switch {
	case !m.own:
		return byMode
	case noSchemaModels().MatchString(m.o.Model):
		return byWords
	}
	return bySchema
}

// noSchemaModels matches OpenAI's models from before json_schema, some even from before json_object.
var noSchemaModels = text.Pattern(`^(gpt-3\.5|gpt-4(-|$)|chatgpt)`)

// clockSkew is the maximum difference between the service's clock and ours.
const clockSkew = time.Hour

// maxPages is how many pages of the service's list are read; it has all of an account's batches, newest first.
const maxPages = 20

// Find implements llm.Batcher, by the name. Batches that failed or were cancelled don't count.
func (m *Chat) Find(ctx context.Context, lost llm.Lost) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, m.o.Timeout)
	defer cancel()
	most := 100
	var after *string
	for range maxPages {
		list, err := m.client.ListBatch(ctx, after, &most)
		if err != nil {
			err = m.wire.Fault(ctx, err)
			if e, ok := errors.AsType[*llm.Error](err); ok && (e.Fault == llm.NotFound || e.Fault == llm.Rejected) {
				return "", nil // the service has no list
			}
			return "", err
		}
		for _, b := range list.Data {
			if time.Unix(int64(b.CreatedAt), 0).Before(lost.Since.Add(-clockSkew)) {
				return "", nil
			}
			void := slices.Contains([]string{"cancelling", "cancelled", "failed"}, b.Status)
			if b.Metadata[nameKey] == lost.Name && !void {
				return b.ID, nil
			}
		}
		if !list.HasMore || len(list.Data) == 0 {
			break
		}
		after = &list.Data[len(list.Data)-1].ID
	}
	return "", nil
}

// Collect implements llm.Batcher. A batch that the service rejected as a whole has ended, and the error says why.
func (m *Chat) Collect(ctx context.Context, id string) (llm.Batch, error) {
	ctx, cancel := context.WithTimeout(ctx, batchTime)
	defer cancel()
	b, err := m.client.RetrieveBatch(ctx, id)
	if err != nil {
		return llm.Batch{}, m.wire.Fault(ctx, err)
	}
	switch b.Status {
	case "validating", "in_progress", "finalizing", "cancelling":
		return llm.Batch{}, nil
	case "completed", "failed", "expired", "cancelled":
	default:
		return llm.Batch{}, m.wire.Fail(llm.Nonsense, http.StatusOK, "unknown batch status "+m.wire.Clip([]byte(b.Status)))
	}
	answers := map[string]llm.Answer{}
	for _, file := range []*string{b.OutputFileID, b.ErrorFileID} {
		if file == nil || *file == "" {
			continue
		}
		if err := m.read(ctx, *file, answers); err != nil {
			return llm.Batch{}, err
		}
	}
	out := llm.Batch{Ended: true, Answers: answers}
	if b.Status == "failed" {
		return out, m.failed(b.Batch)
	}
	return out, nil
}

// failed returns the error of a batch that was rejected before it began.
func (m *Chat) failed(b api.Batch) error {
	e := &llm.Error{Fault: llm.Rejected, Model: m.Name(), Text: "the batch was refused"}
	if b.Errors == nil || len(b.Errors.Data) == 0 {
		return e
	}
	first := b.Errors.Data[0]
	if first.Code == "token_limit_exceeded" { // limit for everything queued
		e.Fault = llm.RateLimited
	}
	e.Text = m.wire.Clip([]byte(first.Message))
	if first.Line != nil {
		e.Text = fmt.Sprintf("line %d: %s", *first.Line, e.Text)
	}
	return e
}

// outputLine is a line in a file of answers or errors.
type outputLine struct {
	CustomID string `json:"custom_id"`
	Response *struct {
		StatusCode int             `json:"status_code"`
		Body       json.RawMessage `json:"body"`
	} `json:"response"`
	Error *struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// read adds a file's answers, which may be in any order. An unreadable line is treated as expired, and so will be
// asked again.
func (m *Chat) read(ctx context.Context, file string, answers map[string]llm.Answer) error {
	content, err := m.client.GetFileContent(ctx, file)
	if err != nil {
		return m.wire.Fault(ctx, err)
	}
	defer content.Close()
	return m.wire.Lines(ctx, content, func(line []byte, last bool) error {
		var l outputLine
		bad := json.Unmarshal(line, &l) != nil
		if bad && last { // the file was truncated and will be complete next time
			return m.wire.Fail(llm.Unreachable, http.StatusOK, "a batch's answers broke off")
		}
		if a, ok := m.answered(l); ok && !bad && l.CustomID != "" {
			answers[l.CustomID] = a
		}
		return nil
	})
}

// answered returns the result of one request; ok is false if it wasn't answered in time.
func (m *Chat) answered(l outputLine) (a llm.Answer, ok bool) {
	switch {
	case l.Error != nil && (l.Error.Code == "batch_expired" || l.Error.Code == "batch_cancelled"):
		return a, false
	case l.Response == nil && l.Error == nil:
		return a, false
	case l.Response == nil:
		body, _ := json.Marshal(map[string]any{"error": l.Error})
		return llm.Answer{Err: m.wire.Refused(http.StatusInternalServerError, body)}, true
	case l.Response.StatusCode != http.StatusOK:
		return llm.Answer{Err: m.wire.Refused(l.Response.StatusCode, l.Response.Body)}, true
	}
	var res api.ChatCompletionResponse
	if err := json.Unmarshal(l.Response.Body, &res); err != nil {
		return llm.Answer{Err: m.wire.Fail(llm.Nonsense, http.StatusOK, "the answer has an unexpected form")}, true
	}
	a.Response, a.Err = m.answer(res, llm.Request{})
	return a, true
}
