package cue

import (
	"bufio"
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// offlinePatterns are the patterns written in the package above: its raw
// strings that say more than a word and compile. Those of cues.go come first.
func offlinePatterns(t testing.TB) (patterns []string, cues int) {
	t.Helper()
	files, err := filepath.Glob("../*.go")
	if err != nil {
		t.Fatal(err)
	}
	files = append([]string{"../cues.go"}, files...)
	seen := map[string]bool{}
	for i, name := range files {
		if strings.HasSuffix(name, "_test.go") || i > 0 && name == files[0] {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING || lit.Value[0] != '`' {
				return true
			}
			p, err := strconv.Unquote(lit.Value)
			if err != nil || seen[p] || !strings.ContainsAny(p, `\|^`) || strings.Contains(p, "json:") {
				return true
			}
			if _, err := regexp.Compile(p); err == nil && len(patterns) < MaxPatterns {
				seen[p] = true
				patterns = append(patterns, p)
			}
			return true
		})
		if i == 0 {
			cues = len(patterns)
		}
	}
	if cues < 40 || len(patterns) < 80 {
		t.Fatalf("found %d patterns of cues and %d in all, too few to be the real ones", cues, len(patterns))
	}
	return patterns, cues
}

// talk makes sentences of the words that occur in patterns and of common ones.
func talk(patterns []string, n int, seed uint64) []string {
	words := strings.Fields("the a we should use this file instead of that because it breaks when tests run now → 12 and, the API's go.mod `foo_bar` (see #3) I'd don't isn't: over - — option b) fix; why? \xff é K to be with for path/to/x.go")
	for _, p := range patterns {
		words = append(words, regexp.MustCompile(`[a-z']{3,}`).FindAllString(p, -1)...)
	}
	r := rand.New(rand.NewPCG(seed, 1))
	out := make([]string, n)
	for i := range out {
		var b strings.Builder
		for size := 40 + r.IntN(120); b.Len() < size; {
			w := words[r.IntN(len(words))]
			if r.IntN(12) == 0 {
				w = strings.ToUpper(w)
			}
			b.WriteString(w)
			b.WriteByte(" ,.\n   "[r.IntN(7)])
		}
		out[i] = b.String()
	}
	return out
}

func TestRealPatterns(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long, and only computes")
	}
	patterns, _ := offlinePatterns(t)
	s, res := MustCompile(patterns...), regexps(patterns)
	for _, text := range talk(patterns, 400, 3) {
		agree(t, s, res, text)
	}
}

// TestRealPatternsOnTranscripts needs RECALL_SHARED: the folder with transcripts.
// RECALL_TEXTS sets how many of their texts are read.
func TestRealPatternsOnTranscripts(t *testing.T) {
	patterns, _ := offlinePatterns(t)
	s, res := MustCompile(patterns...), regexps(patterns)
	for _, text := range transcriptTexts(t) {
		got := s.Match(text)
		for i, re := range res {
			if want := re.MatchString(text); got.Has(i) != want {
				t.Errorf("pattern %q on a text of %d bytes: got %v, want %v", re, len(text), got.Has(i), want)
			}
		}
	}
}

// transcriptTexts picks sentences from all shared transcripts.
func transcriptTexts(tb testing.TB) []string {
	shared := os.Getenv("RECALL_SHARED")
	if shared == "" {
		tb.Skip("RECALL_SHARED is not set")
	}
	files, _ := filepath.Glob(filepath.Join(shared, "transcripts/dev/*/*.jsonl"))
	var all []string
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			tb.Fatal(err)
		}
		for r := bufio.NewReader(bytes.NewReader(data)); ; {
			line, err := r.ReadBytes('\n')
			var v any
			if json.Unmarshal(line, &v) == nil {
				all = textsIn(all, v)
			}
			if err == io.EOF {
				break
			}
		}
	}
	n, _ := strconv.Atoi(os.Getenv("RECALL_TEXTS"))
	if n == 0 {
		n = 1500
	}
	r := rand.New(rand.NewPCG(5, 5))
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:min(n, len(all))]
}

// textsIn adds the lines of prose below a JSON value.
func textsIn(out []string, v any) []string {
	switch v := v.(type) {
	case string:
		for line := range strings.Lines(v) {
			if line = strings.TrimSpace(line); len(line) > 20 && len(line) < 600 && strings.Count(line, " ") > 3 {
				out = append(out, line)
			}
		}
	case []any:
		for _, x := range v {
			out = textsIn(out, x)
		}
	case map[string]any:
		for _, k := range []string{"message", "content", "text"} {
			out = textsIn(out, v[k])
		}
	}
	return out
}

// BenchmarkCues asks about a hundred bytes for all patterns of cues.go, and
// compares with asking regexp for one after the other in the same run.
func BenchmarkCues(b *testing.B) {
	patterns, n := offlinePatterns(b)
	benchmark(b, patterns[:n], talk(patterns[:n], 2000, 11))
}

// BenchmarkCuesOnTranscripts is the same over texts of shared transcripts.
func BenchmarkCuesOnTranscripts(b *testing.B) {
	patterns, n := offlinePatterns(b)
	benchmark(b, patterns[:n], transcriptTexts(b))
}

// BenchmarkAll asks for every pattern of the offline distiller.
func BenchmarkAll(b *testing.B) {
	patterns, _ := offlinePatterns(b)
	benchmark(b, patterns, talk(patterns, 2000, 11))
}

func benchmark(b *testing.B, patterns, texts []string) {
	s, res := MustCompile(patterns...), regexps(patterns)
	bytes := 0
	for i := range texts {
		texts[i] = strings.ToLower(texts[i])
		bytes += len(texts[i])
	}
	begin := time.Now()
	for _, text := range texts {
		s.Match(text)
	}
	first := time.Since(begin)
	begin = time.Now()
	few := texts[:len(texts)/10]
	fewBytes := 0
	for _, text := range few {
		fewBytes += len(text)
		for _, re := range res {
			re.MatchString(text)
		}
	}
	loop := time.Since(begin).Seconds() / float64(fewBytes)
	b.SetBytes(int64(bytes))
	for b.Loop() {
		for _, text := range texts {
			s.Match(text)
		}
	}
	each := b.Elapsed().Seconds() / float64(b.N*bytes)
	b.ReportMetric(loop/each, "ratio")
	b.ReportMetric(float64(first.Microseconds())/1e3, "first-ms")
	b.ReportMetric(float64(s.m.table.Load().used), "states")
}

// BenchmarkFirstUse compiles the patterns of cues.go and matches one sentence.
func BenchmarkFirstUse(b *testing.B) {
	patterns, n := offlinePatterns(b)
	for b.Loop() {
		MustCompile(patterns[:n]...).Match("please use the new one instead")
	}
}
