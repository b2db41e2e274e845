package cue

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// agree checks a set against regexp on one text.
func agree(t testing.TB, s *Set, res []*regexp.Regexp, text string) {
	t.Helper()
	got, any := s.Match(text), false
	for i, re := range res {
		any = any || re.MatchString(text)
		if want := re.MatchString(text); got.Has(i) != want {
			t.Errorf("pattern %q on %q: got %v, want %v", re, text, got.Has(i), want)
		}
	}
	if s.MatchString(text) != any || got.Any() != any {
		t.Errorf("any of %q on %q: got %v and %v, want %v", res, text, s.MatchString(text), got.Any(), any)
	}
}

func regexps(patterns []string) []*regexp.Regexp {
	out := make([]*regexp.Regexp, len(patterns))
	for i, p := range patterns {
		out[i] = regexp.MustCompile(p)
	}
	return out
}

var tablePatterns = []string{
	``, `a`, `abc`, `^abc`, `abc$`, `^abc$`, `^$`, `^`, `$`, `\Aabc\z`, `(?m)^b`, `(?m)b$`, `(?m)^$`,
	`\bcat\b`, `\Bcat`, `cat\B`, `\b`, `\B`, `\b\b`, `(?:^|\s)x(?:\s|$)`, `(?i)straße`, `(?i)k`, `(?i)s+t`, `(?i)[a-c]z`,
	`.`, `(?s).`, `a.c`, `(?s)a.c`, `a.*c`, `a.{2,5}c`, `^.*foo`, `foo.*$`, `a.+b|cd`, `(a.*b|ac)d`, `x(?:a.*b)?y`, `(?:a.*b)+`,
	`use.{2,20}(?:instead|rather)`, `.{8,}`, `\bi\b.{3,}`, `[^:]{0,20}:`, `→|->`, `[→-⇒]`, `\x{FFFD}`, `[^a]`, `[^\x00-\x{10FFFF}]`,
	`\pL+`, `\P{Greek}`, `\d[\d.,_]*k?\b`, `(?:a|b)*c`, `(?:(?:ok|and)[, ]+)*go`, `^(?:(?:ok|and)[, ]+)*go\b`, `(a*)*`, `(|a)*b`, `(?:a?){3}b`,
	`[\x{D800}-\x{DFFF}]`, `\x{10FFFF}`, `\n`, `[^\n]\z`, `a\b.*\bb`,
}

var tableTexts = []string{
	"", "a", "abc", "xabc", "abcx", "abc\n", "\nabc", "a\nb\nc", "\n", "\n\n", "cat", "concat", "cats", "a cat.", "cat_",
	"STRASSE straße STRAßE", "K", "\u212a", "ſt", "Stt", "Bz", "a\nc", "a→c", "acd", "aXbd", "xy", "xabY xaby", "use this thing instead", "use instead",
	"i am", "i a", "aaaaaaa", "aaaaaaaa", "ok, and go", "okgo", "→", "->", "\xff", "a\xffc", "\xe2\x82", "\xf0\x9f", "cat\xff", "\xffcat", "\ufffd",
	"αβγ", "1,000k", "1.5kg", "aab", "key: value", strings.Repeat("a", 30) + ":", "\U0010ffff", "\xed\xa0\x80", "foo\nbarfoo", "a x b", "ab", "a\n b",
}

func TestTable(t *testing.T) {
	s, err := Compile(tablePatterns...)
	if err != nil {
		t.Fatal(err)
	}
	res := regexps(tablePatterns)
	for _, text := range tableTexts {
		agree(t, s, res, text)
	}
	for i, p := range tablePatterns { // alone, a pattern may end the search early
		one, re := MustCompile(p), res[i:i+1]
		for _, text := range tableTexts {
			agree(t, one, re, text)
		}
	}
}

func TestBadPatterns(t *testing.T) {
	for _, p := range []string{`(`, `a**`, `[z-a]`, `\8`, `(?=a)`} {
		if _, err := Compile(`fine`, p); err == nil || !strings.Contains(err.Error(), "pattern 1") {
			t.Errorf("%q: got %v, want an error about pattern 1", p, err)
		}
	}
	if _, err := Compile(make([]string, MaxPatterns+1)...); err == nil {
		t.Error("too many patterns: got no error")
	}
	defer func() {
		if recover() == nil {
			t.Error("matching a bad pattern: got no panic")
		}
	}()
	MustCompile(`(`).Match("x")
}

// As many patterns as there may be, more parts than there is room for.
func TestManyPatterns(t *testing.T) {
	var patterns []string
	for i := range MaxPatterns {
		patterns = append(patterns, fmt.Sprintf(`\bw%d\b.*(?:x%d.*y|z)`, i, i%7))
	}
	s, res := MustCompile(patterns...), regexps(patterns)
	for _, text := range []string{"w3 and w255 then z", "w3 x3 y w4 x4", "z w9", "w200 w201 x5 x4 y z"} {
		agree(t, s, res, text)
	}
	if got := s.Match("w255 z"); !got.Has(255) || got.Has(0) || got.Has(-1) || got.Has(256) || !got.Any() {
		t.Errorf("got %v", got)
	}
	if got := MustCompile().Match("x"); got.Any() {
		t.Errorf("no patterns: got %v", got)
	}
}

