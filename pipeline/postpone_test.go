package pipeline_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"recall/ingest"
	"recall/library"
	"recall/pipeline"
)

// A session of 130 MB that goes on is archived at each sync, and made again only when
// some time has passed or it is asked for; then it is what it is when it is taken in
// at once. A question doesn't begin it. One beside it, of usual size, waits for nothing.
func TestLargeSessionThatGoesOn(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("130 MB")
	}
	home := t.TempDir()
	path := first.write(t, home)
	appendText(t, path, `{"uuid":"big","parentUuid":null,"sessionId":"`+first.id+
		`","timestamp":"2026-10-05T10:00:00Z","type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"none","content":"`+
		string(bytes.Repeat([]byte("line of it\\n"), 130<<20/12))+"\"}]}}\n")
	other := talk{id: "77777777-0000-4000-8000-000000000001", start: first.start,
		said: []string{"Which port does the harbour listen on?", "It listens on 8081."}}
	small := other.write(t, home)
	root := filepath.Join(home, "projects")
	p := open(t, t.TempDir())
	p.Roots = map[ingest.Source][]string{ingest.ClaudeCode: {root}, ingest.Cowork: {}}
	sync := func(what string, o pipeline.Options, distilled, left int) pipeline.Report {
		t.Helper()
		r, err := p.Sync(context.Background(), o)
		if err != nil || r.Skipped() || r.Distilled != distilled || r.Left != left {
			t.Fatalf("%s: %d distilled, %d left, %v %v; want %d and %d", what, r.Distilled, r.Left, err, r.Problems,
				distilled, left)
		}
		return r
	}
	sync("first", pipeline.Options{}, 2, 0)
	turns := func() int {
		t.Helper()
		e, err := p.Library.Session(ingest.SessionID(first.id))
		if err != nil {
			t.Fatal(err)
		}
		if state, why := e.State(nil); state != library.Safe {
			t.Fatal(state, why)
		}
		return e.Turns
	}
	before := turns()

	appendText(t, path, oneMore("more"))
	appendText(t, small, oneMore("small"))
	if r := sync("grown", pipeline.Options{}, 1, 1); r.Bytes == 0 || time.Until(r.Until) <= 0 ||
		time.Until(r.Until) > 2*time.Minute {
		t.Errorf("%d bytes archived, made again at %v", r.Bytes, r.Until)
	}
	sync("grown, once more", pipeline.Options{}, 0, 1)
	if turns() != before {
		t.Error("it was made again")
	}

	p.Now = func() time.Time { return time.Now().Add(3 * time.Minute) }
	start := time.Now()
	sync("asked a question", pipeline.Options{Budget: time.Millisecond}, 0, 1)
	waited := time.Since(start)
	start = time.Now()
	sync("later", pipeline.Options{}, 1, 0)
	if made := time.Since(start); waited > made/2 {
		t.Errorf("a question waited for %v, where all is made in %v", waited, made)
	}
	if turns() != before+1 {
		t.Error("it wasn't made again")
	}
	whole := open(t, t.TempDir())
	whole.Roots = p.Roots
	if _, err := whole.Sync(context.Background(), pipeline.Options{}); err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(outcomeOf(t, whole), outcomeOf(t, p)); diff != "" {
		t.Errorf("-at once +as it went on:\n%s", diff)
	}

	p.Now = nil
	appendText(t, path, oneMore("most"))
	sync("grown again", pipeline.Options{}, 0, 1)
	sync("asked for", pipeline.Options{From: []string{path}}, 1, 0)
}

func appendText(t testing.TB, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = fmt.Fprint(f, text)
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if err != nil {
		t.Fatal(err)
	}
}
