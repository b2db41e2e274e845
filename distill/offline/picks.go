package offline

import (
	"strings"

	"recall/distill/offline/cue"
)

// A pick says how the person's reply bears on one sentence of the closing
// message that it answers.
type pick struct {
	picked    bool // the option that the reply names
	lost      bool // an option beside the picked one
	confirmed bool // what a "yes" says yes to: the question, or the recommendation
	reply     *speech
	title     string // of the picked option's heading, "" if it has none
}

// An option is one of several courses that a closing message offers.
type option struct {
	label string // "1", "b"
	part  int    // index of its sentence, the first under its heading
	title string // what its heading calls it, "" if it is a list item
}

// name is an option in a few words.
func (o option) name(sp *speech) string {
	if o.title != "" {
		return o.title
	}
	return strings.TrimSuffix(label(&sp.parts[o.part]), ".")
}

var optionLead = cue.One(`(?i)^(?:option|approach|alternative|choice|variant|plan)\s+([a-e]|[1-9])\b|^\(?([a-e]|[1-9])[).:]\s`)

// optionsOf lists the courses that a message offers, in order. Of several
// lists the last counts: that is what the question at the end is about.
func optionsOf(sp *speech) []option {
	if sp.options == nil {
		sp.options = append([]option{}, findOptions(sp)...)
	}
	return sp.options
}

func findOptions(sp *speech) []option {
	if headed := headedOptions(sp); len(headed) >= 2 {
		return headed
	}
	var last, cur []option
	for i := range sp.parts {
		label := optionLabel(&sp.parts[i])
		if label == "" {
			continue
		}
		if label == "1" || label == "a" {
			cur = nil
		}
		cur = append(cur, option{label: label, part: i})
		if len(cur) >= 2 {
			last = cur
		}
	}
	return last
}

// headedOptions are the courses that have a heading each: "## Option 2: Do less".
func headedOptions(sp *speech) []option {
	var out []option
	for i := range sp.parts {
		h := sp.parts[i].Section
		if i > 0 && sp.parts[i-1].Section == h {
			continue
		}
		if m := optionLead.FindStringSubmatch(h); m != nil && m[1] != "" {
			title := strings.Trim(markedBest.ReplaceAllString(h[len(m[0]):], ""), " :.)—–-")
			out = append(out, option{strings.ToLower(m[1]), i, title})
		}
	}
	return out
}

var markedBest = cue.One(`(?i)\s*[(\[—–-]*\s*(?:my )?(?:recommended|recommendation|preferred|current(?: direction)?|best|simplest)\s*[)\]]*\s*$`)

func optionLabel(s *sentence) string {
	for _, text := range []string{s.Lead, s.Text} {
		if m := optionLead.FindStringSubmatch(text); m != nil {
			return strings.ToLower(m[1] + m[2])
		}
	}
	if s.Block == listItem && s.Depth == 0 {
		return s.Label
	}
	return ""
}

var (
	bareOption = cue.One(`(?i)^(?:(?:ok(?:ay)?|yes|yeah|no|or no|sure|hm+|and)[, ]+)*(?:let'?s|lets)?\s*(?:i(?:'d| would|'ll)?|we(?:'d|'ll)?|can we)?\s*(?:do|go with|go for|take|have|use|try|implement|prefer|pick|choose|like|start with|want)?\s*(?:the )?(?:options?|approach|number|variant|choice|nr\.?|no\.?|#)?\s*\(?#?([a-e]|[1-9])\)?(?:[\s.,;:!)]|$)`)
	namedOpt   = cue.One(`(?i)\b(?:options?|approach|variant|choice)\s+#?\(?([a-e]|[1-9])\b`)
	recommends = cue.One(`(?i)\brecommend|\bmy (?:pick|vote|preference|suggestion|instinct|lean|take)\b|\bi'?d (?:go|suggest|lean|keep|start|pick|say)\b|\bi suggest\b`)
	asksToDo   = cue.One(`(?i)\b(?:want me to|should i|shall i|shall we|should we|would you like(?: me)?(?: to)?|do you want(?: me)?(?: to)?|ok to|okay to|ready to|does (?:this|that)|sound(?:s)? (?:good|right)|agree|how about|what do you think|which|happy to)\b`)
	markedPick = cue.One(`(?i)(?:#|option\s+|\()([a-e]|[1-9])\)?\b`)
	barePick   = cue.One(`\*\*\(?#?([A-Ea-e]|[1-9])\)?\*\*`)
)

// ownPoint matches a point that somebody numbers themselves: "1. this happened twice".
var ownPoint = cue.One(`(?i)^\(?[a-e1-9][.)]\s+(?:this|that|it|i|we|you|the|there|my|our|why|what|how|when|is|are|does|do|can)\b`)

// chosenLabel reads which option a reply names, "" if none.
func chosenLabel(reply string) string {
	reply = strings.TrimSpace(reply)
	if m := bareOption.FindStringSubmatch(reply); m != nil && !ownPoint.MatchString(reply) {
		if m[1] != "a" || len(strings.Fields(reply)) <= 2 { // else it is the article
			return strings.ToLower(m[1])
		}
	}
	if m := namedOpt.FindStringSubmatch(reply); m != nil {
		return strings.ToLower(m[1])
	}
	return ""
}

// picksOf reads the reply to a closing message: which of its sentences the
// person chose, said yes to, or passed over.
func picksOf(sp *speech) map[int]*pick {
	if sp.user || !sp.closing || sp.reaction == nil {
		return nil
	}
	reply := sp.reaction
	out := map[int]*pick{}
	options := optionsOf(sp)
	choose := func(label string) bool {
		hit := false
		for _, o := range options {
			hit = hit || o.label == label
		}
		if !hit || len(options) < 2 {
			return false
		}
		for _, o := range options {
			out[o.part] = &pick{picked: o.label == label, lost: o.label != label, reply: reply, title: o.title}
		}
		return true
	}
	if label := chosenLabel(reply.text); label != "" && choose(label) {
		return out
	}
	if reply.mood != accepts {
		return out
	}
	for i := range sp.parts {
		s := &sp.parts[i]
		switch {
		case recommends.MatchString(s.Text):
			out[i] = &pick{confirmed: true, reply: reply}
			for _, re := range []*cue.Regexp{barePick, markedPick} {
				if m := re.FindStringSubmatch(s.Raw); m != nil && choose(strings.ToLower(m[1])) {
					break
				}
			}
		case strings.HasSuffix(s.Raw, "?") && asksToDo.MatchString(s.Text) && s.Index >= s.Of-3:
			out[i] = &pick{confirmed: true, reply: reply}
		}
	}
	return out
}

// endsAsking tells whether a message ends on a question to its reader.
func endsAsking(sp *speech) bool {
	n := len(sp.parts)
	for i := max(0, n-2); i < n; i++ {
		if strings.HasSuffix(strings.TrimRight(sp.parts[i].Raw, "*_ "), "?") {
			return true
		}
	}
	return false
}
