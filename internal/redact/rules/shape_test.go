package rules

import (
	"fmt"
	"regexp/syntax"
	"slices"
	"strings"
)

// How the named rules of gitleaks are built: name, operator, value.
const (
	wide     = `(?i)[\w.-]{0,50}?`
	wideCase = `[\w.-]{0,50}?(?i:[\w.-]{0,50}?`
	between  = `(?:[ \t\w.-]{0,20})[\s'"]{0,3}`
	operator = `(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)[\x60'"\s=]{0,5}`
)

// shape tells a rule's form, the expression to try and the lower-case literals
// to try it at.
func shape(r rule) (form, expr string, anchors []string, err error) {
	name, value, ok := named(r.Regex)
	if ok {
		anchors, err = beginnings(name)
		return "assign", value, anchors, err
	}
	if r.Looks != "" && len(r.Keywords) > 0 {
		return "around", r.Regex, slices.Clone(r.Keywords), nil
	}
	if near := keywordOnly[r.ID]; near != nil {
		return "around", r.Regex, near, nil
	}
	if anchors, err = beginnings(r.Regex); err == nil {
		return "at", `\A(?:` + r.Regex + `)`, anchors, nil
	}
	if len(r.Keywords) == 0 {
		return "", "", nil, fmt.Errorf("neither a beginning nor keywords: %v", err)
	}
	return "around", r.Regex, slices.Clone(r.Keywords), nil
}

// named splits an expression of the usual build into that of its name and that
// of its value.
func named(expr string) (name, value string, ok bool) {
	flags := "(?i)"
	switch {
	case strings.HasPrefix(expr, wideCase):
		expr, flags = expr[len(wideCase):], ""
	case strings.HasPrefix(expr, wide):
		expr = expr[len(wide):]
	default:
		return "", "", false
	}
	name, rest, ok := strings.Cut(expr, between)
	if !ok {
		return "", "", false
	}
	if flags == "" {
		rest = strings.TrimPrefix(rest, ")")
	}
	if rest, ok = strings.CutPrefix(rest, operator); !ok {
		return "", "", false
	}
	return "(?i)" + name, `\A` + flags + rest, true
}

const (
	maxBeginnings = 40 // of one rule
	maxLength     = 16 // of a beginning; longer ones tell no more
	minLength     = 3
)

// beginnings lists the literals, in lower case, one of which every match of the
// expression begins with.
func beginnings(expr string) ([]string, error) {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil, err
	}
	set, _ := prefixes(re)
	for i, s := range set {
		if len(s) < minLength {
			return nil, fmt.Errorf("beginning %q is too short", s)
		}
		set[i] = s[:min(len(s), maxLength)]
	}
	if len(set) == 0 || len(set) > maxBeginnings {
		return nil, fmt.Errorf("%d beginnings", len(set))
	}
	return shortest(set), nil
}

// shortest leaves out what begins with another of the set.
func shortest(set []string) []string {
	slices.Sort(set)
	var kept []string
	for _, s := range set {
		if len(kept) == 0 || !strings.HasPrefix(s, kept[len(kept)-1]) {
			kept = append(kept, s)
		}
	}
	return kept
}

// least returns the length in bytes of the shortest match of re.
func least(re *syntax.Regexp) int {
	switch re.Op {
	case syntax.OpLiteral:
		return len(re.Rune)
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return 1
	case syntax.OpCapture, syntax.OpPlus:
		return least(re.Sub[0])
	case syntax.OpRepeat:
		return re.Min * least(re.Sub[0])
	case syntax.OpConcat:
		n := 0
		for _, sub := range re.Sub {
			n += least(sub)
		}
		return n
	case syntax.OpAlternate:
		n := least(re.Sub[0])
		for _, sub := range re.Sub[1:] {
			n = min(n, least(sub))
		}
		return n
	}
	return 0
}

// endless is the length of matches without a bound.
const endless = 1 << 20

// most returns the length in bytes of the longest match of re, endless or more
// if there is none; letters beyond ASCII count as one.
func most(re *syntax.Regexp) int {
	switch re.Op {
	case syntax.OpLiteral:
		return len(re.Rune)
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return 1
	case syntax.OpCapture, syntax.OpQuest:
		return most(re.Sub[0])
	case syntax.OpStar, syntax.OpPlus:
		return endless
	case syntax.OpRepeat:
		if re.Max < 0 {
			return endless
		}
		return re.Max * most(re.Sub[0])
	case syntax.OpConcat:
		n := 0
		for _, sub := range re.Sub {
			n += most(sub)
		}
		return n
	case syntax.OpAlternate:
		n := 0
		for _, sub := range re.Sub {
			n = max(n, most(sub))
		}
		return n
	}
	return 0
}

// prefixes returns what matches of re may begin with; exact says that these are
// all of it, so that what follows may be appended.
func prefixes(re *syntax.Regexp) (set []string, exact bool) {
	switch re.Op {
	case syntax.OpEmptyMatch, syntax.OpBeginText, syntax.OpBeginLine, syntax.OpWordBoundary, syntax.OpEndText:
		return []string{""}, true
	case syntax.OpLiteral:
		return []string{strings.ToLower(string(re.Rune))}, true
	case syntax.OpCharClass:
		return class(re.Rune)
	case syntax.OpCapture:
		return prefixes(re.Sub[0])
	case syntax.OpQuest:
		set, exact = prefixes(re.Sub[0])
		return append(set, ""), exact
	case syntax.OpPlus:
		set, _ = prefixes(re.Sub[0])
		return set, false
	case syntax.OpRepeat:
		if re.Min > 0 {
			set, _ = prefixes(re.Sub[0])
			return set, false
		}
	case syntax.OpAlternate:
		exact = true
		for _, sub := range re.Sub {
			s, e := prefixes(sub)
			set, exact = append(set, s...), exact && e
		}
		return set, exact
	case syntax.OpConcat:
		return concat(re.Sub)
	}
	return []string{""}, false
}

func concat(subs []*syntax.Regexp) ([]string, bool) {
	set := []string{""}
	for _, sub := range subs {
		next, exact := prefixes(sub)
		if len(set)*len(next) > maxBeginnings {
			return set, false
		}
		var longer []string
		for _, a := range set {
			for _, b := range next {
				longer = append(longer, a+b)
			}
		}
		set = longer
		if !exact {
			return set, false
		}
	}
	return set, true
}

// class lists the letters of a small character class, ASCII only.
func class(ranges []rune) ([]string, bool) {
	var set []string
	for i := 0; i < len(ranges); i += 2 {
		if ranges[i] > 127 {
			continue // the Kelvin sign and the long s, which folding adds
		}
		if ranges[i+1]-ranges[i] > 8 {
			return []string{""}, false
		}
		for c := ranges[i]; c <= ranges[i+1]; c++ {
			set = append(set, strings.ToLower(string(c)))
		}
	}
	slices.Sort(set)
	set = slices.Compact(set)
	if len(set) > 4 {
		return []string{""}, false
	}
	return set, true
}
