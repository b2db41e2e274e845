package cue

import (
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOneIsRegexp(t *testing.T) {
	patterns, _ := offlinePatterns(t)
	texts := append(talk(patterns, 8, 9), tableTexts[:24]...)
	for _, p := range append(patterns, tablePatterns...) {
		one, re := One(p), regexp.MustCompile(p)
		if one.String() != re.String() {
			t.Errorf("got %q, want %q", one, re)
		}
		for _, text := range texts {
			type answers struct {
				Match      bool
				Find, Repl string
				At, Subs   []int
				Sub, All   []string
			}
			got := answers{one.MatchString(text), one.FindString(text), one.ReplaceAllString(text, "<$0>"), one.FindStringIndex(text),
				one.FindStringSubmatchIndex(text), one.FindStringSubmatch(text), one.FindAllString(text, -1)}
			want := answers{re.MatchString(text), re.FindString(text), re.ReplaceAllString(text, "<$0>"), re.FindStringIndex(text),
				re.FindStringSubmatchIndex(text), re.FindStringSubmatch(text), re.FindAllString(text, -1)}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("pattern %q on %q (-regexp +cue):\n%s", p, text, diff)
			}
		}
	}
}
