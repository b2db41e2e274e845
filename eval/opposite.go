package eval

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed opposites.txt
var oppositesText string

var opposites = sync.OnceValue(func() map[string]pole { return poles(oppositesText) })

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

// A pole is one end of an axis: enable and disable, public and private.
type pole struct {
	axis string // the first word of its line; "" for a word of none
	end  int    // 1 or -1
}

// poles parses lines of words that can't both be true of one thing, with a slash between
// the two ends.
func poles(lines string) map[string]pole {
	m := map[string]pole{}
	for line := range strings.Lines(lines) {
		yes, no, _ := strings.Cut(line, "/")
		axis := strings.Fields(yes)[0]
		for _, w := range strings.Fields(yes) {
			m[w] = pole{axis, 1}
		}
		for _, w := range strings.Fields(no) {
			m[w] = pole{axis, -1}
		}
	}
	return m
}
