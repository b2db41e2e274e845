package offline

import (
	"regexp"
	"strings"

	"recall/ingest"
	"recall/payload"
)

// goal says what the session was to achieve: the first real request, or the
// title of the plan that it set out to carry out.
func goal(t *talk) []payload.Item {
	if it, ok := planGoal(t.session); ok {
		return []payload.Item{it}
	}
	asks := requests(t)
	if len(asks) == 0 {
		return nil
	}
	lead := asks[0]
	for _, a := range asks[1:min(3, len(asks))] { // a look around often comes before the request
		if lead.score < goodRequest && a.score >= goodRequest {
			lead = a
			break
		}
	}
	text := lead.text
	it := turnItem(payload.Goal, "first-request", payload.ByUser, lead.sp.turn, shorten(text), lead.quote)
	it.About = about(lead.raw)
	for _, a := range asks {
		if a.sp != lead.sp && len(it.Evidence) < 3 && a.sp.exchange <= lead.sp.exchange+2 {
			it.Evidence = append(it.Evidence, payload.Evidence{Turn: string(a.sp.turn.ID), N: a.sp.turn.N, Quote: a.quote})
		}
	}
	return []payload.Item{it}
}

// A request is what one of the person's first words asks for.
type request struct {
	sp    *speech
	text  string
	raw   string
	quote string
	score float64
}

// goodRequest is the score of a sentence that clearly asks for something.
const goodRequest = 2

// requests reads what the person's opening words ask for, one request a turn,
// pasted output and repetitions left out.
func requests(t *talk) []request {
	var out []request
	for _, sp := range t.speeches {
		if !sp.user || sp.refused != nil {
			continue
		}
		if r, ok := requestOf(sp); ok {
			if n := len(out); n > 0 && share(keywords(r.text), keywords(out[n-1].text)) > 0.7 {
				if len(r.text) >= len(out[n-1].text) {
					out[n-1] = r // sent again, worded better
				}
				continue
			}
			out = append(out, r)
		}
		if len(out) == 5 {
			break
		}
	}
	return out
}

var (
	wantsChange = regexp.MustCompile(`(?i)\b(?:add|fix|implement|build|creat|writ|mak|chang|updat|renam|mov|remov|replac|refactor|migrat|support|improv|review|set up|setup|convert|port|design|optimi[sz]e|clean ?up|release|deploy|install|debug|integrat|extend|redesign|rewrit|document|generat|organi[sz]e|help me|find out|figure out|propose|suggest|prepare|finish|continue|resolve|handle|test|investigat|analy[sz]|summari[sz]|work on|look at|look into|check|achieve|goal)(?:e|es|ed|ing|s|t)?\b`)
	tellsWrong  = regexp.MustCompile(`(?i)\b(?:error|broken|fails?|failing|failed|crash|bug|wrong|doesn'?t work|not working|issue|problem|breaks?|hangs?|stuck)\b`)
	justAsks    = regexp.MustCompile(`(?i)^(?:hi|hello|hey|thanks|thank you|ok|yes|no|continue|go on|resume|test|help)\b[\s.!,]*$`)
	understand  = regexp.MustCompile(`(?i)\b(?:help me understand|explain|what (?:is|are|does)|how does|which data|what value|is there|are there|can you tell|do we|question)\b`)
)

// requestOf finds the sentences of a typed turn that say what is asked for.
func requestOf(sp *speech) (request, bool) {
	best := request{sp: sp}
	at := -1
	for i := range sp.parts {
		s := &sp.parts[i]
		if sp.foreign(s) || looksPasted(s.Raw) || justAsks.MatchString(strings.TrimSpace(s.Raw)) {
			continue
		}
		if sc := requestScore(s); at < 0 || sc > best.score {
			best.score, at = sc, i
		}
	}
	if at < 0 || best.score < 0.5 {
		return best, false
	}
	s := &sp.parts[at]
	best.raw = s.Raw
	best.quote = quote(sp.text, s.From, s.To)
	text := strings.TrimRight(tidy(s.Text), ". ")
	if t := politeAsk.ReplaceAllString(text, ""); len(strings.Fields(t)) >= 3 && t != text {
		text = strings.TrimRight(t, "? ")
	}
	best.text = tidy(text)
	// A bare "fix this" needs the sentence beside it.
	if len(keywords(best.text)) < 5 {
		for _, j := range []int{at - 1, at + 1} {
			if j >= 0 && j < len(sp.parts) && !looksPasted(sp.parts[j].Raw) && len(keywords(sp.parts[j].Text)) >= 3 && !sp.foreign(&sp.parts[j]) {
				other := tidy(sp.parts[j].Text)
				if j < at {
					best.text = other + " " + best.text
				} else {
					best.text = best.text + " " + other
				}
				break
			}
		}
	}
	return best, true
}

// requestScore weighs how clearly a sentence asks for work.
func requestScore(s *sentence) float64 {
	low := strings.ToLower(s.Text)
	score := 0.0
	n := len(keywords(s.Text))
	switch {
	case n == 0:
		return 0
	case n >= 4:
		score += 1
	default:
		score += 0.25 * float64(n)
	}
	if wantsChange.MatchString(low) {
		score += 1.2
	}
	if politeAsk.MatchString(s.Text) {
		score += 0.5
	}
	if tellsWrong.MatchString(low) {
		score += 0.8
	}
	if understand.MatchString(low) {
		score -= 0.8
	}
	if s.Index == 0 {
		score += 0.3
	}
	if len(s.Text) > 400 {
		score -= 0.5
	}
	return score
}

var planTitle = regexp.MustCompile(`(?m)^\s{0,3}#\s+(.+)$`)

// planGoal is the goal of a session that began by carrying out a plan.
func planGoal(s *ingest.Session) (payload.Item, bool) {
	for i := range s.Turns {
		t := &s.Turns[i]
		if t.Abandoned || t.Copied {
			continue
		}
		if t.Kind == ingest.Prompt {
			return payload.Item{}, false // something else was asked for first
		}
		if t.Kind != ingest.PlanTurn {
			continue
		}
		m := planTitle.FindStringSubmatchIndex(t.Text)
		if m == nil {
			return payload.Item{}, false
		}
		title := plain(t.Text[m[2]:m[3]])
		text := title
		for _, p := range []string{"Plan: ", "Implementation Plan: ", "Plan - ", "Plan — "} {
			text = strings.TrimPrefix(text, p)
		}
		it := turnItem(payload.Goal, "plan-title", payload.ByUser, t, tidy(text), quote(t.Text, m[2], m[3]))
		if sum, ok := planSummary(t.Text); ok {
			it.Text = shorten(tidy(text) + " " + plain(sum))
			it.About = about(sum)
		}
		return it, true
	}
	return payload.Item{}, false
}

// planSummary is the first sentence under a plan's goal, summary or context.
func planSummary(plan string) (string, bool) {
	for _, s := range sentences(plan) {
		switch h := strings.ToLower(s.Heading); {
		case strings.Contains(h, "goal"), strings.Contains(h, "summary"), strings.Contains(h, "overview"), strings.Contains(h, "objective"):
			return s.Raw, true
		}
	}
	return "", false
}
