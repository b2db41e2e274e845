package index

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"recall/index/embed/minilm"
	"recall/index/vectorfile"
	"recall/internal/llm"
	"recall/internal/text"
)

// meant are questions with the exchanges that answer them, without a content word in common.
var meant = []struct{ question, asked, answer string }{
	{"how do we keep customers from being charged twice?", "the gateway repeats webhooks, what now",
		"Each delivery carries an idempotency key. A second one with the same key is dropped before any money moves."},
	{"which colour scheme is best at night?", "the screens glare when I look at them after dinner",
		"A dark theme with muted contrast, switched on at sunset by the system's own preference."},
	{"why are pictures so slow to appear?", "the gallery feels sluggish",
		"Every thumbnail was downloaded in full resolution. Resized copies on the CDN load in a tenth of it."},
	{"who may delete somebody else's comments?", "permissions for the forum please",
		"Moderators can remove any post. Authors only their own, within ten minutes."},
	{"how do people get back in who forgot their password?", "support is drowning in locked-out users",
		"A login link by email that expires after fifteen minutes, instead of secret questions."},
}

// meaning is an index of the exchanges, with those above among others, that finds by meaning too.
func meaning(t testing.TB) *Index {
	t.Helper()
	var docs []Doc
	for i, m := range meant {
		docs = append(docs, Doc{Session: fmt.Sprint("s", i), Project: "shop", Turns: []Turn{
			said(1, 1, "user", m.asked), said(2, 1, "assistant", m.answer),
			said(3, 2, "user", "and the build?"), said(4, 2, "assistant", "It is green again since the linter was pinned."),
			said(5, 3, "user", "bump the version"), said(6, 3, "assistant", "Tagged and pushed to the registry.")}})
	}
	x := openWith(t, docs...)
	model := minilm.New()
	if err := x.Embed(t.Context(), model, func(int, int) {}); err != nil {
		t.Fatal(err)
	}
	x.UseVectors(VectorsOf(x.path, model))
	return x
}

func TestFoundWithoutASharedWord(t *testing.T) {
	x := meaning(t)
	for i, m := range meant {
		asked, answers := text.Words(m.question), text.Words(m.asked+" "+m.answer)
		for w := range asked {
			if answers[w] > 0 {
				t.Fatalf("%q and its answer share %q", m.question, w)
			}
		}
		a := search(t, x, Query{Text: m.question})
		if len(a.Ranked) == 0 || a.Ranked[0].Session != fmt.Sprint("s", i) || a.Ranked[0].Exchange != 1 {
			t.Errorf("%q: got %v first, want exchange 1 of s%d", m.question, ids(a), i)
		}
	}
	q := Query{Text: "which kubernetes cluster?"}
	if err := x.Put(t.Context(), Doc{Session: "else", Project: "bakery",
		Turns: []Turn{said(1, 1, "user", q.Text)}}); err != nil {
		t.Fatal(err)
	}
	known := search(t, x, q)
	q.Project = "shop"
	if in := search(t, x, q); known.Unknown || !in.Unknown || len(in.Ranked) == 0 {
		t.Errorf("unknown: %v, in a project where nobody says a word of it: %v", known.Unknown, in.Unknown)
	}
}

// letters is a quick model whose vectors are a text's letters. It counts the texts, and fails after most of them.
type letters struct {
	name     string
	texts    int
	most     int
	lag      time.Duration
	unusable bool
}

func (m *letters) Model() string { return m.name }

func (m *letters) Embed(ctx context.Context, texts []string) (out [][]float32, err error) {
	select {
	case <-time.After(m.lag):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	for _, s := range texts {
		if m.texts++; m.most > 0 && m.texts > m.most {
			return nil, errors.New("out of order")
		}
		h := fnv.New64a()
		h.Write([]byte(s))
		angle := float64(h.Sum64()%1000) / 1000
		v := []float32{float32(math.Cos(angle)), float32(math.Sin(angle))}
		if m.unusable {
			v = []float32{float32(math.NaN()), 0}
		}
		out = append(out, v)
	}
	return out, nil
}

var _ llm.Embedder = (*letters)(nil)

// many is an index of so many sessions of a window.
func many(t testing.TB, n int) *Index {
	t.Helper()
	var docs []Doc
	for i := range n {
		docs = append(docs, Doc{Session: fmt.Sprint("s", i), Project: "p",
			Turns: []Turn{said(1, 1, "user", fmt.Sprintf("ledger%d and invoice%d", i, i))}})
	}
	return openWith(t, docs...)
}

func embedAll(t testing.TB, x *Index, model llm.Embedder) {
	t.Helper()
	if err := x.Embed(t.Context(), model, func(int, int) {}); err != nil {
		t.Fatal(err)
	}
	if left, all, err := x.Unembedded(t.Context()); left != 0 || err != nil {
		t.Fatalf("%d of %d have no vector, %v", left, all, err)
	}
}

// Each text is sent once, whatever interrupts it: a model that fails, a process that is killed while it writes, an
// index that is made again.
func TestVectorsAreMadeOnce(t *testing.T) {
	const n = 3*embeddedAtOnce + 1
	x := many(t, n)
	m := &letters{name: "letters", most: embeddedAtOnce}
	if err := x.Embed(t.Context(), m, func(int, int) {}); err == nil {
		t.Error("a model that fails: no error")
	}
	if left, all, err := x.Unembedded(t.Context()); left != n-embeddedAtOnce || all != n || err != nil {
		t.Errorf("%d of %d have no vector, %v; want those that failed", left, all, err)
	}
	file := filepath.Join(filepath.Dir(x.path), vectorfile.Name)
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, append(whole, 1, 2, 3), 0o600); err != nil { // killed while it wrote the next
		t.Fatal(err)
	}
	m = &letters{name: "letters"}
	embedAll(t, x, m)
	if m.texts != n-embeddedAtOnce {
		t.Errorf("%d texts were sent after that, want %d", m.texts, n-embeddedAtOnce)
	}
	again := many(t, n)
	if whole, err = os.ReadFile(file); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(filepath.Dir(again.path), vectorfile.Name), whole, 0o600); err != nil {
		t.Fatal(err)
	}
	embedAll(t, again, m)
	if m.texts != n-embeddedAtOnce {
		t.Errorf("made again: %d more texts were sent, want none", m.texts-n+embeddedAtOnce)
	}
}

