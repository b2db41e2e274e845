package index

import (
	"context"
	_ "embed"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	_ "recall/library/ramdisk"
	"recall/payload"
)

//go:embed embed/lexicon.txt
var lexicon string

// synth makes sessions that are like real ones in what costs time: words of
// Zipf's law (the lexicon's among them, so that it has something to find),
// identifiers, items of a sentence or two, turns of a dozen to some hundred
// words.
type synth struct {
	r     *rand.Rand
	zipf  *rand.Zipf
	vocab []string
}

func newSynth(seed uint64) *synth {
	r := rand.New(rand.NewPCG(seed, 7))
	s := &synth{r: r}
	seen := map[string]bool{}
	for _, line := range strings.Split(lexicon, "\n") {
		for _, w := range strings.FieldsFunc(line, func(c rune) bool { return c == '|' || c == ' ' }) {
			if !seen[w] && !strings.HasPrefix(line, "#") {
				seen[w] = true
				s.vocab = append(s.vocab, w)
			}
		}
	}
	for i := range 25_000 {
		w := ""
		for n := i + 17; n > 0; n /= 80 {
			w += string("bcdfghklmnprstvz"[n%16]) + string("aeiou"[n/16%5])
		}
		s.vocab = append(s.vocab, w)
	}
	r.Shuffle(len(s.vocab), func(i, j int) { s.vocab[i], s.vocab[j] = s.vocab[j], s.vocab[i] })
	s.zipf = rand.NewZipf(r, 1.07, 8, uint64(len(s.vocab)-1))
	return s
}

var small = strings.Fields("the a to of and in is it for on that this with we not as be are")

func (s *synth) text(n int) string {
	var b strings.Builder
	for range n {
		switch s.r.IntN(10) {
		case 0, 1, 2, 3:
			b.WriteString(small[s.r.IntN(len(small))])
		case 4:
			b.WriteString(s.vocab[s.zipf.Uint64()] + "_" + s.vocab[s.zipf.Uint64()])
		default:
			b.WriteString(s.vocab[s.zipf.Uint64()])
		}
		b.WriteByte(' ')
	}
	return b.String()
}

func (s *synth) doc(i, items, turns int) Doc {
	at := day.Add(time.Duration(i) * time.Hour)
	d := Doc{Session: fmt.Sprintf("session-%06d", i), Project: fmt.Sprintf("project-%d", i%12), Title: s.text(6),
		Source: "claude-code", Start: at, End: at.Add(time.Hour)}
	for n := range turns {
		role, size := "assistant", 10+s.r.IntN(120)
		if n%3 == 0 {
			role, size = "user", 3+s.r.IntN(40)
		}
		d.Turns = append(d.Turns, Turn{ID: fmt.Sprintf("t%d", n+1), N: n + 1, Role: role,
			At: at.Add(time.Duration(n) * time.Minute), Text: s.text(size)})
	}
	for n := range items {
		k := s.r.IntN(turns)
		t := d.Turns[k]
		it := payload.Item{ID: payload.ItemID(fmt.Sprintf("i%06d%03d", i, n)),
			Kind: payload.Kinds[s.r.IntN(len(payload.Kinds))], Text: s.text(10 + s.r.IntN(20)), Why: s.text(8),
			State: payload.Stands, At: t.At,
			Evidence: []payload.Evidence{{Turn: t.ID, N: t.N, Quote: t.Text[:min(len(t.Text), 200)]}}}
		d.Items = append(d.Items, Item{Item: it, Context: t.Text + d.Turns[max(0, k-1)].Text})
	}
	return d
}

func (s *synth) question() string {
	var w []string
	for range 4 + s.r.IntN(5) {
		w = append(w, s.vocab[20+s.zipf.Uint64()%uint64(len(s.vocab)-20)])
	}
	return "what did we decide about the " + strings.Join(w, " ") + "?"
}

// synthIndex holds n items; kept between benchmarks of one run.
func synthIndex(b testing.TB, n int) string {
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("recall-bench-%d-%d", os.Getpid(), n))
	path := filepath.Join(dir, "index.db")
	if _, err := os.Stat(path); err == nil {
		return path
	}
	fillSynth(b, path, n)
	return path
}

const (
	perSession    = 10 // items
	turnsASession = 40
)

// fillSynth makes an index of n items.
func fillSynth(t testing.TB, path string, n int) {
	x, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	s := newSynth(1)
	var docs []Doc
	for i := range n / perSession {
		docs = append(docs, s.doc(i, perSession, turnsASession))
		if len(docs) == 50 || i == n/perSession-1 {
			if err := x.PutAll(context.Background(), docs); err != nil {
				t.Fatal(err)
			}
			docs = docs[:0]
		}
	}
	if err := x.Tidy(context.Background()); err != nil {
		t.Fatal(err)
	}
}

// BenchmarkSearch asks questions of an index of 10,000 items and 40,000 turns,
// and of one of ten times that with -timeout and patience (SEARCH_100K=1).
func BenchmarkSearch(b *testing.B) {
	sizes := []int{10_000}
	if os.Getenv("SEARCH_100K") != "" {
		sizes = append(sizes, 100_000)
	}
	for _, n := range sizes {
		b.Run(fmt.Sprintf("items=%d", n), func(b *testing.B) {
			path := synthIndex(b, n)
			if fi, err := os.Stat(path); err == nil {
				b.ReportMetric(float64(fi.Size())/float64(n), "B/item")
			}
			x, err := OpenRead(path)
			if err != nil {
				b.Fatal(err)
			}
			defer x.Close()
			s := newSynth(2)
			var took []time.Duration
			start := cpu()
			for b.Loop() {
				q := s.question()
				t := time.Now()
				if _, err := x.Search(context.Background(), Query{Text: q}); err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(t))
			}
			b.ReportMetric(float64((cpu()-start).Microseconds())/1000/float64(len(took)), "cpu-ms/op")
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
			b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
		})
	}
}

// BenchmarkPut adds one session of 20 items and 100 turns to an index of
// 10,000 items.
func BenchmarkPut(b *testing.B) {
	x, err := Open(synthIndex(b, 10_000))
	if err != nil {
		b.Fatal(err)
	}
	defer x.Close()
	s := newSynth(3)
	i := 1_000_000
	var used time.Duration
	for b.Loop() {
		b.StopTimer()
		i++
		d := s.doc(i, 20, 100)
		start := cpu()
		b.StartTimer()
		if err := x.Put(context.Background(), d); err != nil {
			b.Fatal(err)
		}
		used += cpu() - start
	}
	b.StopTimer()
	b.ReportMetric(float64(used.Microseconds())/1000/float64(b.N), "cpu-ms/op")
	for ; i > 1_000_000; i-- {
		if err := x.Delete(context.Background(), fmt.Sprintf("session-%06d", i)); err != nil {
			b.Fatal(err)
		}
	}
}

func TestMain(m *testing.M) {
	code := m.Run()
	dirs, _ := filepath.Glob(filepath.Join(os.TempDir(), fmt.Sprintf("recall-bench-%d-*", os.Getpid())))
	for _, d := range dirs {
		os.RemoveAll(d)
	}
	os.Exit(code)
}
