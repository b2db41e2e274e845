package relate

import (
	"strconv"
	"strings"
	"unicode"

	"recall/internal/text"
)

// A token is a word, a value or a punctuation mark.
type token struct {
	low   string // as written, in lower case; "," or "." for a mark
	stem  string // what it is compared by; "" for marks and words without meaning of their own
	name  bool   // a proper name or an identifier
	value bool   // a number with its unit
	at    int    // where it begins in the sentence, in characters
}

// isMark reports whether a token is a punctuation mark.
func isMark(t token) bool { return t.stem == "" && strings.Contains(",;:.()—", t.low) }

// tokens splits a sentence. Compounds ("dead-letter", "LISTEN/NOTIFY") are split, paths and identifiers aren't.
func tokens(text string) []token {
	var out []token
	runes := []rune(strings.ReplaceAll(text, "’", "'"))
	begin := true // of a sentence
	for i := 0; i < len(runes); {
		r := runes[i]
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			j := wordEnd(runes, i)
			sign := i > 0 && strings.ContainsRune("-$@~./", runes[i-1]) // --force, $HOME, ~/.toolrc
			for _, w := range parts(string(runes[i:j])) {
				t := tokenOf(w, begin)
				t.name, t.at = t.name || sign && t.stem != "" && !t.value, i
				out = append(out, t)
				begin = false
			}
			i = j
		case r == '%' || r == '€' || r == '$':
			out = append(out, tokenOf(string(r), false))
			i++
		default:
			inside := r == '.' && i+1 < len(runes) && !unicode.IsSpace(runes[i+1]) // ".toolrc"
			if m := markOf(r); m != "" && !inside && (len(out) == 0 || out[len(out)-1].low != m) {
				out = append(out, token{low: m})
			}
			begin = begin || r == '.' && !inside || r == '"' || r == '“'
			i++
		}
	}
	return values(out)
}

func wordEnd(r []rune, i int) int {
	for i < len(r) {
		inside := strings.ContainsRune("._-/'+#,", r[i]) && i+1 < len(r) &&
			(unicode.IsLetter(r[i+1]) || unicode.IsDigit(r[i+1]))
		if r[i] == ',' { // a thousands separator
			inside = inside && unicode.IsDigit(r[i-1]) && unicode.IsDigit(r[i+1])
		}
		if !inside && !unicode.IsLetter(r[i]) && !unicode.IsDigit(r[i]) {
			break
		}
		i++
	}
	return i
}

// parts splits a compound, unless it is a path, a version or an identifier.
func parts(w string) []string {
	if strings.ContainsAny(w, "._") || strings.Count(w, "/") > 1 || isNumber(w) { // 3e-4
		return []string{w}
	}
	if !strings.ContainsAny(w, "-/") {
		return []string{w}
	}
	return strings.FieldsFunc(w, func(r rune) bool { return r == '-' || r == '/' })
}

func markOf(r rune) string {
	switch r {
	case ',', ';', ':', '(', ')':
		return string(r)
	case '.', '!', '?', '\n':
		return "."
	case '—', '–':
		return "—"
	}
	return ""
}

func tokenOf(w string, begin bool) token {
	w = strings.TrimSuffix(strings.TrimSuffix(w, "'s"), "'S")
	low := strings.ToLower(w)
	t := token{low: low}
	switch {
	case isNumber(low):
		t.stem, t.value = "="+strings.ReplaceAll(low, ",", ""), true
	case says(low):
		t.stem = stemOf(low)
		t.name = isName(w, begin)
	}
	return t
}

// isName distinguishes proper names and identifiers from words: by digits, underscores,
// dots, and capitals other than at the beginning of a sentence.
func isName(w string, begin bool) bool {
	for i, r := range w {
		technical := unicode.IsDigit(r) || strings.ContainsRune("._", r) || unicode.IsUpper(r) && (i > 0 || !begin)
		if technical {
			return true
		}
	}
	return false
}

func isNumber(w string) bool {
	if w == "" || w[0] < '0' || w[0] > '9' {
		return false
	}
	_, err := strconv.ParseFloat(strings.ReplaceAll(w, ",", ""), 64)
	return err == nil
}

// values joins a number with its unit: "2 seconds" and "2s" are one value. One at the end of a clause has the unit of
// the one before it: "90 days, not 30".
func values(in []token) []token {
	var out []token
	last := "" // unit
	for i := 0; i < len(in); i++ {
		t := in[i]
		if number, unit := text.Amount(t.low); unit != "" {
			t.stem, t.value, t.name = "="+number+unit, true, false
			last = unit
		} else if t.value && i+1 < len(in) && text.Unit(in[i+1].low) != "" {
			last = text.Unit(in[i+1].low)
			t.stem += last
			i++
		} else if t.value && (i+1 == len(in) || isMark(in[i+1])) {
			t.stem += last
		}
		out = append(out, t)
	}
	return out
}

var (
	// empty lists words that by themselves say nothing about what is decided.
	empty = text.Set(`a an the this that these those it its is are was were be been being am do does did done
		has have had having will would can could should may might must shall of in at to from by for with
		without into onto under as and or but if then than so not no nor never always only we you i they he she
		our your their them us me my there here when where which who what how why all any each every some more
		most other just also very too out up down about after before once again now still yet ever please ok
		okay yes let lets it's i'd we'd i'll we'll don't doesn't didn't isn't aren't won't can't cannot use uses
		used using make makes made go goes going gone keep keeps kept put puts get gets got take takes took set
		sets setting want wants need needs like via per over between within instead rather longer any anymore
		back switch switches switched move moves moved drop drops dropped remove removes removed replace
		replaces replaced by stay stays remain remains decided decision agreed new old first last today
		currently really actually simply work works run runs come comes give gives given become becomes say says
		said call called way thing things same own on one ones`)
)

// says reports whether a word counts when comparing two sentences.
func says(low string) bool { return !empty[low] && len([]rune(low)) > 1 || low == "%" }

// stemOf returns what a word is compared by; paths and identifiers stay whole.
func stemOf(w string) string {
	if strings.ContainsAny(w, "._/0123456789") {
		return w
	}
	return text.Stem(w)
}

// In a bag a name or an identifier weighs twice as much as another word.
const wordWeight, nameWeight = 1, 2

func bagOf(toks []token) text.Bag {
	b := text.Bag{}
	for _, t := range toks {
		put(b, t)
	}
	return b
}

// put adds what a token is compared by. What is a name once is one.
func put(b text.Bag, t token) {
	switch {
	case t.name && t.stem != "":
		b.Put(t.stem, nameWeight)
	case t.stem != "":
		b.Put(t.stem, wordWeight)
	}
}

// namesIn reports whether all names in one bag are in the other.
func namesIn(b, c text.Bag) bool {
	for w, weight := range b {
		if weight == nameWeight && !c.Has(w) {
			return false
		}
	}
	return true
}
