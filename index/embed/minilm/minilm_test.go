package minilm

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

type reference struct {
	Tokens []int  `json:"tokens"`
	Vector string `json:"vector"`
}

// references returns fifty texts with what another implementation makes of them, see testdata/reference.py.
func references(t testing.TB) (texts []string, refs []reference) {
	t.Helper()
	s, err := os.ReadFile("testdata/sentences.txt")
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile("testdata/reference.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &refs); err != nil {
		t.Fatal(err)
	}
	texts = strings.Split(strings.TrimSuffix(string(s), "\n"), "\n")
	if len(texts) != 50 || len(refs) != len(texts) {
		t.Fatalf("%d texts and %d references, want 50", len(texts), len(refs))
	}
	return texts, refs
}

func (r reference) vector(t testing.TB) []float32 {
	t.Helper()
	b, err := base64.StdEncoding.DecodeString(r.Vector)
	if err != nil {
		t.Fatal(err)
	}
	v := make([]float32, width)
	if _, err := binary.Decode(b, binary.LittleEndian, v); err != nil {
		t.Fatal(err)
	}
	return v
}

func cosine(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

func TestTokens(t *testing.T) {
	texts, refs := references(t)
	for i, s := range texts {
		if got := tokenize(s); !slices.Equal(got, refs[i].Tokens) {
			t.Errorf("%q:\n got %v\nwant %v", s, got, refs[i].Tokens)
		}
	}
	if got, want := tokenize(""), []int{begin, end}; !slices.Equal(got, want) {
		t.Errorf("no text: %v, want %v", got, want)
	}
	if got := tokenize(strings.Repeat("queue ", 1000)); len(got) != longest || got[longest-1] != end {
		t.Errorf("a long text: %d tokens, the last %d", len(got), got[len(got)-1])
	}
}

// Vectors are those of the float32 model, embedded together or alone, with assembly and without.
func TestVectors(t *testing.T) {
	texts, refs := references(t)
	m := New()
	defer func(was bool) { assembly = was }(assembly)
	for _, as := range []struct {
		name     string
		assembly bool
		texts    []string
	}{{"as here", assembly, texts}, {"plain Go", false, texts[:8]}} {
		assembly = as.assembly
		name, texts := as.name, as.texts
		all, err := m.Embed(t.Context(), texts)
		if err != nil || len(all) != len(texts) {
			t.Fatalf("%s: %d vectors: %v", name, len(all), err)
		}
		worst, sum := 1.0, 0.0
		for i, v := range all {
			c := cosine(v, refs[i].vector(t))
			if c < 0.999 || math.Abs(cosine(v, v)-1) > 1e-5 {
				t.Errorf("%s: %q: cosine %.5f, length² %.6f", name, texts[i], c, cosine(v, v))
			}
			worst, sum = min(worst, c), sum+c
		}
		t.Logf("%s: cosine with float32 at least %.5f, mean %.5f", name, worst, sum/float64(len(all)))
		for _, i := range []int{0, len(all) - 1} {
			alone, err := m.Embed(t.Context(), texts[i:i+1])
			if err != nil || cosine(alone[0], all[i]) < 0.99999 {
				t.Errorf("%s: %q alone: cosine %v: %v", name, texts[i], cosine(alone[0], all[i]), err)
			}
		}
	}
}

// The kernels multiply as many rows as there are, in plain Go and in assembly.
func TestKernels(t *testing.T) {
	defer func(was bool) { assembly = was }(assembly)
	for rows := 1; rows < 10; rows++ {
		x, w := newGrid(rows, 19), newGrid(11-rows, 19)
		for _, g := range []grid{x, w} {
			for i := range g.rows {
				for j := range g.row(i) {
					g.row(i)[j] = float32((5*i+3*j)%7 - 2) // whole numbers: sums are exact
				}
			}
		}
		for _, assembly = range []bool{false, assembly} {
			got := newGrid(x.rows, w.rows)
			product(got, x, w)
			for i := range x.rows {
				for j := range w.rows {
					if want := dot(x.row(i), w.row(j)); got.row(i)[j] != want {
						t.Errorf("%d rows, assembly %v: %v at %d, %d, want %v", rows, assembly, got.row(i)[j], i, j, want)
					}
				}
			}
		}
	}
}

// The sum of the largest weights and inputs is no overflow of whole numbers.
func TestRounded(t *testing.T) {
	defer func(was bool) { assembly = was }(assembly)
	const rows = unpacked / hidden
	group := append(binary.LittleEndian.AppendUint32(nil, math.Float32bits(0.5)), strings.Repeat("\x7f\x81", Group/2)...)
	l := linear{matrix{strings.Repeat(string(group), rows*hidden/Group), rows, hidden}, make([]float32, rows)}
	x := newGrid(atOnce, hidden)
	for i := range x.data {
		x.data[i] = float32(3 - 6*(i%2))
	}
	for _, assembly = range []bool{false, assembly} {
		out := l.apply(newGrid(atOnce, rows), x, newSpace(atOnce))
		for i, got := range out.row(atOnce - 1)[:rows] {
			if want := 3 * 0.5 * 127 * hidden; math.Abs(float64(got)/want-1) > 1e-3 {
				t.Errorf("assembly %v: %v at %d, want %v", assembly, got, i, want)
			}
		}
	}
}

// weights.int8 holds what Layout says, no more.
func TestLayout(t *testing.T) {
	sum := 0
	for _, l := range Layout() {
		sum += l.Size()
	}
	if sum != len(packed) {
		t.Errorf("%d bytes of weights, the layout says %d", len(packed), sum)
	}
}

func BenchmarkTokens(b *testing.B) {
	texts, refs := references(b)
	m := New()
	defer func(was bool) { assembly = was }(assembly)
	for _, on := range []bool{true, false} {
		if on && !assembly {
			continue
		}
		assembly = on
		name := map[bool]string{true: "assembly", false: "plain"}[on]
		b.Run(name, func(b *testing.B) {
			n := 0
			for b.Loop() {
				if _, err := m.Embed(b.Context(), texts[34:]); err != nil {
					b.Fatal(err)
				}
				for _, r := range refs[34:] {
					n += len(r.Tokens)
				}
			}
			b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "tokens/s")
		})
	}
}

// A short question, and a prompt of 33 words.
func BenchmarkQuestion(b *testing.B) {
	m := New()
	for _, q := range []string{"What did we decide about retries in the queue?",
		"Add a retry to the mail queue as said, but only for what the server refuses now; what it refuses for " +
			"good is to be put aside and shown to whoever sent it."} {
		b.Run(strconv.Itoa(len(strings.Fields(q))), func(b *testing.B) {
			for b.Loop() {
				if _, err := m.Embed(b.Context(), []string{q}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
