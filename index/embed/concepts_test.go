package embed

import (
	"context"
	"math"
	"testing"
)

func cosine(t *testing.T, a, b string) float64 {
	t.Helper()
	v, err := Concepts{}.Embed(context.Background(), []string{a, b})
	if err != nil {
		t.Fatal(err)
	}
	var sum float64
	for i := range v[0] {
		sum += float64(v[0][i]) * float64(v[1][i])
	}
	return sum
}

func TestConcepts(t *testing.T) {
	near := cosine(t, "the user logs in", "authentication of people who sign in")
	far := cosine(t, "the user logs in", "rename the module")
	if near < far+.2 {
		t.Errorf("log in is %.2f near sign in and %.2f near rename, want much nearer", near, far)
	}
	if same := cosine(t, "delete old files", "delete old files"); math.Abs(same-1) > 1e-4 {
		t.Errorf("a text is %.4f near itself, want 1", same)
	}
	v, err := Concepts{}.Embed(context.Background(), []string{"zzyzx", "", "delete"})
	if err != nil || len(v) != 3 {
		t.Fatalf("got %d vectors, %v, want 3", len(v), err)
	}
	for i, zero := range []bool{true, true, false} {
		var n float64
		for _, x := range v[i] {
			n += float64(x) * float64(x)
		}
		if len(v[i]) != dims || (n == 0) != zero {
			t.Errorf("text %d: %d dimensions of length %.2f, want %d, zero: %v", i, len(v[i]), n, dims, zero)
		}
	}
}

// Vectors are kept with their model's name: they must stay what they are.
func TestConceptsStay(t *testing.T) {
	v, err := Concepts{}.Embed(context.Background(), []string{"retry with backoff"})
	if err != nil {
		t.Fatal(err)
	}
	var sum float64
	for i, x := range v[0] {
		sum += float64(i) * float64(x)
	}
	const want = -146.4504
	if math.Abs(sum-want) > 1e-3 {
		t.Errorf("the vector's checksum is %.4f, not %v: give the model another name", sum, want)
	}
}

func BenchmarkConcepts(b *testing.B) {
	for b.Loop() {
		vector("Retries use exponential backoff with jitter, at most 5, then the dead-letter queue. Fixed delays synchronised the workers.")
	}
}
