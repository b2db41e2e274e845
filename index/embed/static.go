package embed

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"recall/internal/llm"
)

// Static embeds texts with a static model from a local folder, in model2vec's format: each piece of a word has
// a vector, and a text's vector is their mean, normalized. It takes microseconds per text, with no service and
// no network.
//
// The folder holds model.safetensors (a tensor "embeddings", pieces × dimensions, of 32- or 16-bit floats;
// optionally "weights", one per piece) and tokenizer.json (WordPiece). A text without a known piece gets a zero
// vector, which has no neighbours. Safe for concurrent use.
type Static struct {
	name    string
	dims    int
	vectors []float32 // row by row
	weights []float32 // of rows; nil if all are equal
	pieces  pieces
}

var _ llm.Embedder = (*Static)(nil)

// Size limits of the files.
const (
	maxModel     = 2 << 30
	maxTokenizer = 256 << 20
)

// LoadStatic reads a model's folder.
func LoadStatic(dir string) (*Static, error) {
	m := &Static{name: filepath.Base(filepath.Clean(dir))}
	if err := m.load(filepath.Join(dir, "model.safetensors")); err != nil {
		return nil, fmt.Errorf("static model %s: model.safetensors: %w", dir, err)
	}
	b, err := readLimited(filepath.Join(dir, "tokenizer.json"), maxTokenizer)
	if err == nil {
		m.pieces, err = parsePieces(b)
	}
	if err != nil {
		return nil, fmt.Errorf("static model %s: tokenizer.json: %w", dir, err)
	}
	rows := len(m.vectors) / m.dims
	for p, row := range m.pieces.rows {
		if row < 0 || row >= rows {
			return nil, fmt.Errorf("static model %s: piece %q is row %d of %d", dir, p, row, rows)
		}
	}
	return m, nil
}

func readLimited(file string, limit int64) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(b)) > limit {
		err = fmt.Errorf("over %d bytes", limit)
	}
	return b, err
}

// Model implements llm.Embedder: the folder's name and the dimensions.
func (m *Static) Model() string { return fmt.Sprintf("%s/%d", m.name, m.dims) }

// Embed implements llm.Embedder. It fails only if ctx is done.
func (m *Static) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, 0, len(texts))
	for _, t := range texts {
		if err := ctx.Err(); err != nil {
			return out, err
		}
		sum := make([]float64, m.dims)
		for _, row := range m.pieces.cut(t) {
			w := 1.0
			if m.weights != nil {
				w = float64(m.weights[row])
			}
			for i, x := range m.vectors[row*m.dims : (row+1)*m.dims] {
				sum[i] += w * float64(x)
			}
		}
		out = append(out, normalize(sum))
	}
	return out, nil
}

// tensor describes a tensor in a safetensors header.
type tensor struct {
	Type    string   `json:"dtype"`
	Shape   []int    `json:"shape"`
	Offsets [2]int64 `json:"data_offsets"`
}

// load reads the tensors (https://github.com/huggingface/safetensors#format): eight bytes with the length of a
// JSON header, the header, the data.
func (m *Static) load(file string) error {
	b, err := readLimited(file, maxModel)
	if err != nil {
		return err
	}
	if len(b) < 8 {
		return errors.New("too short")
	}
	n := binary.LittleEndian.Uint64(b)
	if n > uint64(len(b)-8) {
		return fmt.Errorf("a header of %d bytes in a file of %d", n, len(b))
	}
	var header map[string]json.RawMessage
	if err := json.Unmarshal(bytes.TrimSpace(b[8:8+n]), &header); err != nil {
		return err
	}
	data := b[8+n:]
	e, shape, err := floats(header, "embeddings", data)
	if err != nil {
		return err
	}
	if len(shape) != 2 || shape[0] == 0 || shape[1] == 0 {
		return fmt.Errorf("embeddings of shape %v, not pieces × dimensions", shape)
	}
	m.vectors, m.dims = e, shape[1]
	if _, ok := header["mapping"]; ok {
		return errors.New("pieces are mapped to vectors, which recall can't read yet")
	}
	if _, ok := header["weights"]; ok {
		if m.weights, shape, err = floats(header, "weights", data); err != nil {
			return err
		}
		if len(m.weights) != len(e)/m.dims {
			return fmt.Errorf("weights of shape %v for %d pieces", shape, len(e)/m.dims)
		}
	}
	return nil
}

func floats(header map[string]json.RawMessage, name string, data []byte) ([]float32, []int, error) {
	raw, ok := header[name]
	if !ok {
		return nil, nil, fmt.Errorf("no tensor %q: not a static model", name)
	}
	var t tensor
	if err := json.Unmarshal(raw, &t); err != nil {
		return nil, nil, fmt.Errorf("tensor %q: %w", name, err)
	}
	size := map[string]int64{"F64": 8, "F32": 4, "F16": 2, "BF16": 2}[t.Type]
	if size == 0 {
		return nil, nil, fmt.Errorf("tensor %q: type %s", name, t.Type)
	}
	n := int64(1)
	for _, d := range t.Shape {
		if d < 0 || d > 0 && n > maxModel/int64(d) {
			return nil, nil, fmt.Errorf("tensor %q: shape %v", name, t.Shape)
		}
		n *= int64(d)
	}
	from, to := t.Offsets[0], t.Offsets[1]
	if from < 0 || to < from || to > int64(len(data)) || to-from != n*size {
		return nil, nil, fmt.Errorf("tensor %q: %d numbers of %s at bytes %d to %d of %d", name, n, t.Type, from, to,
			len(data))
	}
	out := make([]float32, n)
	for i := range out {
		at := data[from+int64(i)*size:]
		switch t.Type {
		case "F64":
			out[i] = float32(math.Float64frombits(binary.LittleEndian.Uint64(at)))
		case "F32":
			out[i] = math.Float32frombits(binary.LittleEndian.Uint32(at))
		case "F16":
			out[i] = float16(binary.LittleEndian.Uint16(at))
		default:
			out[i] = math.Float32frombits(uint32(binary.LittleEndian.Uint16(at)) << 16)
		}
		if x := float64(out[i]); math.IsNaN(x) || math.IsInf(x, 0) {
			return nil, nil, fmt.Errorf("tensor %q: number %d is not finite", name, i)
		}
	}
	return out, t.Shape, nil
}

// float16 is an IEEE 754 16-bit float.
func float16(h uint16) float32 {
	sign, exp, frac := 1-2*float64(h>>15), int(h>>10&31), float64(h&1023)
	switch exp {
	case 0:
		return float32(sign * math.Ldexp(frac, -24))
	case 31:
		return float32(math.Inf(int(sign))) // or NaN: neither is accepted
	}
	return float32(sign * math.Ldexp(1+frac/1024, exp-15))
}

// normalize normalizes a vector to length 1; a zero vector stays zero.
func normalize(v []float64) []float32 {
	var n float64
	for _, x := range v {
		n += x * x
	}
	out := make([]float32, len(v))
	if n == 0 {
		return out
	}
	n = math.Sqrt(n)
	for i, x := range v {
		out[i] = float32(x / n)
	}
	return out
}
