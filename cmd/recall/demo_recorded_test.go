package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recall/cmd/recall/demo"
	"recall/library"
)

var recordDemo = flag.String("record", "", "a demo's library that a model was asked about, to take its answers from")

// The demo's model has an answer to everything that is asked about the samples. Where it
// hasn't, because sessions, or what of them is asked about, changed:
//
//	recall demo --dir DIR
//	recall --library DIR/Recall sync                  with llm.provider set
//	go test ./cmd/recall -run TestDemoRecorded -record DIR/Recall
//
// Another wording of a prompt changes nothing.
func TestDemoRecorded(t *testing.T) {
	if *recordDemo != "" {
		recordAnswers(t, *recordDemo)
		t.Skip("recorded; run again without -record")
	}
	dir := t.TempDir()
	for _, name := range []string{"HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "LocalAppData", "AppData", "USERPROFILE"} {
		t.Setenv(name, dir)
	}
	said := string(mustRun(t, "demo", "--dir", filepath.Join(dir, "demo")))
	if strings.Contains(said, "have no answer") {
		t.Errorf("requests about the samples have no recorded answer; the comment of this test says how to record anew:\n%s",
			said)
	}
	kept, err := demo.Answers()
	must(t, err)
	l, err := library.Open(filepath.Join(dir, "demo", "Recall-model"))
	must(t, err)
	defer l.Close()
	sessions, err := l.Sessions()
	must(t, err)
	asked, worded := 0, 0
	for _, e := range sessions {
		if e.Distilled.Model.Name != "" {
			asked++
		}
		p, err := l.Payload(e.ID)
		must(t, err)
		for i := range p.Items {
			worded += min(len(p.Items[i].Aliases), 1)
		}
	}
	if asked < 10 || len(kept) < 80 || worded < 100 {
		t.Errorf("the model has %d answers and made payloads of %d sessions with other words for %d items", len(kept), asked,
			worded)
	}
}

// recordAnswers takes a library's answers, but for those about several things at once, of
// which each is kept by itself as well.
func recordAnswers(t *testing.T, dir string) {
	l, err := library.Open(dir)
	must(t, err)
	defer l.Close()
	kept := map[string]json.RawMessage{}
	files, _ := filepath.Glob(filepath.Join(dir, "cache", "*", "*.zst"))
	for _, file := range files {
		key := strings.TrimSuffix(filepath.Base(file), ".zst")
		if strings.HasPrefix(key, "reconcile-") {
			continue
		}
		data, ok, err := l.Answer(key)
		if err != nil || !ok {
			t.Fatalf("%s: %v", file, err)
		}
		kept[key] = data
	}
	var out bytes.Buffer
	z, _ := gzip.NewWriterLevel(&out, gzip.BestCompression)
	must(t, json.NewEncoder(z).Encode(kept))
	z.Close()
	must(t, os.WriteFile("demo/answers.json.gz", out.Bytes(), 0o644))
	t.Logf("%d answers, %d bytes", len(kept), out.Len())
}