// A vectors' file that was damaged, cut, removed, or made by another model costs the vectors, never an answer.
func TestDamagedVectors(t *testing.T) {
	const n = 2*embeddedAtOnce + 3
	for name, spoil := range map[string]func([]byte) []byte{
		"flipped in a vector": func(b []byte) []byte { b[len(b)-3] ^= 4; return b },
		"flipped in a key":    func(b []byte) []byte { b[len(b)-12] ^= 4; return b },
		"flipped in a sum":    func(b []byte) []byte { b[len(b)-20] ^= 4; return b },
		"cut":                 func(b []byte) []byte { return b[:len(b)-5] },
		"cut in the first":    func(b []byte) []byte { return b[:bytes.IndexByte(b, '\n')+6] },
		"empty":               func(b []byte) []byte { return nil },
		"foreign":             func(b []byte) []byte { return []byte("not vectors at all\n") },
		"gone":                nil,
	} {
		t.Run(name, func(t *testing.T) {
			x := many(t, n)
			m := &letters{name: "letters"}
			embedAll(t, x, m)
			file := filepath.Join(filepath.Dir(x.path), vectorfile.Name)
			b, err := os.ReadFile(file)
			if spoil == nil {
				err = os.Remove(file)
			} else if err == nil {
				err = os.WriteFile(file, spoil(b), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			x.UseVectors(VectorsOf(x.path, m))
			if a := search(t, x, Query{Text: "ledger7"}); len(a.Ranked) == 0 || a.Ranked[0].Session != "s7" {
				t.Errorf("got %v, want s7 by its words", ids(a))
			}
			if _, err := x.db.Exec(`INSERT INTO unembedded SELECT id, x'' FROM window LIMIT 1`); err != nil { // something new
				t.Fatal(err)
			}
			if err := x.Embed(t.Context(), m, func(int, int) {}); !errors.Is(err, ErrRebuild) {
				t.Errorf("got %v, want a rebuild, which has the words", err)
			}
		})
	}
}

// Another model makes its own vectors, and neither finds by the other's.
func TestAnotherModel(t *testing.T) {
	x := many(t, 5)
	embedAll(t, x, &letters{name: "letters"})
	other := &letters{name: "others"}
	x.UseVectors(VectorsOf(x.path, other))
	if search(t, x, Query{Text: "ledger2"}); other.texts != 0 {
		t.Errorf("%d texts were sent to a model without vectors", other.texts)
	}
	if err := x.Embed(t.Context(), other, func(int, int) {}); !errors.Is(err, ErrRebuild) {
		t.Errorf("got %v, want a rebuild", err)
	}
}

// A model that is slow, fails or answers nonsense costs a question its vectors, and the answer says so.
func TestAnsweredWithoutVectors(t *testing.T) {
	x := many(t, 5)
	embedAll(t, x, &letters{name: "letters"})
	for name, m := range map[string]*letters{
		"slow": {name: "letters", lag: time.Hour}, "failing": {name: "letters", most: 1, texts: 1},
		"unusable": {name: "letters", unusable: true}} {
		x.UseVectors(VectorsOf(x.path, m))
		if a := search(t, x, Query{Text: "ledger2"}); !a.WithoutVectors || len(a.Ranked) == 0 || a.Ranked[0].Session != "s2" {
			t.Errorf("%s: got %v, without vectors: %v", name, ids(a), a.WithoutVectors)
		}
	}
	if err := many(t, 1).Embed(t.Context(), &letters{name: "letters", unusable: true}, func(int, int) {}); !errors.Is(err,
		vectorfile.ErrUnusable) {
		t.Errorf("got %v, want %v", err, vectorfile.ErrUnusable)
	}
}

// What was said last is found before the model has read it, and filters hold for what is found by meaning.
func TestNotYetRead(t *testing.T) {
	x := meaning(t)
	if err := x.PutAll(t.Context(), []Doc{{Session: "new", Project: "other", Turns: []Turn{
		said(1, 1, "user", "customers get charged twice since the upgrade"),
		said(2, 1, "assistant", "The customers' charges run twice because two workers are up.")}}}); err != nil {
		t.Fatal(err)
	}
	if a := search(t, x, Query{Text: meant[0].question}); a.Ranked[0].Session != "new" {
		t.Errorf("got %v, want the new session first", ids(a))
	}
	a := search(t, x, Query{Text: meant[1].question, Project: "other"})
	for _, r := range a.Ranked {
		if r.Project != "other" {
			t.Errorf("%s of %s isn't of the project asked for", r.Session, r.Project)
		}
	}
}

// Of a forgotten session no vector is left; tidying drops those of what was taken out.
func TestVectorsAreForgotten(t *testing.T) {
	x := many(t, 10)
	m := &letters{name: "letters"}
	embedAll(t, x, m)
	file := vectorfile.Of(x.path, m.name)
	count := func() (n int) {
		t.Helper()
		if _, err := file.Read(0, nil, func(vectorfile.Vector) { n++ }); err != nil {
			t.Fatal(err)
		}
		return n
	}
	if err := x.Forget(t.Context(), "s3"); err != nil || count() != 9 {
		t.Errorf("%d vectors after one of ten sessions was forgotten, %v; want 9", count(), err)
	}
	for i := 4; i < 10; i++ {
		if err := x.Delete(t.Context(), fmt.Sprint("s", i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := x.Tidy(t.Context()); err != nil || count() != 3 {
		t.Errorf("%d vectors after tidying, %v; want those of the 3 sessions left", count(), err)
	}
	embedAll(t, x, m)
	if m.texts != 10 {
		t.Errorf("%d texts were sent, want each once", m.texts)
	}
	again := many(t, 2) // its vectors are of what it doesn't know
	if err := os.WriteFile(filepath.Join(filepath.Dir(again.path), vectorfile.Name), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := again.Forget(t.Context(), "s1"); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(again.path), vectorfile.Name)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("vectors of nobody knows what are left: %v", err)
	}
}

// A fresh process reads all vectors and compares them with one: 2,000 windows are some 300 sessions, 25,000 are 1 GB of
// transcripts.
func BenchmarkNear(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	random := func() []float32 {
		v, sum := make([]float32, 384), 0.0
		for i := range v {
			v[i] = float32(rng.NormFloat64())
			sum += float64(v[i]) * float64(v[i])
		}
		for i := range v {
			v[i] /= float32(math.Sqrt(sum))
		}
		return v
	}
	for _, n := range []int{2_000, 25_000} {
		file := &vectorfile.File{Path: filepath.Join(b.TempDir(), vectorfile.Name), Model: "m", Dims: 384}
		list := make([]vectorfile.Vector, n)
		for i := range list {
			list[i] = vectorfile.Vector{Key: int64(i), V: random()}
		}
		if _, err := file.Add(list); err != nil {
			b.Fatal(err)
		}
		asked := random()
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				x := VectorsOf(file.Path, &letters{name: "m"})
				all, err := x.load(b.Context(), nil)
				if err != nil {
					b.Fatal(err)
				}
				if found, err := all.QueryEmbedding(b.Context(), asked, nearest, nil, nil); err != nil || len(found) != nearest {
					b.Fatal(len(found), err)
				}
			}
		})
		loaded := VectorsOf(file.Path, &letters{name: "m"})
		b.Run(fmt.Sprint(n, " in a server"), func(b *testing.B) {
			for b.Loop() {
				all, err := loaded.load(b.Context(), nil)
				if err == nil {
					_, err = all.QueryEmbedding(b.Context(), asked, nearest, nil, nil)
				}
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// What was read of the vectors serves an index that is opened again; only what was added since is read.
func TestVectorsServeAnIndexOpenedAgain(t *testing.T) {
	x := meaning(t)
	v := x.near
	search(t, x, Query{Text: meant[0].question})
	err := x.PutAll(t.Context(), []Doc{{Session: "new", Project: "shop", Turns: []Turn{
		said(1, 1, "user", "the lighthouse keeper's log"), said(2, 1, "assistant", "It is a ledger of storms.")}}})
	if err != nil {
		t.Fatal(err)
	}
	embedAll(t, x, v.model)
	b, err := os.ReadFile(v.file.Path)
	if err != nil {
		t.Fatal(err)
	}
	for i := bytes.IndexByte(b, '\n') + 1; i < int(v.end); i++ { // who reads it again finds nothing
		b[i] ^= 1
	}
	if err := os.WriteFile(v.file.Path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	again, err := OpenRead(x.path)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	again.UseVectors(v)
	for question, want := range map[string]string{meant[0].question: "s0", "weather diary of a coastal beacon": "new"} {
		if a := search(t, again, Query{Text: question}); len(a.Ranked) == 0 || a.Ranked[0].Session != want {
			t.Errorf("%q: got %v first, want %s", question, ids(a), want)
		}
	}
}
