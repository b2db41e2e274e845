package index

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recall/payload"
)

func TestVectorFile(t *testing.T) {
	list := []Embedded{{"aaaaaaaaaa", "1f", []float32{0.6, 0.8}}, {"bbbbbbbbbb", "2e", []float32{0, 1}}}
	b, err := EncodeVectors("tiny/2", list)
	if err != nil {
		t.Fatal(err)
	}
	got, err := DecodeVectors("tiny/2", b)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(list, got); diff != "" {
		t.Errorf("written and read again (-want +got):\n%s", diff)
	}
	if got, err := DecodeVectors("other/2", b); got != nil || err != nil {
		t.Errorf("of another model: got %v, %v, want nothing", got, err)
	}
	if got, err := DecodeVectors("tiny/2", nil); got != nil || err != nil {
		t.Errorf("no file: got %v, %v, want nothing", got, err)
	}
	for i := range b {
		if got, err := DecodeVectors("tiny/2", b[:i]); i > 0 && (err == nil || got != nil) {
			t.Errorf("cut after %d bytes: got %v, %v, want an error", i, got, err)
		}
	}
	for name, list := range map[string][]Embedded{
		"zeros":      {{"aaaaaaaaaa", "", []float32{0, 0}}},
		"two widths": {{"aaaaaaaaaa", "", []float32{1}}, {"bbbbbbbbbb", "", []float32{1, 0}}},
	} {
		if _, err := EncodeVectors("tiny/2", list); !errors.Is(err, ErrVector) {
			t.Errorf("%s: got %v, want ErrVector", name, err)
		}
	}
	one, aliased := payload.Item{Text: "one"}, payload.Item{Text: "one", Aliases: []string{"uno"}}
	if TextHash(one) == TextHash(aliased) {
		t.Error("an alias more leaves the hash of what is embedded as it was")
	}
	same := payload.Item{Text: "one", Pinned: true}
	if TextHash(one) != TextHash(same) {
		t.Error("the hash changes with what isn't embedded")
	}
}
