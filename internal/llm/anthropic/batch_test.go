package anthropic

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"recall/internal/llm"
)

// batches is the service's side of batches: what was created, by id, and
// answers in the reverse order.
type batches struct {
	asked map[string][]batchRequest // by batch
	ended bool
	line  func(o batchRequest) string // of the results
	lose  int                         // the answer to the n-th create is lost
	made  time.Time                   // when a batch was made; now if zero
}

func (b *batches) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	id, what, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, "/v1/messages/batches"), "/"), "/")
	switch {
	case r.Method == http.MethodPost && id == "":
		var body struct{ Requests []batchRequest }
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprintf(w, `{"type":"error","error":{"type":"invalid_request_error","message":"requests: %v"}}`, err)
			return
		}
		id = fmt.Sprintf("msgbatch_%02d", len(b.asked)+1)
		b.asked[id] = body.Requests
		if len(b.asked) == b.lose {
			panic(http.ErrAbortHandler)
		}
	case r.Method == http.MethodGet && id == "":
		var all []string
		for id := range b.asked {
			all = append(all, b.account(id))
		}
		fmt.Fprintf(w, `{"data":[%s],"has_more":false,"first_id":null,"last_id":null}`, strings.Join(all, ","))
		return
	case b.asked[id] == nil:
		w.WriteHeader(http.StatusNotFound)
		io.WriteString(w, `{"type":"error","error":{"type":"not_found_error","message":"Not found"}}`)
		return
	case what == "results":
		w.Header().Set("Content-Type", "application/x-jsonl")
		for _, o := range slices.Backward(b.asked[id]) {
			io.WriteString(w, b.line(o)+"\n")
		}
		return
	}
	io.WriteString(w, b.account(id))
}

func (b *batches) account(id string) string {
	status, url, counts := "in_progress", "null",
		fmt.Sprintf(`{"processing":%d,"succeeded":0,"errored":0,"canceled":0,"expired":0}`, len(b.asked[id]))
	if b.ended {
		// Another host's: the key must not go there.
		status, url = "ended", `"http://127.0.0.1:1/v1/messages/batches/`+id+`/results"`
		counts = fmt.Sprintf(`{"processing":0,"succeeded":%d,"errored":1,"canceled":0,"expired":0}`, len(b.asked[id])-1)
	}
	made := b.made
	if made.IsZero() {
		made = time.Now()
	}
	return fmt.Sprintf(`{"id":%q,"type":"message_batch","processing_status":%q,"request_counts":%s,"ended_at":null,"created_at":%q,
		"expires_at":"2026-11-21T10:00:00Z","archived_at":null,"cancel_initiated_at":null,"results_url":%s}`, id, status, counts, made.UTC().Format(time.RFC3339Nano), url)
}

func succeeded(o batchRequest) string {
	return `{"custom_id":"` + o.CustomID +
		`","result":{"type":"succeeded","message":{"id":"msg_1","type":"message","role":"assistant","model":"claude-haiku-4-5","content":[{"type":"text","text":"` +
		"```json\\n{\\\"for\\\":\\\"" + o.CustomID + "\\\"}\\n```" +
		`"}],"stop_reason":"end_turn","usage":{"input_tokens":2,"output_tokens":1}}}}`
}

