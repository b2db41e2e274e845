package minilm

import (
	"math"
	"sync"
)

// network is the model's weights. A matrix has a row for each output.
type network struct {
	words, places matrix
	kind          []float32 // of the one kind of token there is
	norm          layerNorm
	layers        [layers]layer
}

type layer struct {
	query, key, value, out, up, down linear
	attended, done                   layerNorm
}

type linear struct {
	matrix
	bias []float32
}

type layerNorm struct{ weight, bias []float32 }

// embed returns a row for each token, and as many at least as are multiplied at once: what it means, and where in its
// text it stands.
func (n *network) embed(tokens, ends []int) grid {
	x := newGrid(max(len(tokens), atOnce), width)
	place := make([]float32, width)
	for t := range len(ends) - 1 {
		for i := ends[t]; i < ends[t+1]; i++ {
			row := x.row(i)
			n.words.unpack(row, tokens[i])
			n.places.unpack(place, i-ends[t])
			for j := range row {
				row[j] += place[j] + n.kind[j]
			}
		}
	}
	n.norm.apply(x)
	return x
}

// space is where layers, one after the other, put what they compute: memory that was used already costs less.
type space struct {
	q, k, v, told, out, up grid

	fit, turned, unpacked []float32 // at least as long as needed

	x   []int16 // what is multiplied, rounded
	ofX []float32
	w   [unpacked]int16
}

func newSpace(rows int) *space {
	of := func(cols int) grid { return newGrid(rows, cols) }
	most := eights(min(rows, longest))
	return &space{q: of(width), k: of(width), v: of(width), told: of(width), out: of(width), up: of(hidden),
		fit: make([]float32, most*most), turned: make([]float32, width/heads*most), unpacked: make([]float32, unpacked),
		x: make([]int16, rows*hidden), ofX: make([]float32, rows)}
}

// apply changes x by what a layer makes of it.
func (l *layer) apply(x grid, ends []int, in *space) {
	q, k, v := l.query.apply(in.q, x, in), l.key.apply(in.k, x, in), l.value.apply(in.v, x, in)
	for t := range len(ends) - 1 {
		for h := range heads {
			head := func(g grid) grid { return g.part(ends[t], ends[t+1], h*width/heads, (h+1)*width/heads) }
			attend(head(in.told), head(q), head(k), head(v), in)
		}
	}
	x.add(l.out.apply(in.out, in.told, in))
	l.attended.apply(x)
	up := l.up.apply(in.up, x, in)
	gelu(up.data)
	x.add(l.down.apply(in.out, up, in))
	l.done.apply(x)
}

// attend makes each row of out the mean of the values, weighted by how well their keys fit the row's query.
func attend(out, q, k, v grid, in *space) {
	fit := gridIn(in.fit, q.rows, k.rows)
	product(fit, q, k)
	scale := float32(1 / math.Sqrt(float64(q.cols)))
	var sums [longest]float32
	table := powers()
	for i := range fit.rows {
		row := fit.row(i)
		top := row[0]
		for _, y := range row {
			top = max(top, y)
		}
		var sum float32
		for j, y := range row {
			row[j] = exp((y-top)*scale, table)
			sum += row[j]
		}
		sums[i] = sum
	}
	product(out, fit, v.transposed(in.turned))
	for i, sum := range sums[:q.rows] {
		row := out.row(i)
		for j := range row {
			row[j] /= sum
		}
	}
}

func (l *linear) apply(out, x grid, in *space) grid {
	if assembly {
		l.applyRounded(out, x, in)
		return out
	}
	l.multiply(out, x, in.unpacked)
	for i := range out.rows {
		row := out.row(i)
		for j, b := range l.bias {
			row[j] += b
		}
	}
	return out
}

// apply shifts and scales each row to mean 0 and variance 1, then by the learned weights.
func (n *layerNorm) apply(x grid) {
	for i := range x.rows {
		row := x.row(i)
		var sum, squares float32
		for _, y := range row {
			sum += y
		}
		mean := sum / float32(len(row))
		for _, y := range row {
			squares += (y - mean) * (y - mean)
		}
		scale := float32(1 / math.Sqrt(float64(squares)/float64(len(row))+1e-12))
		for j, y := range row {
			row[j] = (y-mean)*scale*n.weight[j] + n.bias[j]
		}
	}
}

// exp is e to the power of x for x up to 0, to six digits: math.Exp would take a tenth of all time.
func exp(x float32, table *[expStep]float32) float32 {
	if x < -87 {
		return 0
	}
	at := x * (math.Log2E * expStep)
	n := int32(at - 0.5)
	rest := (at - float32(n)) * (math.Ln2 / expStep)
	return math.Float32frombits(math.Float32bits(table[n&(expStep-1)])+uint32(n>>8)<<23) * (1 + rest)
}

const expStep = 256

// powers holds 2 to the power of each i/expStep below 1.
var powers = sync.OnceValue(func() *[expStep]float32 {
	var t [expStep]float32
	for i := range t {
		t[i] = float32(math.Exp2(float64(i) / expStep))
	}
	return &t
})

const (
	geluEnd  = 6   // beyond it, gelu is 0 or x, to seven digits
	geluStep = 256 // entries of the table for 1
)

// geluTable returns gelu from -geluEnd to geluEnd.
var geluTable = sync.OnceValue(func() []float32 {
	t := make([]float32, 2*geluEnd*geluStep+2)
	for i := range t {
		x := float64(i)/geluStep - geluEnd
		t[i] = float32(x * (1 + math.Erf(x/math.Sqrt2)) / 2)
	}
	return t
})

// gelu replaces each x by x times the probability of a normal variable below it.
func gelu(list []float32) {
	table := geluTable()
	for i, x := range list {
		switch {
		case x >= geluEnd:
		case x <= -geluEnd:
			list[i] = 0
		default:
			at := (x + geluEnd) * geluStep
			n := int(at)
			list[i] = table[n] + (at-float32(n))*(table[n+1]-table[n])
		}
	}
}
