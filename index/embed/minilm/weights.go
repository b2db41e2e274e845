package minilm

import (
	_ "embed"
	"math"
	"strconv"
	"unsafe"
)

//go:embed weights.int8
var packed string

// Tensor is a part of weights.int8, by its name in the published model.
type Tensor struct {
	Name       string
	Rows, Cols int // Cols is 0 for a vector, kept as 32-bit floats, little-endian
}

// Group is how many columns of a row share a scale: a 32-bit float that stands before their bytes.
const Group = 32

// Layout lists the tensors of weights.int8 in their order.
func Layout() []Tensor {
	list := []Tensor{{"embeddings.word_embeddings.weight", 30522, width},
		{"embeddings.position_embeddings.weight", longest, width},
		{"embeddings.token_type_embeddings.weight", width, 0}}
	normed := func(name string) {
		list = append(list, Tensor{name + ".weight", width, 0}, Tensor{name + ".bias", width, 0})
	}
	linear := func(name string, rows, cols int) {
		list = append(list, Tensor{name + ".weight", rows, cols}, Tensor{name + ".bias", rows, 0})
	}
	normed("embeddings.LayerNorm")
	for i := range layers {
		l := "encoder.layer." + strconv.Itoa(i)
		linear(l+".attention.self.query", width, width)
		linear(l+".attention.self.key", width, width)
		linear(l+".attention.self.value", width, width)
		linear(l+".attention.output.dense", width, width)
		normed(l + ".attention.output.LayerNorm")
		linear(l+".intermediate.dense", hidden, width)
		linear(l+".output.dense", width, hidden)
		normed(l + ".output.LayerNorm")
	}
	return list
}

// Size is how many bytes a tensor takes in weights.int8.
func (t Tensor) Size() int {
	if t.Cols == 0 {
		return 4 * t.Rows
	}
	return t.Rows * rowSize(t.Cols)
}

func rowSize(cols int) int { return cols / Group * (4 + Group) }

// load finds the tensors in weights.int8.
func load(data string) network {
	matrices, vectors := map[string]matrix{}, map[string][]float32{}
	for _, t := range Layout() {
		of := data[:t.Size()]
		data = data[t.Size():]
		if t.Cols > 0 {
			matrices[t.Name] = matrix{of, t.Rows, t.Cols}
			continue
		}
		v := make([]float32, t.Rows) // all processors that recall is built for are little-endian, too
		copy(unsafe.Slice((*byte)(unsafe.Pointer(&v[0])), len(of)), of)
		vectors[t.Name] = v
	}
	normOf := func(name string) layerNorm { return layerNorm{vectors[name+".weight"], vectors[name+".bias"]} }
	linearOf := func(name string) linear { return linear{matrices[name+".weight"], vectors[name+".bias"]} }
	n := network{words: matrices["embeddings.word_embeddings.weight"],
		places: matrices["embeddings.position_embeddings.weight"],
		kind:   vectors["embeddings.token_type_embeddings.weight"], norm: normOf("embeddings.LayerNorm")}
	for i := range n.layers {
		l := "encoder.layer." + strconv.Itoa(i)
		n.layers[i] = layer{query: linearOf(l + ".attention.self.query"), key: linearOf(l + ".attention.self.key"),
			value: linearOf(l + ".attention.self.value"), out: linearOf(l + ".attention.output.dense"),
			up: linearOf(l + ".intermediate.dense"), down: linearOf(l + ".output.dense"),
			attended: normOf(l + ".attention.output.LayerNorm"), done: normOf(l + ".output.LayerNorm")}
	}
	return n
}

func float(s string) float32 {
	return math.Float32frombits(uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24)
}

// matrix is a tensor of weights.int8.
type matrix struct {
	data       string
	rows, cols int
}

func (m matrix) packed(i int) string { return m.data[i*rowSize(m.cols) : (i+1)*rowSize(m.cols)] }

// unpack sets row to a row of the matrix.
func (m matrix) unpack(row []float32, i int) {
	data := m.packed(i)
	for ; len(data) >= 4+Group && len(row) >= Group; data, row = data[4+Group:], row[Group:] {
		scale, from, to := float(data), data[4:4+Group], row[:Group]
		for j := range Group {
			to[j] = scale * float32(int8(from[j]))
		}
	}
}

// unpacked is how many weights multiply unpacks at a time: they fit into a core's first cache beside a row of x.
const unpacked = 16 * width

// multiply sets out[i][j] to the product of row i of x and row j of the matrix.
func (m matrix) multiply(out, x grid, in []float32) {
	w := gridIn(in, unpacked/m.cols, m.cols)
	for at := 0; at < m.rows; at += w.rows {
		for j := range w.rows {
			m.unpack(w.row(j), at+j)
		}
		product(out.part(0, x.rows, at, at+w.rows), x, w)
	}
}

// Numbers are rounded to so many steps on each side of zero: the sum of 192 products of the largest, as many as are
// added up in a part of a sum of hidden products, is less than 1<<31.
const (
	mostRounded = 2047
	perScale    = 32 // for a weight, of 127 at most
)

// applyRounded is apply in whole numbers, of which a processor multiplies twice as many at once.
func (l *linear) applyRounded(out, x grid, in *space) {
	m := l.matrix
	for i := range x.rows {
		in.ofX[i] = round(&in.x[i*x.cols], &x.data[i*x.stride], x.cols) / (mostRounded * perScale)
	}
	var of [hidden]float32
	w := in.w[:]
	for at := 0; at < m.rows; at += unpacked / m.cols {
		for j := range unpacked / m.cols {
			of[at+j] = unpackRounded(&w[j*m.cols], unsafe.StringData(m.packed(at+j)), m.cols/Group)
		}
		for i := 0; i < x.rows; i += atOnce {
			from := min(i, x.rows-atOnce)
			for j := 0; j < unpacked/m.cols; j += 2 {
				multiplyRounded(&out.data[from*out.stride+at+j], &in.x[from*x.cols], &w[j*m.cols], out.stride, x.cols,
					m.cols, m.cols)
			}
		}
	}
	for i := range out.rows {
		row, ofX := out.row(i), in.ofX[i]
		for j, b := range l.bias {
			row[j] = row[j]*ofX*of[j] + b
		}
	}
}
