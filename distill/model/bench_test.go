package model

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recall/ingest"
	"recall/ingest/claudecode"
	"recall/ingest/synthtest"
	"recall/internal/llm"
)

// bigSession is a made-up session of about so many bytes.
func bigSession(tb testing.TB, bytes int64) *ingest.Session {
	tb.Helper()
	dir := tb.TempDir()
	made, err := synthtest.Write(dir, synthtest.Options{Seed: 1, Sessions: 1, BytesEach: bytes})
	if err != nil {
		tb.Fatal(err)
	}
	info, err := os.Stat(made[0].Path)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Logf("%.1f MB in %s", float64(info.Size())/1e6, filepath.Base(made[0].Path))
	found, _ := claudecode.Reader{}.Find(tb.Context(), dir, nil)
	s, err := claudecode.Reader{}.Parse(tb.Context(), found[0])
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// sampled answers with every tenth line as a decision.
func sampled(r llm.Request) (string, error) {
	if r.Task != "extract" {
		return obey(r)
	}
	a := answer{Items: []found{}}
	turn, n := "", 0
	_, transcript, _ := strings.Cut(r.Prompt, "\n<transcript>\n")
	for line := range strings.Lines(transcript) {
		if m := heading.FindStringSubmatch(line); m != nil {
			turn = m[1]
		}
		if text, ok := strings.CutPrefix(strings.TrimSpace(line), "| "); ok && len(text) > 40 {
			if n++; n%10 == 0 {
				a.Items = append(a.Items, found{Kind: "decision", Text: word(text), Evidence: []cited{{word(turn), word(text)}}})
			}
		}
	}
	data, err := json.Marshal(a)
	return string(data), err
}

// BenchmarkImprove is distilling's own work on a transcript of 10 MB, all answers
// at hand: at most 150 ms.
func BenchmarkImprove(b *testing.B) {
	s := bigSession(b, 10_000_000)
	m, store := &scripted{answer: sampled}, newMemory()
	im := New(Options{Model: m, Store: store})
	p, err := im.Improve(b.Context(), s, nil)
	if err != nil {
		b.Fatal(err)
	}
	asked := len(m.asked)
	for b.Loop() {
		if _, err := im.Improve(b.Context(), s, nil); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(p.Items)), "items")
	b.ReportMetric(float64(asked), "requests")
}
