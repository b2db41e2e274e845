package openai

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recall/internal/llm"
)

// depot serves Files and Batches: what was uploaded, what batches were made of
// it, and what they and their files are to say.
type depot struct {
	t       *testing.T
	uploads []string          // the files' bytes
	made    []map[string]any  // bodies of POST /batches
	batches map[string]string // by id
	files   map[string]string // by id
	refuse  int               // which upload fails, from 1
	lose    int               // the answer to which POST /batches is lost, from 1
	listed  []string          // what GET /batches lists besides those made, the oldest first
	pages   int               // of the list that were read
}

func (d *depot) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	path := strings.TrimPrefix(r.URL.Path, "/v1")
	switch {
	case r.Method == http.MethodPost && path == "/files":
		f, _, err := r.FormFile("file")
		if err != nil || r.FormValue("purpose") != "batch" {
			d.t.Errorf("upload: %v, purpose %q", err, r.FormValue("purpose"))
			return
		}
		b, _ := io.ReadAll(f)
		d.uploads = append(d.uploads, string(b))
		if len(d.uploads) == d.refuse {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintf(w, `{"id":"file-%d","object":"file","bytes":%d,"created_at":1,"filename":"recall.jsonl","purpose":"batch","status":"processed"}`, len(d.uploads), len(b))
	case r.Method == http.MethodPost && path == "/batches":
		var body map[string]any
		json.NewDecoder(r.Body).Decode(&body)
		d.made = append(d.made, body)
		if len(d.made) == d.lose {
			panic(http.ErrAbortHandler)
		}
		fmt.Fprintf(w, `{"id":"batch_%d","object":"batch","endpoint":"/v1/chat/completions","errors":null,"input_file_id":"file-1","completion_window":"24h","status":"validating","created_at":1,"request_counts":{"total":0,"completed":0,"failed":0}}`, len(d.made))
	case path == "/batches":
		d.pages++
		all := slices.Clone(d.listed)
		for i, body := range d.made {
			meta, _ := json.Marshal(body["metadata"])
			all = append(all, fmt.Sprintf(
				`{"id":"batch_%d","object":"batch","status":"validating","created_at":%d,"metadata":%s}`, i+1,
				time.Now().Unix(), meta))
		}
		slices.Reverse(all)
		for i, b := range all { // two a page
			if after := r.FormValue("after"); after != "" && strings.Contains(b, `"id":"`+after+`"`) {
				all = all[i+1:]
				break
			}
		}
		fmt.Fprintf(w, `{"object":"list","data":[%s],"has_more":%v}`, strings.Join(all[:min(2, len(all))], ","), len(all) > 2)
	case strings.HasPrefix(path, "/batches/"):
		b, ok := d.batches[path[len("/batches/"):]]
		if !ok {
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `{"error":{"message":"No batch found","type":"invalid_request_error"}}`)
			return
		}
		io.WriteString(w, b)
	case strings.HasSuffix(path, "/content"):
		io.WriteString(w, d.files[strings.Split(path, "/")[2]])
	default:
		d.t.Errorf("got %s %s", r.Method, r.URL.Path)
	}
}

