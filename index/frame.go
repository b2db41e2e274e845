package index

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"recall/text"
)

// frames match what of a question asks and isn't asked about: "how many", "what
// did we say about", "why do we use", "was it discussed". The words are content
// elsewhere ("the ask dialog"), so they are cut here and not with the small ones.
var frames = sync.OnceValue(func() []*regexp.Regexp {
	return []*regexp.Regexp{
		regexp.MustCompile(`(?i)\bhow (many|often|long)\b`),
		// which ask for a kind
		regexp.MustCompile(`(?i)\b(open|unresolved|outstanding|pending|next) (questions?|points?|steps?|actions?|things?)\b`),
		regexp.MustCompile(`(?i)\bwhere (?:is|are|was|were|do|does|did)\b.*\b(implemented|located|defined|handled|lives?)\b`),
		regexp.MustCompile(`(?i)\b(decisions?|choices?) (?:on|about|regarding|around|made)\b`),
		regexp.MustCompile(`(?i)\b(?:did|do|does|have|has|had|didn't|don't|haven't) (we|i|you|they|anyone|anybody|someone|somebody)(?: (?:ever|already|actually|really|just|finally|first|last))* (ask(?:ed)?|sa(?:y|id)|tell|told|talk(?:ed)?|discuss(?:ed)?|mention(?:ed)?|agree(?:d)?|settle(?:d)?|conclude(?:d)?|use(?:d)?|take(?:n)?|consider(?:ed)?|rule(?:d)? out|end up|go with|gone with|want(?:ed)?)\b`),
		regexp.MustCompile(`(?i)\b(?:decid(?:e|ed|ing)|cho(?:ose|se|sen)|vot(?:e|ed)|argu(?:e|es|ed)) (against|in favou?r of)\b`),
		regexp.MustCompile(`(?i)\b(?:is|are|was|were|isn't|aren't|not)\b.*\b(used|using|done)\b`),
		regexp.MustCompile(`(?i)\b(stop|stopped|quit|start|started) (using)\b`),
		regexp.MustCompile(`(?i)\b(everything|nothing|anything|something) (?:about|on|regarding|around|of|for|we|i)\b`),
		regexp.MustCompile(`(?i)\b(any ?more|any longer|no longer)\b`),
		regexp.MustCompile(`(?i), ?(right|correct|okay|ok|yes|no|or)[?\s]*$`),
		regexp.MustCompile(`(?i)\b(speaks?|spoke|sa(?:y|ys|id)) (against|for|in favou?r of)\b`),
		regexp.MustCompile(`(?i)\b(?:was|were|been|got) (?:it |this |that |there )?(?:ever |already |finally )?(said|discussed|agreed|mentioned|settled|concluded|ruled out|considered)\b`),
	}
})

// smallWords say nothing of a topic either, and stand in the index: a "don't" without
// its mark, and the small words of German, of those who write both;
// without those that are English, a format or a folder as well ("die", "der", "dir").
var smallWords = sync.OnceValue(func() map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(`dont didnt doesnt isnt arent wasnt werent cant wont havent hasnt hadnt shouldnt wouldnt couldnt im ive
		wer wie wann warum wieso weshalb welche welcher welches welchen wir ich sie mir euch ist sind waren wird werden wurde wurden
		haben hatte hatten habe hast und oder aber nicht kein keine keinen keiner nichts noch schon doch auch nur denn dann
		ein eine einen einem einer eines zu zur zum im vom beim für mit von bei auf nach über unter seit bis als wenn ob dass soll sollen sollten können
		machen nehmen benutzen verwenden beschlossen entschieden besprochen gesagt immer jetzt`) {
		m[w] = true
	}
	return m
})

// withoutFrame drops the terms of a question that only ask, unless nothing else
// is left. What stands there a second time stays.
func withoutFrame(s string, ts []term) []term {
	small := smallWords()
	if kept := slices.DeleteFunc(slices.Clone(ts), func(t term) bool { return small[t.word] }); len(kept) > 0 {
		ts = kept
	}
	s = clipText(s, longest)
	var asking []string
	for _, f := range frames() {
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