// Patterns whose states are many fill the table again and again; answers stay
// right and time in proportion to the text.
func TestTableOverflows(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: -short")
	}
	patterns := []string{`(?:a|b)*a(?:a|b){14}c`, `b(?:b|a){13}x`, `c$`}
	s, res := MustCompile(patterns...), regexps(patterns)
	seed := uint32(7)
	var b strings.Builder
	for range 300_000 {
		seed = seed*1664525 + 1013904223
		b.WriteByte("aabbabab"[seed>>16%8])
	}
	long := b.String()
	for i := 0; i < 4; i++ {
		agree(t, s, res, long[i*1000:])
		agree(t, s, res, long[i*1000:]+"c")
	}
	if g := s.m.table.Load().generation; g == 0 {
		t.Error("the table never filled up: the test tests nothing")
	}
	for i := 0; i+40 < 4000; i += 20 {
		agree(t, s, res, long[i:i+40]+"c")
	}
}

func TestConcurrentUse(t *testing.T) {
	patterns := append(tablePatterns[:len(tablePatterns):len(tablePatterns)], `(?:a|b)*a(?:a|b){12}c`)
	s, res := MustCompile(patterns...), regexps(patterns)
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range tableTexts {
				text := tableTexts[(i*(g+1))%len(tableTexts)] + tableTexts[(i+g)%len(tableTexts)] + strings.Repeat("ab", g) + strings.Repeat("ba", i)
				agree(t, s, res, text)
			}
		})
	}
	wg.Wait()
}

// pattern draws a pattern of a small grammar.
func pattern(t *rapid.T, depth int) string {
	atom := rapid.SampledFrom([]string{"a", "b", "ab", "e", " ", ".", `\b`, `\B`, "^", "$", `\A`, `\z`, `\w`, `\s`, `\d`, "[^a]", "[a-e ]", "(?i)b", "→", `\n`, "é", `[^\n:]`, `\x{FFFD}`, "(?i)k", "(?i:ſ)"})
	if depth == 0 {
		return atom.Draw(t, "atom")
	}
	sub := func() string { return pattern(t, depth-1) }
	switch rapid.IntRange(0, 7).Draw(t, "op") {
	case 0, 1:
		return sub() + sub()
	case 2:
		return "(?:" + sub() + "|" + sub() + ")"
	case 3:
		return "(" + sub() + ")" + rapid.SampledFrom([]string{"*", "+", "?", "*?", "+?", "{2}", "{0,5}", "{2,}", "{3,9}"}).Draw(t, "loop")
	case 4:
		return rapid.SampledFrom([]string{".*", ".+", ".{2,6}", "[^a]*", ".{3,}", "(?s:.*)", `.{0,9}?`}).Draw(t, "gap") + sub()
	case 5:
		return rapid.SampledFrom([]string{"(?i)", "(?m)", "(?s)", "(?U)"}).Draw(t, "flag") + sub()
	case 6:
		return sub() + "|" + sub()
	}
	return atom.Draw(t, "atom")
}

func TestAgreesWithRegexp(t *testing.T) {
	piece := rapid.SampledFrom([]string{"a", "b", "ab", "A", "B", "e", " ", "\n", ":", "é", "→", "\xff", "\xe2\x86", "\ufffd", "1", "_", "K", "\u212a", "ſ", "S", "c"})
	rapid.Check(t, func(t *rapid.T) {
		var patterns []string
		for range rapid.IntRange(1, 6).Draw(t, "n") {
			p := pattern(t, rapid.IntRange(0, 4).Draw(t, "depth"))
			if _, err := regexp.Compile(p); err == nil { // `(?:)**` isn't one
				patterns = append(patterns, p)
			}
		}
		s, res := MustCompile(patterns...), regexps(patterns)
		for range 8 {
			text := strings.Join(rapid.SliceOfN(piece, 0, 24).Draw(t, "text"), "")
			got := s.Match(text)
			for i, re := range res {
				if want := re.MatchString(text); got.Has(i) != want {
					t.Fatalf("pattern %q on %q: got %v, want %v", re, text, got.Has(i), want)
				}
			}
		}
	})
}

func FuzzMatch(f *testing.F) {
	for i, p := range tablePatterns {
		f.Add(p, `\bb.*c`, tableTexts[i%len(tableTexts)])
	}
	f.Fuzz(func(t *testing.T, p, q, text string) {
		if len(p)+len(q) > 200 || len(text) > 2000 {
			return
		}
		s, err := Compile(p, q)
		if err != nil {
			if _, perr := regexp.Compile(p); perr == nil {
				if _, qerr := regexp.Compile(q); qerr == nil {
					t.Fatalf("%q, %q: got %v, regexp takes them", p, q, err)
				}
			}
			return
		}
		agree(t, s, regexps([]string{p, q}), text)
		agree(t, s, regexps([]string{p, q}), text) // from the table
	})
}
