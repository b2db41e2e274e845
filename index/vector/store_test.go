package vector_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recall/index"
	"recall/index/embed"
	"recall/index/vector"
	"recall/payload"
)

var ctx = context.Background()

// filled is an index of three items in two projects.
func filled(t testing.TB) *index.Index {
	t.Helper()
	x, err := index.Open(filepath.Join(t.TempDir(), "index.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	for _, d := range []struct{ id, project, text string }{
		{"a", "web", "People sign in with a passkey"},
		{"b", "web", "Old files are deleted every night"},
		{"c", "api", "The cache lives in memory"},
	} {
		doc := index.Doc{Session: "s" + d.id, Project: d.project, Items: []index.Item{{Item: payload.Item{ID: payload.ItemID(d.id), Kind: payload.Decision, Text: d.text, At: time.Unix(1e9, 0)}}}}
		if err := x.Put(ctx, doc); err != nil {
			t.Fatal(err)
		}
	}
	return x
}

// TestStores holds each implementation to the port's contract.
func TestStores(t *testing.T) {
	for name, open := range map[string]func(t *testing.T) index.VectorStore{
		"memory": func(t *testing.T) index.VectorStore { return vector.New() },
		"flat":   func(t *testing.T) index.VectorStore { return index.Flat{Index: filled(t), Model: "test/2"} },
	} {
		t.Run(name, func(t *testing.T) { contract(t, open(t)) })
	}
}

func vec(id payload.ItemID, project string, v []float32) index.Vector {
	return index.Vector{Item: id, Project: project, V: v}
}

func contract(t *testing.T, s index.VectorStore) {
	near := func(project string, v []float32, n int) []payload.ItemID {
		t.Helper()
		list, err := s.Query(ctx, project, v, n)
		if err != nil {
			t.Fatal(err)
		}
		ids := []payload.ItemID{}
		for _, x := range list {
			ids = append(ids, x.Item)
		}
		return ids
	}
	want := func(got []payload.ItemID, want ...payload.ItemID) {
		t.Helper()
		if diff := cmp.Diff(append([]payload.ItemID{}, want...), got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	right, up, slant := []float32{1, 0}, []float32{0, 1}, []float32{.6, .8}
	want(near("", right, 5))
	if err := s.Upsert(ctx, nil); err != nil {
		t.Errorf("an empty Upsert: %v", err)
	}
	if err := s.Upsert(ctx, []index.Vector{vec("a", "web", right), vec("b", "web", slant), vec("c", "api", up)}); err != nil {
		t.Fatal(err)
	}
	want(near("", right, 5), "a", "b", "c")
	want(near("", right, 1), "a")
	want(near("", right, 0))
	want(near("web", up, 5), "b", "a")
	want(near("nowhere", up, 5))
	zero, nan := []float32{0, 0}, []float32{float32(math.NaN()), 1}
	for _, bad := range [][]float32{zero, nan, nil, {float32(math.Inf(1)), 0}} {
		if err := s.Upsert(ctx, []index.Vector{vec("a", "web", up), vec("b", "web", bad)}); !errors.Is(err, index.ErrVector) {
			t.Errorf("Upsert of %v: got %v, want ErrVector", bad, err)
		}
		if _, err := s.Query(ctx, "", bad, 3); !errors.Is(err, index.ErrVector) {
			t.Errorf("Query of %v: got %v, want ErrVector", bad, err)
		}
	}
	if err := s.Upsert(ctx, []index.Vector{vec("a", "web", up), vec("b", "web", []float32{1, 0, 0})}); !errors.Is(err, index.ErrVector) {
		t.Errorf("Upsert of another length: got %v, want ErrVector", err)
	}
	want(near("", right, 5), "a", "b", "c") // nothing of the refused is kept
	if err := s.Upsert(ctx, []index.Vector{vec("a", "web", up)}); err != nil {
		t.Fatal(err)
	}
	want(near("", right, 5), "b", "a", "c") // replaced; ties by id
	if err := s.Delete(ctx); err != nil {
		t.Fatal(err)
	}
	want(near("", right, 5), "b", "a", "c")
	if err := s.Delete(ctx, "b", "none"); err != nil {
		t.Fatal(err)
	}
	want(near("", right, 5), "a", "c")
}

func TestMemoryFollowsMovedItem(t *testing.T) {
	s := vector.New()
	for _, project := range []string{"web", "api"} {
		if err := s.Upsert(ctx, []index.Vector{{Item: "a", Project: project, V: []float32{1, 0}}}); err != nil {
			t.Fatal(err)
		}
	}
	list, err := s.Query(ctx, "", []float32{1, 0}, 9)
	if err != nil || len(list) != 1 {
		t.Errorf("got %v, %v, want the item once", list, err)
	}
}

// A question in other words finds its item by concepts through Fill, chromem
// and Search.
func TestSearchByConcepts(t *testing.T) {
	x := filled(t)
	s := vector.New()
	if err := x.Fill(ctx, s, embed.Concepts{}); err != nil {
		t.Fatal(err)
	}
	x.UseVectors(embed.Concepts{}, s, 0.2)
	for q, want := range map[string]payload.ItemID{"how does authentication work": "a", "what gets purged": "b"} {
		a, err := x.Search(ctx, index.Query{Text: q})
		if err != nil {
			t.Fatal(err)
		}
		if len(a.Hits) == 0 || a.Hits[0].Item.ID != want {
			t.Errorf("%q: got %v, want %s first", q, a.Hits, want)
		}
	}
}

// rude is an embedder that does what it may not.
type rude struct {
	v   [][]float32
	err error
	lag time.Duration
}

func (rude) Model() string { return "rude/2" }

func (r rude) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	select {
	case <-time.After(r.lag):
		return r.v, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func TestSearchOutlivesEmbedder(t *testing.T) {
	x := filled(t)
	s := vector.New()
	if err := s.Upsert(ctx, []index.Vector{{Item: "c", Project: "api", V: []float32{1, 0}}}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name    string
		e       rude
		without bool
	}{
		{"down", rude{err: errors.New("no route to host")}, true},
		{"slow", rude{lag: 5 * time.Second}, true},
		{"too many", rude{v: [][]float32{{1, 0}, {0, 1}}}, true},
		{"zeros", rude{v: [][]float32{{0, 0}}}, true},
		{"of another model", rude{v: [][]float32{{0, 1, 0}}}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			x.UseVectors(c.e, s, 0.2)
			if c.name == "of another model" { // the flat scan says so as the one in memory does
				flat := index.Flat{Index: x, Model: "rude/2"}
				if err := flat.Upsert(ctx, []index.Vector{{Item: "c", Project: "api", V: []float32{1, 0}}}); err != nil {
					t.Fatal(err)
				}
				x.UseVectors(c.e, flat, 0.2)
				if a, err := x.Search(ctx, index.Query{Text: "passkey"}); err != nil || !a.WithoutVectors {
					t.Errorf("flat: without vectors %v, %v, want so", a.WithoutVectors, err)
				}
				x.UseVectors(c.e, s, 0.2)
			}
			start := time.Now()
			a, err := x.Search(ctx, index.Query{Text: "passkey"})
			if err != nil {
				t.Fatal(err)
			}
			if len(a.Hits) == 0 || a.Hits[0].Item.ID != "a" {
				t.Errorf("got %v, want item a by its words", a.Hits)
			}
			if a.WithoutVectors != c.without {
				t.Errorf("got WithoutVectors %v, want %v", a.WithoutVectors, c.without)
			}
			if took := time.Since(start); took > 3*time.Second {
				t.Errorf("took %v", took)
			}
		})
	}
}

func TestVectorsGoWithTheirItem(t *testing.T) {
	x := filled(t)
	if err := x.PutVectors(ctx, "m/2", []index.Vector{{Item: "a", V: []float32{1, 0}}}); err != nil {
		t.Fatal(err)
	}
	if err := x.Delete(ctx, "sa"); err != nil {
		t.Fatal(err)
	}
	list, err := index.Flat{Index: x, Model: "m/2"}.Query(ctx, "", []float32{1, 0}, 5)
	if err != nil || len(list) != 0 {
		t.Errorf("got %v, %v, want nothing", list, err)
	}
}

func BenchmarkQuery(b *testing.B) {
	s := vector.New()
	var list []index.Vector
	for i := range 10_000 {
		v, err := embed.Concepts{}.Embed(ctx, []string{fmt.Sprintf("cache retry login %d", i)})
		if err != nil {
			b.Fatal(err)
		}
		v[0][i%len(v[0])] += .1
		list = append(list, index.Vector{Item: payload.ItemID(fmt.Sprint(i)), Project: "p", V: v[0]})
	}
	if err := s.Upsert(ctx, list); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := s.Query(ctx, "p", list[7].V, 100); err != nil {
			b.Fatal(err)
		}
	}
}
