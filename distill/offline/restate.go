package offline

import (
	"slices"
	"sort"
	"strings"

	"recall/distill/offline/cue"
	"recall/payload"
)

// What people type is terse; the report that follows says it in full, with the
// names of what was chosen and of what lost. The item then takes the report's
// words, and both are its evidence.

// Ways to name what lost. The first group is the loser.
var losers = []*cue.Regexp{
	cue.One(`(?i)\b(?:instead of|rather than|in place of|replac(?:es|ed|ing)|supersed(?:es|ed|ing)) (?:the |an? |our |your |its )?([^,.;:()—–]{2,70})`),
	cue.One(`(?i)\b(?:chose|choose|chosen|prefer(?:red)?|pick(?:ed)?|favou?r(?:ed)?|take|took) [^,.;:]{2,60} over (?:the |an? )?([^,.;:()—–]{2,60})`),
	cue.One(`(?i), (?:and )?not (?:on |via |with |in |by |the |an? )*([^,.;:()—–]{2,60})`),
	cue.One(`(?i)\b(?:drop|dropped|dropping|ditch|ditched|scrap|scrapped|abandon|abandoned) (?:the )?([^,.;:()—–]{2,40}?) (?:and|then|, we|we) (?:now )?(?:go(?:ing)? with|use|take|switch|move)`),
	cue.One(`(?i)\b(?:switch|switched|switching|mov(?:e|ed|ing)|migrat(?:e|ed|ing)) (?:\S+ ){0,3}from (?:the )?([^,.;:()—–]{2,40}?) (?:over )?to\b`),
}

var loserEnd = cue.One(`(?i)\s+(?:because|since|as|so|which|while|when|for|until|unless|but|and (?:is|are|was|now)|keeps?|makes?)\b.*$`)

// alternatives lists what a statement says lost, at most two.
func alternatives(text string) []string {
	var out []string
	for _, re := range losers {
		m := re.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		x := strings.TrimPrefix(strings.TrimSpace(loserEnd.ReplaceAllString(m[1], "")), "being ")
		if n := len(strings.Fields(x)); n == 0 || n > 9 || strings.Count(x, "`")%2 == 1 || strings.HasPrefix(x, "just ") || strings.HasPrefix(x, "only ") || len(keywords(x)) == 0 {
			continue
		}
		if len(out) == 0 || share(keywords(x), keywords(out[0])) < 0.5 {
			out = append(out, x)
		}
		if len(out) == 2 {
			break
		}
	}
	return out
}

// replacing is what follows a list item's first sentence, where it says what that replaces.
var replacing = cue.One("(?i)^(?:this|that|it|which) (?:replaces|supersedes|takes the place of) ((?:`[^`]*`|[^.;`]){3,80})")

// names are a sentence's keywords, with compound names joined too: who types
// "maplibre" means "MapLibre".
func (s *sentence) names() terms {
	if s.full == nil {
		var room [64]word
		s.full = slices.Clone(sorted(appendNames(appendNames(room[:0], s.Text), s.More)))
	}
	return s.full
}

// appendNames adds a text's keywords and its compound names, joined.
func appendNames(out []word, text string) []word {
	out = appendKeywords(out, text, true)
	for w := range strings.FieldsSeq(text) {
		if smallLetters(w) {
			continue
		}
		w = trimMarks(w, "`\"'“”‘’()[]{}<>,;:.!?…*")
		if smallLetters(w) || !compound(w) {
			continue
		}
		if joined := strings.ToLower(strings.Map(onlyLetters, w)); len(joined) > 3 {
			out = append(out, wordOf(undoubled(stem(joined))))
		}
	}
	return out
}

// compound tells whether a name has several words.
func compound(name string) bool {
	n := 0
	for range wordsIn(name) {
		if n++; n > 1 {
			return true
		}
	}
	return false
}

func onlyLetters(r rune) rune {
	if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
		return r
	}
	return -1
}

// A fullForm is a report's statement that may say in full what a person decided.
type fullForm struct {
	*Candidate
	names    terms
	contrast bool // it names what lost
}

// fullForms lists them, in the order in which they were said.
func fullForms(all []*Candidate) []fullForm {
	var out []fullForm
	for _, c := range all {
		if c.sp.user || !c.sp.closing {
			continue
		}
		contrast := c.part.cues().has("names-loser") || replacing.MatchString(c.part.More)
		opens := c.part.Index == 0 && c.sp.work
		if (contrast || opens || c.part.Block == listItem) && c.states() && len(c.part.names()) >= 4 {
			out = append(out, fullForm{c, c.part.names(), contrast})
		}
	}
	return out
}

