//go:build unix

package redact

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// transcript makes up n bytes of what stands in transcripts: prose, code,
// paths, hashes, JSON, the words that rules look for, and a secret now and then.
func transcript(n int) string {
	random := rand.New(rand.NewPCG(1, 2))
	words := strings.Fields("the a to of and in is it we session file test error token key auth api func " +
		"return err nil string config path secret access " +
		"password branch commit rewrite parser build use run check output line user input data value name " +
		"type case list index query model cache")
	lines := []func() string{
		func() string {
			return "\tif err := s.store.Save(ctx, key, value); err != nil {\n\t\treturn fmt.Errorf(\"save " +
				"%q: %w\", key, err)\n\t}\n"
		},
		func() string {
			return fmt.Sprintf("%6d→\ttoken, err := auth.ReadToken(cfg.AccessKey)\n", random.IntN(4000))
		},
		func() string {
			return fmt.Sprintf("/home/alex/src/app/internal/api/handler_%d.go:%d:%d\n", random.IntN(90),
				random.IntN(900), random.IntN(80))
		},
		func() string {
			return fmt.Sprintf("commit %016x%016x%08x\n", random.Uint64(), random.Uint64(), random.Uint32())
		},
		func() string {
			return fmt.Sprintf("{\"id\":%d,\"status\":\"ok\",\"key\":\"user:%d\",\"url\":\"https://x.io/api/v1/items/%d\"}\n",
				random.IntN(1e6), random.IntN(999), random.IntN(1e5))
		},
		func() string { return "ok  \tapp/internal/api\t0.412s\n--- PASS: TestTokenRefresh (0.00s)\n" },
	}
	secrets := []string{"AKIA" + "Q3EGXMPLRWOZ7TKB", "export API_TOKEN=q7Rk2mXz9LpT4vBn8WsY",
		"postgres://app:Tr0ub4dor@db:5432/app", "ghp_" + "q7Rk2mXz9LpT4vBn8WsYc3HdJ6fGt5KuE1aQ"}
	var b strings.Builder
	for next := 0; b.Len() < n; {
		if b.Len() >= next {
			b.WriteString(secrets[random.IntN(len(secrets))] + "\n")
			next = b.Len() + 20<<10
		}
		if random.IntN(2) == 0 {
			b.WriteString(lines[random.IntN(len(lines))]())
			continue
		}
		for range 6 + random.IntN(20) {
			b.WriteString(words[random.IntN(len(words))] + " ")
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// turns cuts a text into pieces as long as a turn's texts are.
func turns(text string) []string {
	var all []string
	for len(text) > 0 {
		n := min(len(text), 2000)
		all = append(all, text[:n])
		text = text[n:]
	}
	return all
}

func BenchmarkText(b *testing.B) {
	b.Run("generated", func(b *testing.B) { benchText(b, turns(transcript(8<<20))) })
	b.Run("base64", func(b *testing.B) { benchText(b, turns(base64Text(4<<20))) })
	if dir := os.Getenv("RECALL_SHARED"); dir != "" {
		b.Run("shared", func(b *testing.B) { benchText(b, sharedTexts(b, dir)) })
	}
}

func base64Text(n int) string {
	const chars = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	random := rand.New(rand.NewPCG(3, 4))
	text := make([]byte, n)
	for i := range text {
		text[i] = chars[random.IntN(len(chars))]
	}
	return string(text)
}

func benchText(b *testing.B, texts []string) {
	total := 0
	for _, t := range texts {
		total += len(t)
	}
	b.SetBytes(int64(total))
	start := cpu()
	for b.Loop() {
		s := New()
		for _, t := range texts {
			s.Text(t)
		}
	}
	b.ReportMetric(float64(total)*float64(b.N)/1e6/(cpu()-start).Seconds(), "MB/cpu-s")
}

// BenchmarkAllExpressions is what the scanner would cost without its literals:
// each of gitleaks' expressions over the whole text.
func BenchmarkAllExpressions(b *testing.B) {
	var all []*regexp.Regexp
	for i := range shipped() {
		r := &shipped()[i]
		expr := strings.TrimPrefix(r.expr, `\A`)
		if r.form == formAssign {
			expr = `(?i)(?:` + strings.Join(r.anchors,
				"|") + `)[ \t\w.-]{0,20}[\s'"]{0,3}(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)[\x60'"\s=]{0,5}` + expr
		}
		all = append(all, regexp.MustCompile(expr))
	}
	text := transcript(64 << 10)
	b.SetBytes(int64(len(text)))
	start := cpu()
	for b.Loop() {
		for _, re := range all {
			re.FindAllStringIndex(text, -1)
		}
	}
	b.ReportMetric(float64(len(text))*float64(b.N)/1e6/(cpu()-start).Seconds(), "MB/cpu-s")
}

func BenchmarkNew(b *testing.B) {
	start := cpu()
	for b.Loop() {
		new(rules).build()
	}
	b.ReportMetric((cpu()-start).Seconds()*1e3/float64(b.N), "cpu-ms/op")
}

// cpu returns the processor time of this process so far. The machine may be busy
// with other things, so that the wall clock says little.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func sharedTexts(t testing.TB, dir string) []string {
	files, err := filepath.Glob(filepath.Join(dir, "transcripts", "dev", "*", "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts under %s: %v", dir, err)
	}
	var all []string
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, decoded(data)...)
	}
	return all
}
