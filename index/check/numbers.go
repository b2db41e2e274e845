package check

import "strings"

// value reads "set the timeout to 30 s".
func value(verb string, rest []word) (move, bool) {
	if !setting[verb] {
		return move{}, false
	}
	for i, w := range rest {
		if w.text != "to" && w.text != "at" || i == 0 || i+1 >= len(rest) {
			continue
		}
		n := numberOf(rest[i+1].text)
		if n == "" {
			return move{}, false
		}
		return move{stance: sets, head: rest[:i], value: n, unit: unitAt(rest, i+1)}, true
	}
	return move{}, false
}

// limits may stand before a number that something is to have.
var limits = set("every after for within at to of only")

// given reads an order that gives a number without a verb of setting: "autosave
// every 30 seconds", "let tokens expire after 2 hours". A report of what happens
// is none.
func given(s []word, i int) (move, bool) {
	for k := i; k+1 < len(s); k++ {
		if s[k].ends != ' ' {
			break
		}
		times := k+2 < len(s) && s[k+2].text == "times"
		if !limits[s[k].text] && !times || numberOf(s[k+1].text) == "" || k == i {
			continue
		}
		head := s[i:k]
		if !limits[s[k].text] {
			head = s[i : k+1]
		}
		if n := len(head); limits[head[n-1].text] { // "for at"
			head = head[:n-1]
		}
		unit := unitAt(s, k+1)
		for _, w := range s[k+2:] { // what more is said of it may be another thing
			if w.stem != "" && unitOf(w.text) == "" && w.name {
				return move{}, false
			}
			if w.ends != ' ' {
				break
			}
		}
		if len(content(head)) == 0 || unit == "" {
			return move{}, false
		}
		return move{stance: sets, head: head, value: numberOf(s[k+1].text), unit: unit, loose: true}, true
	}
	return move{}, false
}

// units by what they measure.
var units = map[string]string{"ms": "time", "millisecond": "time", "s": "time", "sec": "time", "second": "time", "min": "time", "minute": "time", "h": "time", "hour": "time",
	"day": "time", "week": "time", "month": "time", "year": "time", "kb": "size", "mb": "size", "gb": "size", "mib": "size", "gib": "size", "byte": "size", "%": "share", "percent": "share", "times": "count"}

func unitOf(w string) string {
	if u := units[w]; u != "" {
		return u
	}
	return units[strings.TrimSuffix(w, "s")]
}

// unitAt is the unit of the number that word i of a text begins with.
func unitAt(text []word, i int) string {
	if u := unitOf(strings.TrimLeft(text[i].text, "0123456789.,")); u != "" {
		return u
	}
	if i+1 < len(text) && text[i].ends == ' ' {
		return unitOf(text[i+1].text)
	}
	return ""
}

// numberOf is the number that a word begins with, "" if it is none.
func numberOf(s string) string {
	i := 0
	for i < len(s) && (s[i] >= '0' && s[i] <= '9' || s[i] == '.' && i > 0) {
		i++
	}
	return strings.TrimSuffix(s[:i], ".")
}
