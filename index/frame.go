package index

import (
	"slices"
	"strings"

	"recall/internal/text"
)

// dropFraming drops the terms of a question that only phrase it ("how many times did we …"), unless nothing
// else is left. Terms that occur a second time stay.
func dropFraming(s string, ts []term) []term {
	if kept := slices.DeleteFunc(slices.Clone(ts), func(t term) bool { return phrases().small[t.word] }); len(kept) > 0 {
		ts = kept
	}
	s = text.HeadMarked(s, maxQuestion)
	var asking []string
	for _, f := range phrases().frames {
		for _, m := range f.FindAllStringSubmatch(s, -1) {
			for w := range strings.FieldsSeq(strings.ToLower(strings.Join(m[1:], " "))) {
				asking = append(asking, text.Stem(w))
			}
		}
	}
	if len(asking) == 0 {
		return ts
	}
	times := map[string]int{}
	text.Each(s, func(w string) bool { times[text.Stem(w)]++; return true })
	kept := slices.DeleteFunc(slices.Clone(ts), func(t term) bool {
		return times[t.stem] == 1 &&
			slices.Contains(asking, t.stem)
	})
	if len(kept) == 0 {
		return ts
	}
	return kept
}