func TestBatch(t *testing.T) {
	b := &batches{asked: map[string][]batchRequest{}, line: func(o batchRequest) string {
		switch o.CustomID {
		case "late":
			return `{"custom_id":"late","result":{"type":"expired"}}`
		case "stopped":
			return `{"custom_id":"stopped","result":{"type":"canceled"}}`
		case "wrong":
			return `{"custom_id":"wrong","result":{"type":"errored","error":{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 9 tokens > 8 maximum"},"request_id":"req_1"}}}`
		case "busy":
			return `{"custom_id":"busy","result":{"type":"errored","error":{"type":"error","error":{"type":"api_error","message":"Internal server error"}}}}`
		case "cut":
			return `{"custom_id":"cut","result":{"type":"succeeded","message":{"type":"message","content":[{"type":"text","text":"{"}],"stop_reason":"max_tokens","usage":{"input_tokens":2,"output_tokens":1}}}}`
		case "new":
			return `{"custom_id":"new","result":{"type":"made_up_later"}}`
		case "torn":
			return `{"custom_id":"torn","resu`
		}
		return strings.NewReplacer("```json\\n", "", "\\n```", "").Replace(succeeded(o))
	}}
	s, m := serve(t, b.ServeHTTP)
	ask := map[string]llm.Request{}
	for _, k := range []string{"a-1", "b_2", "late", "stopped", "wrong", "busy", "cut", "new", "torn"} {
		ask[k] = llm.Request{System: "Be brief.", Prompt: "for " + k, Schema: schema}
	}
	id, err := m.Submit(t.Context(), "b", ask)
	if err != nil {
		t.Fatal(err)
	}
	if id != "msgbatch_01" {
		t.Errorf("got id %s", id)
	}
	first, _, _ := strings.Cut(s.bodies[0], `,{"custom_id":"b_2"`)
	equalJSON(t, first+"]}", `{"requests":[{"custom_id":"a-1","params":{"model":"claude-haiku-4-5","max_tokens":8192,
		"system":[{"type":"text","text":"Be brief.","cache_control":{"type":"ephemeral"}}],
		"messages":[{"role":"user","content":"for a-1"}],
		"output_config":{"format":{"type":"json_schema","schema":`+string(schema.JSON)+`}}}}]}`)

	got, err := m.Collect(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	var want llm.Batch
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("under way (-want +got):\n%s", d)
	}

	b.ended = true
	got, err = m.Collect(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	fault := func(f llm.Fault, status int) llm.Answer {
		return llm.Answer{Err: &llm.Error{Fault: f, Model: m.Name(), Status: status}}
	}
	answer := func(text string) llm.Answer {
		return llm.Answer{Response: llm.Response{Text: text, Usage: llm.Usage{In: 2, Out: 1}}}
	}
	want.Ended = true
	want.Answers = map[string]llm.Answer{"a-1": answer(`{"for":"a-1"}`), "b_2": answer(`{"for":"b_2"}`),
		"wrong": fault(llm.TooLong, 400), "busy": fault(llm.Overloaded, 0), "cut": fault(llm.Cut, 200),
		"new": fault(llm.Nonsense, 200)}
	want.Answers["cut"].Err.(*llm.Error).Usage = llm.Usage{In: 2, Out: 1}
	if d := cmp.Diff(want, got, cmpopts.IgnoreFields(llm.Error{}, "Text")); d != "" {
		t.Errorf("ended (-want +got):\n%s", d)
	}
}

// Models from before output_config are told of the schema.
func TestBatchOfAnOldModel(t *testing.T) {
	b := &batches{asked: map[string][]batchRequest{}, line: succeeded, ended: true}
	s, m := serve(t, b.ServeHTTP)
	old, err := New(Options{URL: s.URL, Key: testKey, Model: "claude-3-haiku-20240307"})
	if err != nil {
		t.Fatal(err)
	}
	id, err := old.Submit(t.Context(), "b", map[string]llm.Request{"x": {Prompt: "hello", Schema: schema}})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(s.bodies[0], "output_config") {
		t.Errorf("sent %s", s.bodies[0])
	}
	got, err := m.Collect(t.Context(), id)
	a := got.Answers["x"]
	if found, _ := llm.FindJSON(a.Response.Text); err != nil || a.Err != nil || found != `{"for":"x"}` {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestBatchFaults(t *testing.T) {
	ask := map[string]llm.Request{"a": {Prompt: "1"}, "b": {Prompt: "2"}}
	t.Run("the answer is lost", func(t *testing.T) {
		b := &batches{asked: map[string][]batchRequest{}, lose: 1}
		_, m := serve(t, b.ServeHTTP)
		began := time.Now()
		_, err := m.Submit(t.Context(), "b", ask)
		if e := asError(t, err); e.Fault != llm.Unreachable || !e.Unsure() {
			t.Errorf("got %v", err)
		}
		if id, err := m.Find(t.Context(), llm.Lost{Requests: 2, Since: began}); err != nil || id != "msgbatch_01" {
			t.Errorf("got %s, %v, want the batch that is there", id, err)
		}
	})
	t.Run("found again", func(t *testing.T) { // by a process that knows when, and how many
		b := &batches{asked: map[string][]batchRequest{"msgbatch_01": {{}, {}}}, made: time.Now()}
		_, m := serve(t, b.ServeHTTP)
		for _, c := range []struct {
			requests int
			since    time.Time
			not, id  string
		}{{2, time.Now().Add(-time.Hour), "msgbatch_00", "msgbatch_01"}, {3, time.Now().Add(-time.Hour), "", ""},
			{2, time.Now().Add(time.Hour), "", ""}, {2, time.Now(), "msgbatch_01", ""}} {
			if id, err := m.Find(t.Context(), llm.Lost{Requests: c.requests, Since: c.since,
				Others: []string{c.not}}); err != nil || id != c.id {
				t.Errorf("%+v: got %q, %v", c, id, err)
			}
		}
		_, m = serve(t, http.NotFound)
		if id, err := m.Find(t.Context(), llm.Lost{Requests: 2, Since: time.Now()}); err != nil || id != "" {
			t.Errorf("of a service that lists none: got %q, %v", id, err)
		}
	})
	t.Run("forgotten by the service", func(t *testing.T) {
		_, m := serve(t, (&batches{}).ServeHTTP)
		got, err := m.Collect(t.Context(), "msgbatch_99")
		if err != nil || !got.Ended || len(got.Answers) > 0 {
			t.Errorf("got %+v, %v", got, err)
		}
	})
	t.Run("a wrong address forgets nothing", func(t *testing.T) {
		_, m := serve(t, func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusNotFound)
			io.WriteString(w, "<html>nothing here</html>")
		})
		if _, err := m.Collect(t.Context(), "msgbatch_01"); asError(t, err).Fault != llm.NotFound {
			t.Errorf("got %v", err)
		}
	})
	t.Run("results end early", func(t *testing.T) {
		b := &batches{asked: map[string][]batchRequest{}, ended: true, line: succeeded}
		_, m := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/results") {
				io.WriteString(w, succeeded(batchRequest{CustomID: "a"})+"\n")
				return
			}
			b.ServeHTTP(w, r)
		})
		id, err := m.Submit(t.Context(), "b", ask)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := m.Collect(t.Context(), id); asError(t, err).Fault != llm.Unreachable || got.Answers != nil {
			t.Errorf("got %+v, %v", got, err)
		}
	})
}
