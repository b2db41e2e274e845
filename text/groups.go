package text

// Groups are things, by their places, that were joined: each place holds that of an
// earlier one of its group, the first of a group its own.
type Groups []int

// Apart are n things, each a group of its own.
func Apart(n int) Groups {
	g := make(Groups, n)
	for i := range g {
		g[i] = i
	}
	return g
}

// Find is the first of a thing's group.
func (g Groups) Find(i int) int {
	for g[i] != i {
		g[i] = g[g[i]]
		i = g[i]
	}
	return i
}

// Join makes one group of two.
func (g Groups) Join(i, k int) {
	a, b := g.Find(i), g.Find(k)
	g[max(a, b)] = min(a, b)
}
