package cue

import "regexp/syntax"

// mostWays is how many ways one pattern is taken apart into.
const mostWays = 16

// A way is one of the sequences that a pattern may match: expressions that
// follow each other. A nil is a gap, where anything may stand.
type way []*syntax.Regexp

// split parts an expression into what can be matched as it stands (nil if
// nothing can) and ways to match that are only known by parts which all must
// occur. The expression matches if whole does, and only if whole does or all
// parts of one of the ways occur.
func split(re *syntax.Regexp) (whole *syntax.Regexp, parts [][]*syntax.Regexp) {
	if !wide(re) {
		return re, nil
	}
	var exact []*syntax.Regexp
	for _, w := range waysOf(re) {
		if p, gaps := w.parts(); gaps {
			parts = append(parts, p)
		} else {
			exact = append(exact, concat(w))
		}
	}
	if len(exact) == 0 {
		return nil, parts
	}
	return alternate(exact), parts
}

// waysOf lists the ways through an expression with a wide loop in it.
func waysOf(re *syntax.Regexp) []way {
	switch {
	case !wide(re):
		return []way{{re}}
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
			out = append(out, way{alternate(narrow)})
		}
		if len(out) > mostWays {
			return []way{{nil}}
		}
		return out
	case re.Op == syntax.OpConcat:
		out := []way{{}}
		for _, sub := range re.Sub {
			out = product(out, waysOf(sub))
		}
		return out
	}
	return []way{{nil}} // a wide loop, or a loop around one
}

// product lists each way of one list followed by each of the other.
func product(heads, tails []way) []way {
	if len(heads)*len(tails) > mostWays {
		tails = []way{{nil}}
	}
	var out []way
	for _, h := range heads {
		for _, t := range tails {
			out = append(out, append(h[:len(h):len(h)], t...))
		}
	}
	return out
}

// parts are the runs between a way's gaps. Those that match the empty text say
// nothing and are left out.
func (w way) parts() (runs []*syntax.Regexp, gaps bool) {
	start := 0
	for i := 0; i <= len(w); i++ {
		if i < len(w) && w[i] != nil {
			continue
		}
		gaps = gaps || i < len(w)
		if run := concat(w[start:i]); !mayBeEmpty(run) {
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
