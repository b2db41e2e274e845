package cue

import "regexp/syntax"

// mostWays is how many ways one pattern is taken apart into.
const mostWays = 16

// A way is one of the sequences that a pattern may match: expressions that
// follow each other.
type way []piece

// A piece of a way is matched as it stands, or is a gap, of which is only known
// that anything may stand there.
type piece struct {
	re  *syntax.Regexp
	gap bool
}

// A sketch is a way with gaps in it.
type sketch struct {
	parts []*syntax.Regexp // all of them occur where the way matches
	exact *syntax.Regexp   // the way itself
}

// split parts an expression into what can be matched as it stands (nil if
// nothing can) and sketches. The expression matches if and only if whole or one
// of the sketches' ways does.
func split(re *syntax.Regexp) (whole *syntax.Regexp, sketches []sketch) {
	if !wide(re) {
		return re, nil
	}
	var exact []*syntax.Regexp
	for _, w := range waysOf(re) {
		if p, gaps := w.parts(); gaps {
			sketches = append(sketches, sketch{p, w.exact()})
		} else {
			exact = append(exact, w.exact())
		}
	}
	if len(exact) == 0 {
		return nil, sketches
	}
	return alternate(exact), sketches
}

// waysOf lists the ways through an expression with a wide loop in it.
func waysOf(re *syntax.Regexp) []way {
	switch {
	case !wide(re):
		return []way{{{re: re}}}
	case re.Op == syntax.OpCapture:
		return waysOf(re.Sub[0])
	case re.Op == syntax.OpQuest:
		return append(waysOf(re.Sub[0]), way{})
	case re.Op == syntax.OpAlternate:
		var out []way
		var narrow []*syntax.Regexp
		for _, sub := range re.Sub {
			if wide(sub) {
				out = append(out, waysOf(sub)...)
			} else {
				narrow = append(narrow, sub)
			}
		}
		if len(narrow) > 0 {
			out = append(out, way{{re: alternate(narrow)}})
		}
		if len(out) <= mostWays {
			return out
		}
	case re.Op == syntax.OpConcat:
		out := []way{{}}
		for _, sub := range re.Sub {
			tails := waysOf(sub)
			if len(out)*len(tails) > mostWays {
				tails = gap(sub)
			}
			out = product(out, tails)
		}
		return out
	}
	return gap(re) // a wide loop, one around one, or too many ways
}

func gap(re *syntax.Regexp) []way { return []way{{{re, true}}} }

// product lists each way of one list followed by each of the other.
func product(heads, tails []way) []way {
	var out []way
	for _, h := range heads {
		for _, t := range tails {
			out = append(out, append(h[:len(h):len(h)], t...))
		}
	}
	return out
}

// exact is the expression of a whole way.
func (w way) exact() *syntax.Regexp {
	var all []*syntax.Regexp
	for _, p := range w {
		all = append(all, p.re)
	}
	return concat(all)
}

// parts are the runs between a way's gaps. Those that match the empty text say
// nothing and are left out.
func (w way) parts() (runs []*syntax.Regexp, gaps bool) {
	start := 0
	for i := 0; i <= len(w); i++ {
		if i < len(w) && !w[i].gap {
			continue
		}
		gaps = gaps || i < len(w)
		if run := w[start:i].exact(); !mayBeEmpty(run) {
			runs = append(runs, run)
		}
		start = i + 1
	}
	return runs, gaps
}

// wide tells whether a loop over most characters is in an expression.
func wide(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpStar, syntax.OpPlus:
		if broad(re.Sub[0]) {
			return true
		}
	case syntax.OpRepeat:
		if (re.Max < 0 || re.Max > 3) && broad(re.Sub[0]) {
			return true
		}
	}
	for _, sub := range re.Sub {
		if wide(sub) {
			return true
		}
	}
	return false
}

// broad tells whether an expression is one character of about any kind: a loop
// over it does not end with the word.
func broad(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return true
	case syntax.OpCharClass:
		return inClass(re.Rune, 'e') && inClass(re.Rune, ' ')
	case syntax.OpCapture:
		return broad(re.Sub[0])
	}
	return false
}

func inClass(pairs []rune, r rune) bool {
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i] <= r && r <= pairs[i+1] {
			return true
		}
	}
	return false
}

// mayBeEmpty tells whether an expression can match no characters at all.
func mayBeEmpty(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpNoMatch, syntax.OpLiteral, syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return false
	case syntax.OpCapture, syntax.OpPlus:
		return mayBeEmpty(re.Sub[0])
	case syntax.OpRepeat:
		return re.Min == 0 || mayBeEmpty(re.Sub[0])
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			if !mayBeEmpty(sub) {
				return false
			}
		}
		return true
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			if mayBeEmpty(sub) {
				return true
			}
		}
		return false
	}
	return true // assertions, * and ?
}

func concat(subs []*syntax.Regexp) *syntax.Regexp {
	switch len(subs) {
	case 0:
		return &syntax.Regexp{Op: syntax.OpEmptyMatch}
	case 1:
		return subs[0]
	}
	return &syntax.Regexp{Op: syntax.OpConcat, Sub: subs}
}

func alternate(subs []*syntax.Regexp) *syntax.Regexp {
	if len(subs) == 1 {
		return subs[0]
	}
	return &syntax.Regexp{Op: syntax.OpAlternate, Sub: subs}
}
