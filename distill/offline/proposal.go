package offline

import (
	"strings"

	"recall/distill/offline/cue"
)

// "Ok do that, but later" says what is to be done only together with the
// proposal that it answers.

var answersOnly = cue.One(`(?i)^\W*(?:(?:ok(?:ay)?|yes|yeah|yep|sure|great|good|perfect|fine|agreed|no)\b[,.! ]*)+(?:(?:let'?s |please |just )?(?:do|take|go with|use|try|build|make|implement|go for) (?:that|it|this|so)|go ahead|sounds? good|makes? sense|\W*$|but\b|later\b|not (?:now|yet)\b)|(?i)^\W*(?:let'?s |please |just )?(?:do|take|go with|go for) (?:that|it|this)\b|(?i)^\W*go ahead\b`)

// leansBack tells whether a typed statement takes its content from what it answers.
func (c *Candidate) leansBack() bool {
	sp := c.sp
	if !sp.user || sp.reacts == nil || sp.refused != nil || c.part.Index > 2 {
		return false
	}
	if optionsChosen(sp) {
		return false
	}
	return answersOnly.MatchString(sp.text) && len(c.part.keys()) < 5 && len(sp.text) < 300
}

func optionsChosen(sp *speech) bool {
	return len(optionsOf(sp.reacts)) >= 2 && chosenLabel(sp.text) != ""
}

// proposalFor finds the sentence of the closing message that a typed answer
// takes its content from: what was proposed, best with the answer's own words
// in it; nil if nothing was.
func proposalFor(sp *speech) *sentence {
	said := keywords(sp.text)
	parts := sp.reacts.parts
	var best *sentence
	top := 1.0
	for i := range parts {
		p := &parts[i]
		if len(p.keys()) < 4 || len(p.Text) > maxText || p.Depth >= 2 || sp.reacts.foreign(p) || stateOfWork.MatchString(p.Text) || turnedAway.MatchString(p.Text) {
			continue
		}
		score := 1.5 * float64(min(2, shared(said, p.keys())))
		question := strings.HasSuffix(strings.TrimRight(p.Raw, "*_ "), "?")
		switch {
		case recommends.MatchString(p.Text):
			score += 2
		case question && offerAsk.MatchString(p.Text):
			score += 2
		case question:
			continue
		case offers.MatchString(p.Text):
			score++
		}
		if i >= len(parts)-2 {
			score += 0.5
		}
		if score > top {
			best, top = p, score
		}
	}
	return best
}

// offers matches how an assistant words what could be done.
var offers = cue.One(`(?i)\b(?:i can|i could|i would|i'd|we can|we could|could|would|a better way|alternatively|the simplest|that (?:needs|does)|needs neither|instead)\b|^(?:an?|one) [a-z-]+ (?:job|script|table|column|flag|step|task|check|test|page|file|query|index|cache|hook|worker|field|setting|rule)\b`)

// fromProposal gives a typed answer the words of the proposal, its own as the
// condition behind them.
func (c *Candidate) fromProposal() {
	p := proposalFor(c.sp)
	if p == nil {
		return
	}
	text, why := phrase(c.sp.reacts, p)
	if strings.HasSuffix(p.Raw, "?") {
		text = strings.TrimRight(tidy(offerAsk.ReplaceAllString(p.Text, "")), "?. ")
	}
	c.Text = needsNone.ReplaceAllString(strings.TrimRight(text, ". "), "")
	c.Text = recommendLead.ReplaceAllString(c.Text, "")
	if own := strings.TrimRight(tidy(acceptance.ReplaceAllString(c.part.Text, "")), ". "); len(keywords(own)) >= 1 && share(keywords(own), keywords(c.Text)) < 0.6 {
		c.Text += " — " + spelled(lowerFirst(own))
	}
	c.Text = shorten(tidy(c.Text))
	if c.Why == "" {
		c.Why = why
	}
	c.proposal = p
}

var (
	needsNone     = cue.One(`(?i), (?:which |that )?(?:needs|does|has|avoids|solves|would (?:need|avoid|solve)) (?:neither|both|none|all|either|that|this)(?: of (?:it|them|that|those))?$`)
	acceptance    = cue.One(`(?i)^\W*(?:(?:ok(?:ay)?|yes|yeah|yep|sure|great|good|perfect|fine|agreed|but|and|then|go ahead|(?:let'?s |please )?(?:do|take|go with|use) (?:that|it|this))\b[,.! ]*)+`)
	recommendLead = cue.One(`(?i)^(?:i'?d|i would|i) (?:recommend|suggest|propose|go with|lean to(?:wards)?|take)(?: to)? (?:that (?:we|you) )?`)
)
