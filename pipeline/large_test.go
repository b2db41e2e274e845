package pipeline_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"recall/ingest"
)

// What a sync may hold in memory, whatever it takes in.
const mostMB = 400

// peakOf syncs a folder in a process of its own and returns the megabytes that
// it held at most. Nothing is distilled, for the time it takes: with the distiller
// it was 266 MB for the images.
func peakOf(t *testing.T, root string) int {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "RECALL_TEST_PIPELINE="+root+"|"+t.TempDir(), "RECALL_TEST_SILENT=1")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	mb, err := strconv.Atoi(strings.TrimSpace(string(out)))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("held %d MB at most", mb)
	return mb
}

// So are tool results of 60 MB, each on one line: five, or where tests are to be quick
// one.
func TestHugeToolResults(t *testing.T) {
	if testing.Short() {
		t.Skip("300 MB")
	}
	root := t.TempDir()
	path := first.write(t, root)
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	w := bufio.NewWriter(f)
	results := 1
	if os.Getenv("RECALL_LONG") != "" {
		results = 5
	}
	for i := range results {
		at := fmt.Sprintf("2026-04-13T10:%02d:00.000Z", i)
		fmt.Fprintf(w, `{"uuid":"c%d","parentUuid":null,"sessionId":%q,"timestamp":%q,"type":"assistant","message":{"id":"m%d","role":"assistant","content":[{"type":"tool_use","id":"t%d","name":"Bash","input":{"command":"cat big"}}]}}`+"\n", i, first.id, at, i, i)
		fmt.Fprintf(w, `{"uuid":"r%d","parentUuid":"c%d","sessionId":%q,"timestamp":%q,"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t%d","content":"`, i, i, first.id, at, i)
		for n := range 60 << 20 / 32 {
			fmt.Fprintf(w, `line %020d of it\n`, n)
		}
		fmt.Fprint(w, `"}]}}`+"\n")
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if mb := peakOf(t, root); mb > mostMB {
		t.Errorf("held %d MB, want at most %d", mb, mostMB)
	}
}

// A session of 5,000 turns is one like any other.
func TestSessionOfManyTurns(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	root := t.TempDir()
	k := first
	for i := range 2500 {
		k.said = append(k.said, fmt.Sprintf("Now look at file number %d of the list.", i),
			fmt.Sprintf("I looked at file %d; there is nothing in it to change.", i))
	}
	k.write(t, root)
	p := open(t, t.TempDir())
	syncAll(t, p, root)
	e, err := p.Library.Session(ingest.SessionID(first.id))
	if err != nil || e.Turns != len(k.said) {
		t.Fatalf("%d turns, %v, want %d", e.Turns, err, len(k.said))
	}
	text, err := os.ReadFile(filepath.Join(e.Folder, "transcript.md"))
	if last := fmt.Sprintf("file number %d of the list", 2499); err != nil || !bytes.Contains(text, []byte(last)) {
		t.Errorf("its transcript ends before its last turn: %v", err)
	}
	page, err := os.Stat(filepath.Join(e.Folder, "payload.md"))
	if err != nil || page.Size() > 8<<10 {
		t.Errorf("payload.md: %v, %v, want a page", page, err)
	}
	for _, it := range items(t, p.Library)[first.id] {
		if strings.Contains(it, "exponential backoff") {
			return
		}
	}
	t.Errorf("what was decided at its beginning is lost: %q", items(t, p.Library)[first.id])
}
