package offline

import (
	"strings"

	"recall/distill/offline/cue"
	"recall/ingest"
	"recall/payload"
)

// faint is the confidence of what is read from a branch that was rewound: the
// way was left, but only the next prompt hints at why.
const faint = 0.5

// abandoned makes eliminated items of branches that were rewound after work or
// a plan, where the prompt that replaced them says why.
func abandoned(t *talk) []payload.Item {
	var out []payload.Item
	turns := t.session.Turns
	for from := 0; from < len(turns); from++ {
		if !turns[from].Abandoned {
			continue
		}
		to := from
		for to < len(turns) && (turns[to].Abandoned || !typed(&turns[to]) && turns[to].Role == ingest.User) {
			to++
		}
		if to < len(turns) && worked(turns[from:to]) && typed(&turns[to]) && !turns[to].Copied {
			if it, ok := leftBranch(turns[from:to], &turns[to]); ok {
				out = append(out, it)
			}
		}
		from = to
	}
	return out
}

// worked tells whether a branch changed files or made a plan.
func worked(branch []ingest.Turn) bool {
	for i := range branch {
		for j := range branch[i].Calls {
			if c := &branch[i].Calls[j]; c.Plan != nil || c.Done && !c.Failed && (len(c.Edits) > 0 || writes(c.Name)) {
				return true
			}
		}
	}
	return false
}

var saysWhyNot = cue.One(`(?i)\b(?:that|it|this|they|which)\b.{0,40}\b(?:too|wrong|broke|breaks?|didn'?t|doesn'?t|does not|did not|won'?t|can'?t|slow|fails?|failed|not what)\b|\binstead of\b|\brather than\b|\b(?:turned out|no good|dead end|went wrong|not worth)\b|\b(?:don'?t|do not|without|not) .{3,60}\b(?:because|since|that|it)\b|, (?:it|that|this) (?:is|was) too\b`)

// leftBranch words a rewound branch by what was asked for on it.
func leftBranch(branch []ingest.Turn, now *ingest.Turn) (payload.Item, bool) {
	after := &speech{turn: now, text: now.Text, user: true, parts: typedSentences(now.Text)}
	var why *sentence
	for i := range after.parts {
		if s := &after.parts[i]; !after.foreign(s) && !s.Pasted && (objection.MatchString(s.Text) || saysWhyNot.MatchString(s.Text)) {
			why = s
			break
		}
	}
	if why == nil || len(now.Text) > 1500 {
		return payload.Item{}, false
	}
	for i := range branch {
		t := &branch[i]
		if !t.Abandoned || !typed(t) {
			continue
		}
		sp := &speech{turn: t, text: t.Text, user: true, parts: typedSentences(t.Text)}
		r, ok := requestOf(sp)
		if !ok || len(keywords(r.text)) < 3 {
			continue
		}
		it := turnItem(payload.Eliminated, "abandoned", payload.ByUser, t, shorten(strings.TrimRight(r.text, ". ")+" (tried on a branch that was rewound)."), r.quote)
		it.Why = strings.TrimRight(shorten(tidy(spelled(why.Text))), ".")
		it.At = now.At
		it.About = about(r.raw)
		it.Evidence = append(it.Evidence, cite(after, why.From, why.To))
		return it, true
	}
	return payload.Item{}, false
}