// restated finds the report's full statement of what a person decided in few
// words: in the message that it was answered with or a later one, nil if none.
func restated(c *Candidate, full []fullForm) *Candidate {
	if !c.sp.user || len(c.part.keys()) == 0 || c.sp.refused != nil && strings.HasSuffix(c.sp.text, "?") || c.says == nil && c.explains() {
		return nil
	}
	mine := c.part.names()
	if len(c.Text) < len(c.part.Text) {
		short := sentence{Text: c.Text} // without "ok, makes sense"
		mine = short.names()
	}
	leans := c.says != nil && leansOn(c.part.Text)
	if c.sp.mood != accepts || !stays.MatchString(c.part.Text) { // what it confirms was said before
		at := sort.Search(len(full), func(i int) bool { return full[i].sp.exchange >= c.sp.exchange })
		full = full[at:]
	}
	var best *Candidate
	top := 0.0
	for i := range full {
		o := &full[i]
		if !o.contrast && len(o.names) <= len(mine) || o.sp.mood == objects && o.sp.exchange >= c.sp.exchange {
			continue // an objection to a report is no confirmation of it; one before it may be
		}
		n := shared(mine, o.names)
		if n == 0 || n == 1 && (!o.contrast && !leans || o.sp.exchange != c.sp.exchange) {
			continue
		}
		cover := coverage(mine, o.names, c.rare)
		switch {
		case o.contrast && (n >= 2 && cover >= 0.3 || cover >= 0.2 && o.sp.exchange == c.sp.exchange && leads(o.part, mine)):
		case leans && cover >= 0.6 && o.sp.exchange == c.sp.exchange:
		case n >= 2 && cover >= 0.5 && len(o.names) > len(mine) && o.part.Block == listItem:
		default:
			continue
		}
		score := cover
		if o.contrast {
			score += 0.5
		}
		if score >= top { // of equals the last: the last form counts
			best, top = o.Candidate, score
		}
	}
	return best
}

// explains tells whether typed words ask or tell at length rather than say what is to be.
func (c *Candidate) explains() bool {
	if strings.HasSuffix(strings.TrimSpace(c.part.Raw), "?") {
		return true
	}
	c.part.cues()
	return !c.part.directs && len(c.part.keys()) > 8
}

var stays = cue.One(`(?i)\b(?:keep|stay|leave|stick|fine|ok)\b`)

// leads tells whether a statement opens with one of the words.
func leads(s *sentence, words terms) bool {
	head := s.Lead
	if head == "" {
		f := strings.Fields(s.Text)
		head = strings.Join(f[:min(4, len(f))], " ")
	}
	h := sentence{Text: head}
	return shared(h.names(), words) > 0
}

// states tells whether a candidate says how things are to be, and isn't
// plainly something else.
func (c *Candidate) states() bool {
	raw := strings.TrimRight(c.part.Raw, "*_ ")
	if strings.HasSuffix(raw, "?") || strings.HasSuffix(raw, ":") || c.says != nil && c.says.kind != payload.Decision && c.says.kind != payload.Next && c.says.kind != payload.Flag {
		return false
	}
	text := strings.ReplaceAll(c.part.Text, "’", "'")
	if atLine.MatchString(text) {
		return false
	}
	return !c.ofFile() && !figures.MatchString(text) && !stateOfWork.MatchString(text) && !aboutToDo.MatchString(text) && !remark.MatchString(text) && !turnedAway.MatchString(text)
}

// atLine matches what tells of a line of a file.
var atLine = cue.One("^`?[^` ]+:\\d")

// turnedAway matches what says that something is not done: no decision's full form.
var turnedAway = cue.One(`(?i)\b(?:ruled out|not taken|was (?:tried and )?dropped|not done|rejected)\b`)

// coverage is weighed for names: a joined name counts only where it is met.
func coverage(a, b terms, rare rarity) float64 {
	var both, all float64
	eachShared(a, b, func(w word) { both += max(rare.of(w), leastRare) })
	for _, w := range a {
		if x := rare.of(w); x > 0 || slices.Contains(b, w) {
			all += max(x, leastRare)
		}
	}
	if all == 0 {
		return 0
	}
	return both / all
}

// leastRare is what a word weighs at least that stands in each message of a short talk.
const leastRare = 0.7

// inFull gives what was decided in few words the words of the report, and
// takes the report's own item out of the list.
func inFull(kept []*chosen) []*chosen {
	taken := map[*Candidate]*chosen{}
	for _, ch := range kept {
		if ch.kind != payload.Decision || !ch.c.sp.user {
			continue
		}
		o := ch.c.full
		if o == nil {
			continue
		}
		if first := taken[o]; first != nil {
			first.join(*ch)
			ch.kind = ""
			continue
		}
		taken[o] = ch
		full := o.Item(payload.Decision)
		full.At = ch.item.At
		full.By, full.Rule = payload.ByBoth, "restated"
		full.Evidence = full.Evidence[:1]
		for _, e := range ch.item.Evidence {
			if len(full.Evidence) < 3 && !cites(full.Evidence, e) {
				full.Evidence = append(full.Evidence, e)
			}
		}
		if full.Why == "" && share(keywords(ch.item.Why), keywords(full.Text)) < 0.6 {
			full.Why = ch.item.Why
		}
		if len(full.Alternatives) == 0 {
			full.Alternatives = ch.item.Alternatives
		}
		ch.item = full
	}
	out := kept[:0:0]
	for _, ch := range kept {
		if ch.kind == "" {
			continue
		}
		if by := taken[ch.c]; by != nil && by != ch {
			continue
		}
		out = append(out, ch)
	}
	return out
}
