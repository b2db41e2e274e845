package offline

import (
	"strings"

	"recall/distill/offline/cue"
)

// listFeatures tell where a statement stands among those beside it: in a list,
// in its message, in the answer to what was asked.
func listFeatures(f *noted, c *Candidate) {
	sp, s := c.sp, c.part
	f.on(asReplaces.of(sp), s.More != "" && replacing.MatchString(s.More))
	f.on(asQuotesCode.of(sp), strings.Count(s.Raw, "`") >= 2)
	if s.Block == listItem {
		before, all := siblings(sp, s)
		f.on(asListFirst.of(sp), before == 0)
		f.set(asListPlace.of(sp), upTo(8, before))
		f.set(asListSize.of(sp), upTo(8, all-1))
	}
	if sp.user {
		f.on(asReview.of(sp), sp.suggests || remark.MatchString(s.Text))
		f.on(asShortReply.of(sp), len(sp.text) < 200 && sp.reacts != nil)
		f.on(asStartsWork.of(sp), sp.work && sp.reacts != nil && !sp.reacts.work)
	} else if sp.asks != nil {
		f.set(asPlace.of(sp), upTo(12, s.Index))
	}
}

var suggestion = cue.One(`(?i)\bplease either\b|\bsuggestion\b`)

// siblings counts the items of the list that a statement stands in, and those
// of them before it.
func siblings(sp *speech, s *sentence) (before, all int) {
	for i := range sp.parts {
		if p := &sp.parts[i]; p.Block == listItem && p.Depth == s.Depth && p.Heading == s.Heading {
			all++
			if i < s.Index {
				before++
			}
		}
	}
	return before, all
}

// upTo is a count as a share of the most that matters.
func upTo(most, n int) float64 { return float64(min(n, most)) / float64(most) }
