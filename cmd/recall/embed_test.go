package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"recall/cmd/recall/app"
	"recall/index/vectorfile"
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

// TestEmbedWithService finds by meaning through a service that speaks the protocol: cut off it goes on, each text is
// sent once, and a service that is gone costs an answer nothing but a line.
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
		texts.Add(int64(len(q.Input)))
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
	env := []string{"RECALL_LIBRARY_DIR=" + lib, embedProvider + "=openai", "RECALL_EMBED_URL=" + service.URL + "/v1",
		"RECALL_EMBED_MODEL=tiny", "OPENAI_API_KEY=for-others"}
	status := func() string { return run("status", env...).stdout }
	fail.Store(40)
	if out := run("rest", env...); !strings.Contains(out.stderr, "out of order") ||
		!strings.Contains(status(), "not yet") {
		t.Fatalf("a service that fails: got %v, %s, %s", out.err, out.stderr, status())
	}
	before := texts.Load()
	fail.Store(0)
	run("rest", env...).ok(t)
	all := texts.Load()
	if before == 0 || before >= all || strings.Contains(status(), "not yet") {
		t.Errorf("%d texts before the failure, %d in all; %s", before, all, status())
	}
	run("rest", env...).ok(t)
	run("reindex", env...).ok(t)
	run("rest", env...).ok(t)
	if texts.Load() != all {
		t.Errorf("run again: %d texts were sent, want each once", texts.Load()-all)
	}
	out := run("query --no-sync tidemark", env...)
	out.ok(t)
	if texts.Load() != all+1 || strings.Contains(out.stderr, "words alone") {
		t.Errorf("a question sent %d texts, want one; %s", texts.Load()-all, out.stderr)
	}
	longer.Store(2) // another model by the same name
	if out = run("query --no-sync tidemark", env...); !strings.Contains(out.stderr, "searched by words alone") {
		t.Errorf("vectors of another length: got %q", out.stderr)
	}
	texts.Store(0)
	env = append(env, "RECALL_EMBED_MODEL=other")
	run("rest", env...).ok(t)
	out = run("query --no-sync tidemark", env...)
	if texts.Load() != all+1 || strings.Contains(out.stderr, "words alone") {
		t.Errorf("another model was sent %d texts, want %d; %q", texts.Load(), all+1, out.stderr)
	}
	service.Close()
	out = run("query --no-sync tidemark", env...)
	out.ok(t)
	if !strings.Contains(out.stderr, "searched by words alone") || !strings.Contains(out.stdout, "norrsken") {
		t.Errorf("with the service gone: got %q, %q, want an answer by words that says so", out.stdout, out.stderr)
	}
}

// What a question or a hook takes in is read by the model in a process of its own, and the next question finds it.
func TestVectorsFollowInTheBackground(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	program, err := exec.LookPath("recall") // by another name nothing is started in the background
	must(t, err)
	run := func(args ...string) string {
		t.Helper()
		cmd := recallCmd(t, home, args...)
		cmd.Path, cmd.Args[0] = program, program
		cmd.Env = append(cmd.Env, embedProvider+"=builtin", asRecall+"=")
		out, err := cmd.CombinedOutput()
		if err != nil && cmd.ProcessState.ExitCode() != app.ExitNothing { // none of a question's words were said
			t.Fatalf("recall %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	dir := filepath.Join(home, ".claude", "projects", "-home-ann-app")
	must(t, os.MkdirAll(dir, 0o700))
	writeSession(t, dir, 1, "we keep the prices in sqlite", "Done.")
	run("init", "--yes")
	size := func() int64 {
		found, _ := filepath.Glob(filepath.Join(home, "cache", "recall", "*", vectorfile.Name))
		if len(found) != 1 {
			return 0
		}
		fi, err := os.Stat(found[0])
		must(t, err)
		return fi.Size()
	}
	one := size()
	writeSession(t, dir, 2, "small boats are out of reach of a mast", "Then the tides are computed on the device.")
	run("query", "sqlite prices")
	for end := time.Now().Add(3 * time.Minute); size() == one; time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("no more vectors than %d bytes; %s", one, run("status"))
		}
	}
	said := run("query", "--no-sync", "--limit", "1", "kayaks without coverage")
	if !strings.Contains(said, "out of reach") {
		t.Errorf("not found by its meaning:\n%s", said)
	}
}
