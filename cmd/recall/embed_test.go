package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// ran is what a command gave.
type ran struct {
	stdout, stderr string
	err            error
}

func (r ran) ok(t *testing.T) {
	t.Helper()
	if r.err != nil {
		t.Fatalf("%v\n%s%s", r.err, r.stdout, r.stderr)
	}
}

// TestEmbedWithService runs recall vectors and recall query against a service
// that speaks the protocol: cut off it goes on, the library keeps what was
// made, and a service that is gone costs an answer nothing but a line.
func TestEmbedWithService(t *testing.T) {
	t.Parallel()
	var texts, fail, longer atomic.Int64
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q struct{ Input []string }
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
			t.Error(err)
		}
		if key := r.Header.Get("Authorization"); key != "" {
			t.Errorf("got %q, want no key of somebody else's", key)
		}
		if fail.Load() > 0 && texts.Load() >= fail.Load() {
			http.Error(w, `{"error":{"message":"out of order","type":"x"}}`, http.StatusBadRequest)
			return
		}
		if len(q.Input) != 1 || q.Input[0] != "length" { // which only asks how long its vectors are
			texts.Add(int64(len(q.Input)))
		}
		var data []string
		for i, s := range q.Input {
			h := fnv.New32a()
			h.Write([]byte(s))
			data = append(data, fmt.Sprintf(`{"index":%d,"embedding":[%d,%d,1%s]}`, i, h.Sum32()%97, h.Sum32()%89,
				strings.Repeat(",2", int(longer.Load()))))
		}
		fmt.Fprintf(w, `{"data":[%s]}`, strings.Join(data, ","))
	}))
	defer service.Close()
	home := t.TempDir()
	lib := filepath.Join(home, "cache", "recall", "demo", "Recall")
	run := func(line string, env ...string) ran {
		cmd := recallCmd(t, home, strings.Fields(line)...)
		cmd.Env = append(cmd.Env, env...)
		var out, err bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &err
		failed := cmd.Run()
		return ran{out.String(), err.String(), failed}
	}
	run("demo").ok(t)
	env := []string{"RECALL_LIBRARY_DIR=" + lib, "RECALL_QUERY_VECTORS=service", "RECALL_EMBED_URL=" + service.URL +
		"/v1", "RECALL_EMBED_MODEL=tiny", "OPENAI_API_KEY=for-others"}
	fail.Store(40)
	out := run("vectors", env...)
	if out.err == nil || !strings.Contains(out.stderr, "out of order") ||
		!strings.Contains(out.stderr, "embedded before that are kept") {
		t.Fatalf("a service that fails: got %v, %s", out.err, out.stderr)
	}
	before := texts.Load()
	fail.Store(0)
	run("vectors", env...).ok(t)
	all := texts.Load()
	if files, _ := filepath.Glob(filepath.Join(lib, "*", "*", "vectors", "tiny.f32")); len(files) == 0 {
		t.Error("the library has no vectors/tiny.f32")
	}
	out = run("vectors", env...)
	out.ok(t)
	if texts.Load() != all || !strings.HasPrefix(out.stdout, "0 items embedded") {
		t.Errorf("run again: %d texts were sent, %q; want none", texts.Load()-all, out.stdout)
	}
	if !strings.Contains(out.stdout, fmt.Sprintf("%d had a vector", all)) || before == 0 || before >= all {
		t.Errorf("%d texts before the failure, %d in all, %q; want each sent once", before, all, out.stdout)
	}
	run("reindex", env...).ok(t)
	if texts.Load() != all {
		t.Errorf("reindex sent %d texts, want none: the library has the vectors", texts.Load()-all)
	}
	out = run("query --no-sync tidemark", env...)
	out.ok(t)
	if texts.Load() != all+1 || strings.Contains(out.stderr, "words alone") {
		t.Errorf("a question sent %d texts, want one; %s", texts.Load()-all, out.stderr)
	}
	longer.Store(2) // another model by the same name
	if out = run("query --no-sync tidemark", env...); !strings.Contains(out.stderr, "searched by words alone") {
		t.Errorf("vectors of another length: got %q", out.stderr)
	}
	if out = run("vectors", env...); !strings.HasPrefix(out.stdout, fmt.Sprintf("%d items embedded", all)) ||
		!strings.Contains(out.stdout, "0 had a vector") {
		t.Errorf("vectors of another length: got %q, %q, want all made anew", out.stdout, out.stderr)
	}
	if out = run("query --no-sync tidemark", env...); strings.Contains(out.stderr, "words alone") {
		t.Errorf("vectors made anew: got %q", out.stderr)
	}
	service.Close()
	out = run("query --no-sync tidemark", env...)
	out.ok(t)
	if !strings.Contains(out.stderr, "searched by words alone") || !strings.Contains(out.stdout, "norrsken") {
		t.Errorf("with the service gone: got %q, %q, want an answer by words that says so", out.stdout, out.stderr)
	}
	if other := run("query --no-sync tidemark", append(env,
		"RECALL_EMBED_MODEL=other")...); !strings.Contains(other.stderr, "no vectors of other yet") {
		t.Errorf("another model: got %q, want its vectors apart", other.stderr)
	}
	if _, err := os.Stat(lib); err != nil {
		t.Error(err)
	}
}
