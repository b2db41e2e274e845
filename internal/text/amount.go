package text

import (
	"strings"
	"unicode"
)

// Amount splits "500ms" into "500" and "ms"; the unit is "" for anything else.
func Amount(w string) (number, unit string) {
	i := strings.IndexFunc(w, func(r rune) bool { return !unicode.IsDigit(r) && r != '.' })
	if i <= 0 {
		return "", ""
	}
	return w[:i], units[w[i:]]
}

// Unit returns the short form of a unit of time, size, length, money or share, "" for any other word in small letters.
func Unit(w string) string { return units[w] }

// Amounts returns the number that a text names last for each unit in it: "kept 90 days" names 90 for "d".
func Amounts(s string) map[string]string {
	all := map[string]string{}
	number := ""
	for w := range strings.FieldsFuncSeq(strings.ToLower(s), func(r rune) bool {
		return r != '.' && r != '%' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		w = strings.Trim(w, ".")
		if n, unit := Amount(w); unit != "" {
			all[unit] = n
		} else if unit := units[w]; unit != "" && number != "" {
			all[unit] = number
		}
		if number = ""; w != "" && strings.Trim(w, "0123456789.") == "" {
			number = w
		}
	}
	return all
}

var units = func() map[string]string {
	m := map[string]string{}
	for _, unit := range strings.Fields(`ms=ms millisecond=ms milliseconds=ms s=s sec=s secs=s second=s seconds=s
		min=min mins=min minute=min minutes=min h=h hour=h hours=h day=d days=d d=d week=w weeks=w month=mo months=mo year=y
		years=y kb=kb kib=kib mb=mb mib=mib gb=gb gib=gib mi=mib gi=gib %=% percent=% px=px eur=eur euro=eur euros=eur
		usd=usd hz=hz`) {
		k, v, _ := strings.Cut(unit, "=")
		m[k] = v
	}
	return m
}()