func (d *depot) chat(t *testing.T) *Chat {
	t.Helper()
	d.t = t
	s := httptest.NewServer(d)
	t.Cleanup(s.Close)
	m, err := NewChat(ChatOptions{URL: s.URL + "/v1", Key: secret, Model: "tiny"})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func requests(n int, s *llm.Schema) map[string]llm.Request {
	rs := map[string]llm.Request{}
	for i := range n {
		rs[fmt.Sprintf("k%d", i)] = llm.Request{System: "be brief", Prompt: fmt.Sprintf("question %d", i), Schema: s, Max: 10}
	}
	return rs
}

func TestSubmit(t *testing.T) {
	d := &depot{}
	m := d.chat(t)
	id, err := m.Submit(t.Context(), "b1", requests(5, schema))
	if err != nil || id != "batch_1" {
		t.Fatalf("got %q, %v", id, err)
	}
	var keys []string
	for _, u := range d.uploads {
		for lines := bufio.NewScanner(strings.NewReader(u)); lines.Scan(); {
			var l struct {
				CustomID string `json:"custom_id"`
				Method   string
				URL      string
				Body     asked
			}
			if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
				t.Fatal(err)
			}
			question, _, _ := strings.Cut(l.Body.Messages[1].Content, "\n")
			keys = append(keys, l.CustomID+" "+question)
			if l.Method != "POST" || l.URL != "/v1/chat/completions" || l.Body.Model != "tiny" ||
				l.Body.form() != "json_object max_tokens told" {
				t.Errorf("got line %+v, form %s", l, l.Body.form())
			}
		}
	}
	want := []string{"k0 question 0", "k1 question 1", "k2 question 2", "k3 question 3", "k4 question 4"}
	if diff := cmp.Diff(want, keys); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
	made := map[string]any{"input_file_id": "file-1", "endpoint": "/v1/chat/completions", "completion_window": "24h",
		"metadata": map[string]any{nameKey: "b1"}}
	if diff := cmp.Diff(made, d.made[0]); diff != "" {
		t.Errorf("batch (-want +got):\n%s", diff)
	}

	d = &depot{refuse: 1}
	id, err = d.chat(t).Submit(t.Context(), "b1", requests(3, nil))
	var e *llm.Error
	if id != "" || !errors.As(err, &e) || e.Fault != llm.Overloaded || len(d.made) > 0 {
		t.Errorf("the file isn't taken: got %q, %v, batches %v", id, err, d.made)
	}
	d = &depot{}
	if _, err := d.chat(t).Submit(t.Context(), "b1", requests(3, nil)); err != nil ||
		!cmp.Equal(d.made[0]["metadata"], any(map[string]any{nameKey: "b1"})) {
		t.Errorf("answers in words: got %v, %v", d.made, err)
	}
}

// A batch whose id was lost, as the connection broke before the answer, is found by the name that it was given.
func TestFind(t *testing.T) {
	d := &depot{lose: 1}
	m := d.chat(t)
	_, err := m.Submit(t.Context(), "mine", requests(3, nil))
	if e := (*llm.Error)(nil); !errors.As(err, &e) || !e.Unsure() {
		t.Errorf("an answer was lost: got %v", err)
	}
	d.listed = []string{`{"id":"ancient","created_at":5,"metadata":{"recall":"mine"}}`,
		fmt.Sprintf(`{"id":"other","created_at":%d,"metadata":null}`, time.Now().Unix()),
		fmt.Sprintf(`{"id":"first","created_at":%d,"metadata":{"recall":"yours"}}`, time.Now().Unix())}
	for _, status := range []string{"cancelled", "failed"} {
		d.listed = append(d.listed, fmt.Sprintf(`{"id":%q,"status":%q,"created_at":%d,"metadata":{"recall":"off"}}`,
			status, status, time.Now().Unix()))
	}
	for _, c := range []struct {
		lost  llm.Lost
		id    string
		pages int
	}{
		{llm.Lost{Name: "mine", Since: time.Now()}, "batch_1", 1},
		{llm.Lost{Name: "yours", Since: time.Now()}, "first", 2},
		{llm.Lost{Name: "another", Since: time.Now()}, "", 3},
		{llm.Lost{Name: "off", Since: time.Now()}, "", 3},
		{llm.Lost{Name: "mine", Since: time.Now().Add(2 * time.Hour)}, "", 1},
	} {
		d.pages = 0
		if id, err := m.Find(t.Context(), c.lost); err != nil || id != c.id || d.pages != c.pages {
			t.Errorf("%+v: got %q of %d pages, %v; want %q of %d", c.lost, id, d.pages, err, c.id, c.pages)
		}
	}
	s := httptest.NewServer(http.NotFoundHandler())
	defer s.Close()
	none, err := NewChat(ChatOptions{URL: s.URL, Model: "tiny"})
	if err != nil {
		t.Fatal(err)
	}
	if id, err := none.Find(t.Context(), llm.Lost{Name: "mine", Since: time.Now()}); err != nil || id != "" {
		t.Errorf("of a service that lists none: got %q, %v", id, err)
	}
}

// A batch can't ask first which format a service takes.
func TestBatchFormat(t *testing.T) {
	for _, c := range []struct{ url, model, want string }{
		{"", "gpt-6-luna", "json_schema"}, {"", "gpt-4o-mini", "json_schema"}, {"", "gpt-4-turbo", "plain"},
		{"https://api.groq.com/openai/v1", "llama", "json_object"},
	} {
		m, err := NewChat(ChatOptions{URL: c.url, Key: secret, Model: c.model})
		if err != nil {
			t.Fatal(err)
		}
		line, err := m.line("k0", requests(1, schema)["k0"])
		if err != nil {
			t.Fatal(err)
		}
		var l struct{ Body asked }
		if err := json.Unmarshal(line, &l); err != nil || !strings.HasPrefix(l.Body.form(), c.want+" ") {
			t.Errorf("%s: got %q, %v, want %s", c.model, l.Body.form(), err, c.want)
		}
	}
}

