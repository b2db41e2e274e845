package text

// Groups is a union-find structure over indexes: each element holds the index of an earlier
// one in its group, and the first of a group its own.
type Groups []int

// NewGroups returns n elements, each in a group of its own.
func NewGroups(n int) Groups {
	g := make(Groups, n)
	for i := range g {
		g[i] = i
	}
	return g
}

// Find returns the first element of an element's group.
func (g Groups) Find(i int) int {
	for g[i] != i {
		g[i] = g[g[i]]
		i = g[i]
	}
	return i
}

// Join merges two groups.
func (g Groups) Join(i, k int) {
	a, b := g.Find(i), g.Find(k)
	g[max(a, b)] = min(a, b)
}
