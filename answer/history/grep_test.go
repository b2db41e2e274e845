package history

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// Lines that match as a plain walk over the lines finds them, whatever is looked for first.
func TestGrepFindsEveryLine(t *testing.T) {
	var file bytes.Buffer
	file.WriteString("# A title\n\nSession `7f3c`\n")
	turns := []string{"> retry the Job_queue in 30 s", "Kelvin: 3 \u212a, ſign", `- <a id="jobs"></a>**Bash** ` +
		"`make jobs`", "",
		"\\### 99 · no head", "ends with JOB"}
	for i, text := range turns {
		fmt.Fprintf(&file, "\n<a id=\"u%d\"></a>\n### %d · You · 13:47\n\n%s\nnext\n", i, i+1, text)
	}
	file.WriteString("the last line, no job\nand no line's end: job")
	for _, pattern := range []string{"job", "job|retry", "(?:JOB)$", "^> ", "k", "sign", "u[0-9]", "id=", "J.b_",
		"no job\\nand", "x*", "zzz",
		"job(s|_q)", "\\bjob", "30 s"} {
		for _, how := range []struct{ fold, word bool }{{}, {true, false}, {false, true}, {true, true}} {
			g, err := NewGrep(pattern, false, how.fold, how.word)
			if err != nil {
				t.Fatal(err)
			}
			var got, want []string
			for _, line := range g.file("transcript.md", file.Bytes(), 0) {
				got = append(got, fmt.Sprintf("%d:%d:%s", line.Line, line.Turn, line.Text))
			}
			at := 0
			for i, line := range strings.Split(file.String(), "\n") {
				if _, rest, ok := strings.Cut(line, "### "); ok && strings.HasPrefix(line, "### ") {
					fmt.Sscan(rest, &at)
				}
				if line = plain([]byte(line)); g.re.MatchString(line) {
					want = append(want, fmt.Sprintf("%d:%d:%s", i+1, at, line))
				}
			}
			if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
				t.Errorf("%s %+v: got\n%s\nwant\n%s", pattern, how, g, w)
			}
		}
	}
}

func TestGrepShowsLinesAround(t *testing.T) {
	file := []byte("1\n2\nhit 3\n4\nhit 5\n6\n7\n8\n9\n10\nhit 11\n")
	g, err := NewGrep("hit", false, false, false)
	if err != nil {
		t.Fatal(err)
	}
	for context, want := range map[int]string{0: "[3 5 11]", 1: "[2 3 4 5 6 10 11]", 2: "[1 2 3 4 5 6 7 9 10 11]",
		9: "[1 2 3 4 5 6 7 8 9 10 11]"} {
		g.Context = context
		var got []int
		for _, line := range g.file("transcript.md", file, 0) {
			got = append(got, line.Line)
		}
		if fmt.Sprint(got) != want {
			t.Errorf("%d lines around: got %v, want %s", context, got, want)
		}
	}
}

// BenchmarkGrep looks through 16 MB of transcripts with few matches: bytes a second by kind of pattern.
func BenchmarkGrep(b *testing.B) {
	turn := "\n<a id=\"18ad8384-7ae8-4dbc-91d6-c602ce170301\"></a>\n### 7 · Assistant · 13:47\n\n" +
		"The lock is taken after the job is read, so two workers may read one job before either writes.\n\n" +
		"- **Bash** `go test ./internal/queue -run Backoff` → ok: `ok internal/queue 0.4s` … (421 bytes)\n"
	data := []byte(strings.Repeat(turn, 16<<20/len(turn)) + "a poisoned Job at the end\n")
	for _, c := range []struct {
		name, pattern string
		fold          bool
	}{{"literal", "poisoned", false}, {"case", "POISONED JOB", true}, {"words", `pois\w+ Job`, false}, {"open",
		`[a-z]+ed [A-Z]ob`, false}} {
		b.Run(c.name, func(b *testing.B) {
			g, err := NewGrep(c.pattern, false, c.fold, false)
			if err != nil {
				b.Fatal(err)
			}

			b.SetBytes(int64(len(data)))
			for b.Loop() {
				if found := g.file("transcript.md", data, 0); len(found) != 1 {
					b.Fatalf("%d lines", len(found))
				}
			}
		})
	}
}