// batch is what GET /batches/ID says.
func batch(status, output, errs, errors string) string {
	quoted := func(s string) string {
		if s == "" {
			return "null"
		}
		return `"` + s + `"`
	}
	return fmt.Sprintf(`{"id":"b","object":"batch","endpoint":"/v1/chat/completions","errors":%s,"input_file_id":"file-1","completion_window":"24h","status":%q,
"output_file_id":%s,"error_file_id":%s,"created_at":1711471533,"expires_at":1711557933,"request_counts":{"total":4,"completed":2,"failed":1},"metadata":{"recall_json":"1"}}`,
		errors, status, quoted(output), quoted(errs))
}

func TestCollect(t *testing.T) {
	compact := func(s string) string { return strings.ReplaceAll(s, "\n", "") }
	out := fmt.Sprintf(`{"id":"batch_req_2","custom_id":"k2","response":{"status_code":200,"request_id":"r","body":%s},"error":null}
{"id":"batch_req_1","custom_id":"k1","response":{"status_code":200,"request_id":"r","body":%s},"error":null}
`, compact(completion(`{"a":2}`, "stop")), compact(completion(`{"a":`, "length")))
	errs := `{"id":"batch_req_3","custom_id":"k3","response":{"status_code":400,"request_id":"r","body":{"error":{"message":"This model's maximum context length is 8192 tokens.","type":"invalid_request_error","code":"context_length_exceeded"}}},"error":null}
{"id":"batch_req_4","custom_id":"k4","response":null,"error":{"code":"batch_expired","message":"This request could not be executed before the completion window expired."}}
{"id":"batch_req_5","custom_id":"k5","response":null,"error":{"code":"server_error","message":"oops"}}`
	d := &depot{
		files: map[string]string{"out": out, "errs": errs, "torn": out[:len(out)*2/3],
			"odd": "{\"custom_id\":\"k1\",\"resp\n{}\n" + out},
		batches: map[string]string{
			"new": batch("validating", "", "", "null"), "done": batch("completed", "out", "errs", "null"),
			"late": batch("expired", "out", "errs", "null"),
			"off":  batch("cancelled", "", "", "null"), "torn": batch("completed", "torn", "", "null"),
			"odd": batch("dreaming", "", "", "null"), "garbled": batch("completed", "odd", "errs", "null"),
			"bad": batch("failed", "", "",
				`{"object":"list","data":[{"code":"duplicate_custom_id","message":"The custom_id is used twice.","param":null,"line":2}]}`),
			"full": batch("failed", "", "",
				`{"object":"list","data":[{"code":"token_limit_exceeded","message":"Enqueued token limit reached","param":null,"line":null}]}`),
		},
	}
	m := d.chat(t)
	answers := map[string]string{"k1": "cut", "k2": `{"a":2}`, "k3": "too long", "k5": "overloaded"}
	for _, c := range []struct {
		id      string
		ended   bool
		answers map[string]string
		fault   llm.Fault
	}{
		{"new", false, nil, ""},
		{"done", true, answers, ""},
		{"late", true, answers, ""},
		{"off", true, map[string]string{}, ""},
		{"bad", true, map[string]string{}, llm.Rejected},
		{"full", true, map[string]string{}, llm.RateLimited},
		{"garbled", true, answers, ""},
		{"torn", false, nil, llm.Unreachable},
		{"odd", false, nil, llm.Nonsense},
		{"nowhere", false, nil, llm.NotFound},
	} {
		b, err := m.Collect(t.Context(), c.id)
		var e *llm.Error
		if errors.As(err, &e) != (c.fault != "") || e != nil && e.Fault != c.fault {
			t.Errorf("%s: got error %v, want %q", c.id, err, c.fault)
		}
		if b.Ended != c.ended {
			t.Errorf("%s: got ended %v, want %v", c.id, b.Ended, c.ended)
		}
		var got map[string]string
		if b.Answers != nil {
			got = map[string]string{}
		}
		for k, a := range b.Answers {
			got[k] = a.Response.Text
			if errors.As(a.Err, &e) {
				got[k] = string(e.Fault)
			}
		}
		if diff := cmp.Diff(c.answers, got); diff != "" {
			t.Errorf("%s: answers (-want +got):\n%s", c.id, diff)
		}
	}
}
