package index

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"recall/index/words"
)

// frames match what of a question asks and isn't asked about: "how many", "what
// did we say about", "why do we use", "was it discussed". The words are content
// elsewhere ("the ask dialog"), so they are cut here and not with the small ones.
var frames = sync.OnceValue(func() []*regexp.Regexp {
	return []*regexp.Regexp{
		regexp.MustCompile(`(?i)\bhow (many|often|long)\b`),
		regexp.MustCompile(`(?i)\b(open|unresolved|outstanding|pending|next) (questions?|points?|steps?|actions?|things?)\b`), // which ask for a kind
		regexp.MustCompile(`(?i)\bwhere (?:is|are|was|were|do|does|did)\b.*\b(implemented|located|defined|handled|lives?)\b`),
		regexp.MustCompile(`(?i)\b(decisions?|choices?) (?:on|about|regarding|around|made)\b`),
		regexp.MustCompile(`(?i)\b(?:did|do|does|have|has|had|didn't|don't|haven't) (we|i|you|they|anyone|anybody|someone|somebody)(?: (?:ever|already|actually|really|just|finally|first|last))* (ask(?:ed)?|sa(?:y|id)|tell|told|talk(?:ed)?|discuss(?:ed)?|mention(?:ed)?|agree(?:d)?|settle(?:d)?|conclude(?:d)?|use(?:d)?|take(?:n)?|consider(?:ed)?|rule(?:d)? out|end up|go with|gone with|want(?:ed)?)\b`),
		regexp.MustCompile(`(?i)\b(?:decid(?:e|ed|ing)|cho(?:ose|se|sen)|vot(?:e|ed)|argu(?:e|es|ed)) (against|in favou?r of)\b`),
		regexp.MustCompile(`(?i)\b(speaks?|spoke|sa(?:y|ys|id)) (against|for|in favou?r of)\b`),
		regexp.MustCompile(`(?i)\b(?:was|were|been|got) (?:it |this |that |there )?(?:ever |already |finally )?(said|discussed|agreed|mentioned|settled|concluded|ruled out|considered)\b`),
	}
})

// withoutFrame drops the terms of a question that only ask, unless nothing else
// is left. What stands there a second time stays.
func withoutFrame(text string, ts []term) []term {
	text = clipText(text, longest)
	var asking []string
	for _, f := range frames() {
		for _, m := range f.FindAllStringSubmatch(text, -1) {
			for w := range strings.FieldsSeq(strings.ToLower(strings.Join(m[1:], " "))) {
				asking = append(asking, words.Stem(w))
			}
		}
	}
	if len(asking) == 0 {
		return ts
	}
	times := map[string]int{}
	words.Each(text, func(w string) bool { times[words.Stem(w)]++; return true })
	kept := slices.DeleteFunc(slices.Clone(ts), func(t term) bool { return times[t.stem] == 1 && slices.Contains(asking, t.stem) })
	if len(kept) == 0 {
		return ts
	}
	return kept
}
