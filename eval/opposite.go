package eval

import (
	_ "embed"
	"sync"

	"recall/internal/text"
)

//go:embed opposites.txt
var oppositesText string

var opposites = sync.OnceValue(func() map[string]text.Side { return text.Sides(oppositesText) })

// opposed looks for two opposites, one in each statement, next to the same words.
func opposed(a, b stance) bool {
	as, bs := a.axes(), b.axes()
	for axis, x := range as {
		y, ok := bs[axis]
		if ok && a.axisEnd(x)*b.axisEnd(y) < 0 && sharesNeighbor(a, x, b, y) {
			return true
		}
	}
	return false
}

// axes maps each axis to the places of its words.
func (s stance) axes() map[string][]int {
	m := map[string][]int{}
	for i, t := range s.tokens {
		if t.axis != "" {
			m[t.axis] = append(m[t.axis], i)
		}
	}
	return m
}

// axisEnd is the end of an axis that its words point to, 0 for both.
func (s stance) axisEnd(at []int) int {
	return commonSign(at, func(i int) int { return s.tokens[i].end * s.tokens[i].sign })
}
