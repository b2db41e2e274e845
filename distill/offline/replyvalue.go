package offline

import (
	"strings"

	"recall/distill/offline/cue"
)

// Where a message proposes something with a value in it, an answer may take it
// with that value, or give another: "5 is fine", "8 minutes", "make it 120".

var (
	saidValue = cue.One(`(?i)^(?:(?:make|set|let'?s make) (?:it|that|them)|(?:take|use|say|do|go with)|then)?\s*(\d[\d.,]*)\s?(%|[a-zµ]+)?(?:\s+(?:is|are|sounds|would be)?\s*(?:ok(?:ay)?|fine|good|enough|right|perfect|it is|then|please|pls))?(?:$|[.,;:!]|\s+(?:but|and|for|then|with)\b)`)
	setsValue = cue.One(`(?i)\b(?:make|set) (?:it|that|them) (?:to )?(\d[\d.,]*)\s?(%|[a-zµ]+)?\b`)
	anyValue  = cue.One(`(?i)(\d[\d.,]*)\s?-?(%|[a-zµ]+)?`)
	openValue = cue.One(`(?i)\b(?:some|a few|several|a couple of|n|x) ((?:\w+ )?[a-z]+)`)
)

// A quantity is a number with its unit, as far as it has one.
type quantity struct {
	number, unit string
	from, to     int
}

func quantities(text string) []quantity {
	var out []quantity
	for _, m := range allSubmatches(anyValue, text) {
		q := quantity{number: strings.Trim(text[m[2]:m[3]], ".,"), from: m[2], to: m[2] + len(strings.Trim(text[m[2]:m[3]], ".,"))}
		if m[4] >= 0 {
			q.unit = unitOf(text[m[4]:m[5]])
		}
		if q.from > 0 && (isLetter(text[q.from-1]) || text[q.from-1] == '_') {
			continue // part of a name
		}
		out = append(out, q)
	}
	return out
}

var units = map[string]string{"h": "hour", "hr": "hour", "min": "minute", "m": "minute", "sec": "second", "s": "second", "d": "day", "percent": "%"}

func unitOf(s string) string {
	s = strings.ToLower(s)
	if len(s) > 3 || s == "hrs" {
		s = strings.TrimSuffix(s, "s")
	}
	if u, ok := units[s]; ok {
		return u
	}
	return s
}

// byValue takes what the message proposes with the value that the answer names.
func (r *reply) byValue(s *sentence) bool {
	if !strings.ContainsAny(s.Text, "0123456789") {
		return false
	}
	text := strings.TrimRight(s.Text, ".! ")
	words := agreeing.ReplaceAllString(text, "")
	if m := saidValue.FindStringSubmatchIndex(words); m != nil && (r.opens(s) || words[0] > '9') {
		q := quantity{number: strings.Trim(words[m[2]:m[3]], ".,")}
		if m[4] >= 0 {
			q.unit = unitOf(words[m[4]:m[5]])
		}
		if verdictWord.MatchString(q.unit) {
			q.unit = ""
		}
		if r.takeValue(s, q, words[m[2]:valueEnd(m)], strings.Trim(words[m[1]:], " .,;:!")) {
			return true
		}
	}
	if m := setsValue.FindStringSubmatchIndex(text); m != nil {
		q := quantity{number: strings.Trim(text[m[2]:m[3]], ".,")}
		if old := quantities(text[:m[0]]); len(old) > 0 {
			return r.changeValue(s, old[0], q.number)
		}
		if s.Index > 0 {
			if old := quantities(r.sp.parts[s.Index-1].Text); len(old) > 0 {
				return r.changeValue(s, old[0], q.number)
			}
		}
		if m[4] >= 0 {
			q.unit = unitOf(text[m[4]:m[5]])
		}
		if old, ok := r.onlyValue(q.unit); ok && s.Index == 0 {
			return r.changeValue(s, old, q.number)
		}
	}
	return false
}

// onlyValue is the one quantity of a unit that the message names.
func (r *reply) onlyValue(unit string) (only quantity, ok bool) {
	n := 0
	for i := range r.to.parts {
		for _, x := range quantities(r.to.parts[i].Text) {
			if x.unit == unit && unit != "" {
				only = x
				n++
			}
		}
	}
	return only, n == 1
}

var verdictWord = cue.One(`^(?:is|are|ok|okay|fine|good|then|please|pls|enough|sounds|would|it|but|and|for|with)$`)

func valueEnd(m []int) int {
	if m[4] >= 0 {
		return m[5]
	}
	return m[3]
}

// takeValue finds what the message proposes with the value, or leaves open.
func (r *reply) takeValue(s *sentence, q quantity, said, own string) bool {
	var best *sentence
	var text string
	top := 0.0
	for i := range r.to.parts {
		p := &r.to.parts[i]
		if len(p.keys()) < 3 || len(p.Text) > maxText || r.to.foreign(p) || turnedAway.MatchString(p.Text) {
			continue
		}
		score, worded := 0.0, p.Text
		for _, x := range quantities(p.Text) {
			if x.number == q.number && (q.unit == "" || x.unit == q.unit) {
				score = 1
			}
		}
		if m := openValue.FindStringSubmatchIndex(p.Text); score == 0 && q.unit != "" && m != nil && unitOf(lastField(p.Text[m[2]:m[3]])) == q.unit {
			score, worded = 2, p.Text[:m[0]]+said+p.Text[m[3]:]
		}
		if score == 0 {
			continue
		}
		if recommends.MatchString(p.Text) || proposesIt.MatchString(p.Text) {
			score++
		}
		if score >= top {
			best, text, top = p, worded, score
		}
	}
	if best == nil {
		return false
	}
	o := proposalOffer(r.to, best)
	if text != best.Text {
		o.text, o.why = proposalWords(text, "")
	}
	if own == "" {
		own = r.goesOn(s)
	}
	r.decide("reply-value", s, o, nil, own)
	return true
}

// changeValue finds what the message proposes with a value that the answer changes.
func (r *reply) changeValue(s *sentence, old quantity, number string) bool {
	for i := range r.to.parts {
		p := &r.to.parts[i]
		if len(p.keys()) < 3 || len(p.Text) > maxText || r.to.foreign(p) {
			continue
		}
		for _, x := range quantities(p.Text) {
			if x.number == old.number && x.unit == old.unit {
				o := proposalOffer(r.to, p)
				o.text, o.why = proposalWords(p.Text[:x.from]+number+p.Text[x.to:], "")
				r.decide("reply-value", s, o, nil, "")
				return true
			}
		}
	}
	return false
}

func lastField(s string) string {
	s = strings.TrimSpace(s)
	return s[strings.LastIndexByte(s, ' ')+1:]
}
