package text

import (
	"iter"
	"regexp"
	"strings"
)

var denies = Pattern(`(?i)\b(no|not|never|without|don['’]?t|doesn['’]?t|isn['’]?t|aren['’]?t|leave|remove|delete|drop|` +
	`rid of|instead of|rather than|replace|explain|why)\b|\?\s*$`)

// Denies reports whether a sentence denies something or asks, so that what it names isn't what it says.
func Denies(sentence string) bool { return denies().MatchString(sentence) }

// eitherOr matches two options that a sentence offers, up to four words of each, and versus two that it compares.
var (
	eitherOr = twoOptions(`or|oder|ou|还是`)
	versus   = twoOptions(`against|versus|vs`)
)

func twoOptions(between string) func() *regexp.Regexp {
	return Pattern(`(?i)((?:[^\s,.;:?!]+\s+){0,3}[^\s,.;:?!]+,?\s+)(?:` + between + `)\s+((?:[^\s,.;:?!]+\s*){1,4})`)
}

// purpose matches what an option is for.
var purpose = Pattern(`(?i)\s(?:for|in|on|at|since|because|if|when)\s.*`)

// Takes returns the words of the clauses of a reply that deny nothing.
func Takes(reply string) Bag {
	took := Bag{}
	for clause := range clauses(reply) {
		if !Denies(clause) {
			took.Add(Words(clause))
		}
	}
	return took
}

// Lost returns the words of the one of two options of a sentence that a reply didn't take; nil if it took neither.
func Lost(sentence string, took Bag) Bag {
	switch first, second, tookFirst := options(sentence, took); {
	case first == "":
		return nil
	case tookFirst:
		return Words(second)
	default:
		return Words(first)
	}
}

// options returns the two options of a sentence of which a reply took one, "" if it took neither.
func options(sentence string, took Bag) (first, second string, tookFirst bool) {
	taken := false
	sentence = strings.ReplaceAll(sentence, "还是", " 还是 ")
	if AnyOf(sentence, strings.Contains, " or ", " oder ", " ou ", " 还是 ", " against ", " versus ", " vs ") {
		Each(sentence, func(w string) bool { taken = took.Has(Stem(w)); return !taken })
	}
	if !taken {
		return "", "", false
	}
	offered := eitherOr().FindAllStringSubmatch(sentence, -1)
	for _, m := range append(offered, versus().FindAllStringSubmatch(sentence, -1)...) {
		m[2] = m[2][:len(m[2])-len(purpose().FindString(m[2]))]
		a, b := Words(m[1]), Words(m[2])
		inA, inB := a.Without(b).Shared(took), b.Without(a).Shared(took)
		if (inA > 0) != (inB > 0) {
			return m[1], m[2], inA > 0
		}
	}
	return "", "", false
}

func clauses(s string) iter.Seq[string] {
	return strings.FieldsFuncSeq(s, func(r rune) bool { return strings.ContainsRune(",;:.!", r) })
}

// Outdone returns the clause of a comparison with what was measured of an option that some words name and a reply
// didn't take, while it took another of them; "" if there is none.
func Outdone(comparison, reply string, about Bag) string {
	took, won := Words(reply), Bag{}
	var heads []Bag
	var all []string
	for _, m := range measures().FindAllStringSubmatch(comparison, -1) {
		head := Words(m[1])
		if head.Shared(took) > 0 {
			won.Add(head)
		} else if len(head) > 0 {
			heads, all = append(heads, head), append(all, strings.TrimLeft(m[0], ",;.:!? "))
		}
	}
	for i, head := range heads {
		for w := range won {
			delete(head, w)
		}
		if named := head.Shared(about); len(won) > 0 && named > won.Shared(about) && 2*named >= len(head) {
			return all[i]
		}
	}
	return ""
}

// measures matches a clause with a figure, and what stands before that.
var measures = Pattern(`(?:^|[,;.:!?]\s|\b(?:and|but|against)\s)\s*((?:[^\s\d,;.!?]\S*\s+){1,5}?)` +
	`(?:(?:takes?|needs?|costs?|uses?|finds?|gets?|is|was|has)\s+)?\d[^,;!?]*`)

// SaysChanged reports whether a text states that something has changed.
func SaysChanged(s string) bool { return saysChanged().MatchString(s) }

var saysChanged = Pattern(`(?i)\b(?:instead(?: of)?|in place of|in favou?r of|no longer|(?:not?|no \S+) any ?more|anymore|` +
	`replac\w+|mov(?:e|es|ed) (?:from|to|off|away)|from \S+ to \S+|switch\w*|chang(?:e[sd]?|ing)|drop(?:s|ped)?|removed?|` +
	`abandon\w*|given up|gives? way|takes? the place|rather than|supersed\w+|overrul\w+|revert\w*|reversed|` +
	`undone|(?:goes|go|went|gone) back|(?:tak\w+|took)(?: that| this| it)? back|after all|` +
	`forget|scrap|back to|from now on|(?:we|i)(?:['’]d| would) rather|` +
	`statt|anstatt|stattdessen|nicht mehr|doch|wieder|` +
	`(?:stelle?n?|umgestellt|steigen)\b.*\bum|ab (?:jetzt|sofort))\b|` +
	`改[为成用]|换成|不再|还是|代わり|に変更|に戻|やめ|やっぱり`)

// LeavesIt reports whether a reply says that what was just said is to stay as it is, for now or for good.
func LeavesIt(reply string) bool { return leavesIt().MatchString(reply) }

var leavesIt = Pattern(`(?i)^\W*` +
	`(?:(?:i know|known|yes|yeah|ok|okay|right|ja|no|nope|nah|please|just|let['’]?s|we)\b\W*)*` +
	`(?:\b(?:no|nope|nah|nein)\W*$|never (?:that|this|it|those|them)\b|(?:better|rather) not\b|` +
	`don['’]?t (?:waste|bother)|` +
	`not (?:now|yet|before|today|until|needed|necessary|urgent|important|that|this|ours?|mine)\b|` +
	`(?:don['’]?t|do not) \w+ (?:it|that|this|them|those|these|there)\b|hold (?:on|off)\b|hands off\b|` +
	`(?:leave|ignore|skip|forget|park|keep|hold|wait|live)\b[^.]{0,12}\b(?:it|that|this|them|those|these)\b|` +
	`(?:leave|ignore|skip|forget|park|keep)\W*$|` +
	`later\b|(?:that|this|it|those|these|they)(?:['’]s)?\b[^.]{0,20}\b(?:stays?|wanted|intended|on purpose|by design|has to|` +
	`fine as|wait)\b|lass\b|später\b|nicht (?:jetzt|vor|heute|nötig)\b|(?:das |es )?bleibt\b)`)
