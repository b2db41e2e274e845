package minilm

// grid is a matrix of floats, or a part of one. Behind a row of a whole one stand zeros up to a multiple of eight.
type grid struct {
	data               []float32
	rows, cols, stride int
}

func newGrid(rows, cols int) grid { return gridIn(make([]float32, rows*eights(cols)), rows, cols) }

// gridIn returns a grid in memory used before; what stands behind its rows is set to zero.
func gridIn(data []float32, rows, cols int) grid {
	g := grid{data, rows, cols, eights(cols)}
	for i := range rows {
		clear(data[i*g.stride+cols : (i+1)*g.stride])
	}
	return g
}

func eights(n int) int { return (n + 7) &^ 7 }

func (g grid) row(i int) []float32 { return g.data[i*g.stride : i*g.stride+g.cols : i*g.stride+g.cols] }

func (g grid) part(top, bottom, left, right int) grid {
	return grid{g.data[top*g.stride+left:], bottom - top, right - left, g.stride}
}

func (g grid) transposed(in []float32) grid {
	t := gridIn(in, g.cols, g.rows)
	for i := range g.rows {
		for j, y := range g.row(i) {
			t.data[j*t.stride+i] = y
		}
	}
	return t
}

// add adds a grid of the same shape; neither is a part.
func (g grid) add(o grid) {
	for i, y := range o.data {
		g.data[i] += y
	}
}

// atOnce is how many rows of x are multiplied at once by weights.
const atOnce = 4

// product sets out[i][j] to the product of row i of x and row j of w: some rows of both at a time, as what is read is
// used more than once then. The last are multiplied together with some of those before them, once more.
func product(out, x, w grid) {
	tile, wide := fourByFour, 4
	if assembly {
		tile, wide = fourByTwo, 2
	}
	few := x.rows < atOnce || w.rows < wide
	for i := 0; i < x.rows && !few; i += atOnce {
		for j := 0; j < w.rows; j += wide {
			tile(out, x, w, min(i, x.rows-atOnce), min(j, w.rows-wide))
		}
	}
	for i := 0; i < x.rows && few; i++ {
		for j := range w.rows {
			out.data[i*out.stride+j] = dot(x.row(i), w.row(j))
		}
	}
}

func fourByTwo(out, x, w grid, i, j int) {
	multiply(&out.data[i*out.stride+j], &x.data[i*x.stride], &w.data[j*w.stride], out.stride, x.stride, w.stride,
		eights(x.cols))
}

// fourByFour is in plain Go. Compilers that have fused multiply-adds use them.
func fourByFour(out, x, w grid, i, j int) {
	n := x.cols
	a, b, c, d := x.row(i)[:n], x.row(i + 1)[:n], x.row(i + 2)[:n], x.row(i + 3)[:n]
	e, f, g, h := w.row(j)[:n], w.row(j + 1)[:n], w.row(j + 2)[:n], w.row(j + 3)[:n]
	var ae, af, ag, ah, be, bf, bg, bh, ce, cf, cg, ch, de, df, dg, dh float32
	for k := range n {
		p, q, r, s := e[k], f[k], g[k], h[k]
		ae, af, ag, ah = ae+a[k]*p, af+a[k]*q, ag+a[k]*r, ah+a[k]*s
		be, bf, bg, bh = be+b[k]*p, bf+b[k]*q, bg+b[k]*r, bh+b[k]*s
		ce, cf, cg, ch = ce+c[k]*p, cf+c[k]*q, cg+c[k]*r, ch+c[k]*s
		de, df, dg, dh = de+d[k]*p, df+d[k]*q, dg+d[k]*r, dh+d[k]*s
	}
	out.set(i, j, ae, af, ag, ah)
	out.set(i+1, j, be, bf, bg, bh)
	out.set(i+2, j, ce, cf, cg, ch)
	out.set(i+3, j, de, df, dg, dh)
}

// set sets four numbers of row i from column j on.
func (g grid) set(i, j int, a, b, c, d float32) {
	to := g.data[i*g.stride+j:][:4]
	to[0], to[1], to[2], to[3] = a, b, c, d
}

func dot(a, b []float32) (sum float32) {
	for i, y := range a {
		sum += y * b[i]
	}
	return sum
}
