package embed

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// tiny writes a model of three dimensions whose vectors are easy to add up.
func tiny(t *testing.T, change func(header map[string]any, data []byte) []byte) string {
	t.Helper()
	rows := [][]float32{
		0: {9, 9, 9}, // [UNK]
		1: {1, 0, 0}, // queue
		2: {0, 2, 0}, // retr
		3: {0, 1, 2}, // ##y
		4: {0, 0, 3}, // .
		5: {4, 0, 3}, // 存
		6: {0, 6, 8}, // cafe
	}
	var data []byte
	for _, r := range rows {
		for _, x := range r {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
		}
	}
	header := map[string]any{"__metadata__": map[string]string{"format": "pt"},
		"embeddings": map[string]any{"dtype": "F32", "shape": []int{7, 3}, "data_offsets": []int{0, len(data)}}}
	if change != nil {
		data = change(header, data)
	}
	h, err := json.Marshal(header)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "tiny-model")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	file := append(binary.LittleEndian.AppendUint64(nil, uint64(len(h))), append(h, data...)...)
	tokenizer := `{"normalizer":{"type":"BertNormalizer","lowercase":true,"strip_accents":null},
		"model":{"type":"WordPiece","unk_token":"[UNK]","continuing_subword_prefix":"##","max_input_chars_per_word":20,
		"vocab":{"[UNK]":0,"queue":1,"retr":2,"##y":3,".":4,"存":5,"cafe":6}}}`
	for name, b := range map[string][]byte{"model.safetensors": file, "tokenizer.json": []byte(tokenizer)} {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestStatic(t *testing.T) {
	m, err := LoadStatic(tiny(t, nil))
	if err != nil {
		t.Fatal(err)
	}
	if got := m.Model(); got != "tiny-model/3" {
		t.Errorf("Model() = %q, want tiny-model/3", got)
	}
	for text, want := range map[string][3]float64{
		"queue":                 {1, 0, 0},
		"Retry":                 {0, 3, 2}, // retr + ##y
		"queue retry.":          {1, 3, 5}, // 1 0 0 + 0 2 0 + 0 1 2 + 0 0 3
		"unknown queue":         {1, 0, 0}, // no piece of it
		"存queue":                {5, 0, 3}, // a Chinese character is a word
		"CAFÉ\u00a0\x00":        {0, 6, 8}, // case, accent, odd space, control
		"queueretry":            {},        // begins with a piece, and can't be cut to its end
		strings.Repeat("x", 21): {},        // too long a word
		"":                      {},
	} {
		vs, err := m.Embed(t.Context(), []string{text})
		if err != nil {
			t.Fatal(err)
		}
		n := math.Sqrt(want[0]*want[0] + want[1]*want[1] + want[2]*want[2])
		for i := range want {
			w := 0.0
			if n > 0 {
				w = want[i] / n
			}
			if math.Abs(float64(vs[0][i])-w) > 1e-6 {
				t.Errorf("%q: got %v, want %v of unit length", text, vs[0], want)
				break
			}
		}
	}
}

// Sixteen-bit floats and weights of pieces.
func TestStaticHalf(t *testing.T) {
	m, err := LoadStatic(tiny(t, func(header map[string]any, data []byte) []byte {
		var half []byte
		for i := 0; i < len(data); i += 4 {
			bits := map[float32]uint16{0: 0, 1: 0x3c00, 2: 0x4000, 3: 0x4200, 4: 0x4400, 6: 0x4600, 8: 0x4800,
				9: 0x4880}[math.Float32frombits(binary.LittleEndian.Uint32(data[i:]))]
			half = binary.LittleEndian.AppendUint16(half, bits)
		}
		n := len(half)
		for _, w := range []float32{1, 2, 1, 1, 1, 1, 1} {
			half = binary.LittleEndian.AppendUint32(half, math.Float32bits(w))
		}
		header["embeddings"] = map[string]any{"dtype": "F16", "shape": []int{7, 3}, "data_offsets": []int{0, n}}
		header["weights"] = map[string]any{"dtype": "F32", "shape": []int{7}, "data_offsets": []int{n, len(half)}}
		return half
	}))
	if err != nil {
		t.Fatal(err)
	}
	vs, err := m.Embed(t.Context(), []string{"queue retry"})
	if err != nil {
		t.Fatal(err)
	}
	n := math.Sqrt(4 + 9 + 4)
	want := []float32{float32(2 / n), float32(3 / n), float32(2 / n)}
	if diff := cmp.Diff([][]float32{want}, vs); diff != "" {
		t.Errorf("queue twice, retr and ##y once (-want +got):\n%s", diff)
	}
	for bits, want := range map[uint16]float32{0x0001: 5.9604645e-08, 0x8000: 0, 0xc000: -2, 0x7bff: 65504,
		0x3555: 0.33325195} {
		if got := float16(bits); got != want {
			t.Errorf("half(%#x) = %v, want %v", bits, got, want)
		}
	}
}

func TestStaticDamaged(t *testing.T) {
	for name, change := range map[string]func(map[string]any, []byte) []byte{
		"no embeddings": func(h map[string]any, d []byte) []byte { delete(h, "embeddings"); return d },
		"cut short":     func(_ map[string]any, d []byte) []byte { return d[:len(d)-1] },
		"another shape": func(h map[string]any, d []byte) []byte {
			h["embeddings"].(map[string]any)["shape"] = []int{7, 4}
			return d
		},
		"one dimension": func(h map[string]any, d []byte) []byte {
			h["embeddings"].(map[string]any)["shape"] = []int{21}
			return d
		},
		"too few rows": func(h map[string]any, d []byte) []byte {
			h["embeddings"] = map[string]any{"dtype": "F32", "shape": []int{6, 3}, "data_offsets": []int{0, 72}}
			return d
		},
		"whole numbers": func(h map[string]any,
			d []byte) []byte {
			h["embeddings"].(map[string]any)["dtype"] = "I32"
			return d
		},
		"huge": func(h map[string]any, d []byte) []byte {
			h["embeddings"].(map[string]any)["shape"] = []int{1 << 40, 1 << 40}
			return d
		},
		"no number": func(_ map[string]any, d []byte) []byte {
			binary.LittleEndian.PutUint32(d, math.Float32bits(float32(math.NaN())))
			return d
		},
		"mapped pieces": func(h map[string]any, d []byte) []byte { h["mapping"] = map[string]any{}; return d },
		"wrong offsets": func(h map[string]any, d []byte) []byte {
			h["embeddings"].(map[string]any)["data_offsets"] = []int{-4, 80}
			return d
		},
		"other weights": func(h map[string]any, d []byte) []byte {
			h["weights"] = map[string]any{"dtype": "F32", "shape": []int{3}, "data_offsets": []int{0, 12}}
			return d
		},
	} {
		if m, err := LoadStatic(tiny(t, change)); err == nil {
			t.Errorf("%s: got %v, want an error", name, m)
		} else if !strings.Contains(err.Error(), "tiny-model") {
			t.Errorf("%s: the error %q doesn't name the folder", name, err)
		}
	}
	dir := tiny(t, nil)
	for _, tokenizer := range []string{``, `{}`, `{"model":{"type":"BPE"}}`, `{"model":{"type":"WordPiece","vocab":{}}}`,
		`{"model":{"type":"WordPiece","vocab":[1]}}`,
		`{"model":{"type":"WordPiece","vocab":{"a":99}}}`,
		`{"normalizer":{"type":"NFKC"},"model":{"type":"WordPiece","vocab":{"a":1}}}`} {
		if err := os.WriteFile(filepath.Join(dir, "tokenizer.json"), []byte(tokenizer), 0o600); err != nil {
			t.Fatal(err)
		}
		if m, err := LoadStatic(dir); err == nil {
			t.Errorf("tokenizer %s: got %v, want an error", tokenizer, m)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "model.safetensors"), []byte{255, 255, 255, 255, 255, 255, 255, 255, 0},
		0o600); err != nil {
		t.Fatal(err)
	}
	if m, err := LoadStatic(dir); err == nil {
		t.Errorf("a header longer than the file: got %v, want an error", m)
	}
	if _, err := LoadStatic(filepath.Join(dir, "none")); err == nil {
		t.Error("a folder that isn't there: got no error")
	}
}
