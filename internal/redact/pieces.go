package redact

import (
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"recall/internal/text"
)

// Code puts a string together from pieces: "a" + "b", 'a'"b", ["a", "b"].join(""), key = "a"; key += "b". What stands
// before the first one and between two tells that they are one value.

const (
	mostPieces = 200
	mostJoined = 4 << 10 // bytes from the first piece to the last
	mostGlue   = 240     // bytes between two
)

var (
	// pieceHead matches what is called or listed, up to the first piece: strings.Join([]string{"
	pieceHead = text.Pattern(`\A(?:new |&|!|-)?[\w:.!$@<>\[\](){}, \t-]{0,60}?\s{0,40}(["'\x60])`)
	// pieceGlue matches what stands between two pieces, up to the next one's quote: the end of what the first one was
	// given to; an operator, a method, or what adds to the same name; what the next one is given to.
	pieceGlue = text.Pattern(`\A(?:\.[a-z_]{2,12}\(\))?\)?(?:\s{0,40}(?:[+-]\s{1,40})?(?:\+\+?|\.\.?|&(?:[ \t]_)?|\|\||<>|` +
		`[\^~*\\%]|<<|\}\$\{|-f|\.(?:concat|append|plus|add|push_?[a-z]{0,5}|write|format|join)\([(\[]?|;?\s{1,4}[\w$.]{1,40} ?[+.]=)` +
		`\s{0,40}(?:[+-]\s{1,40})?|\s{0,40})(?:[\w:.]{0,30}\()?[@$bfru]?(["'\x60])`)
	pieceComma = text.Pattern(`\A[,:]\s{0,40}[\[({]{0,2}@?(["'\x60])`)
	noPiece    = text.Pattern(`\A(?:%[sv]|\{\d?\}|Fn::Join)*\z`) // nothing, or what pieces are put into
)

var holes = strings.NewReplacer("${'", "", "'}", "", `${"`, "", `"}`, "")

var (
	byteList = text.Pattern(`\A[\w\[\]., *&:]{0,24}[{\[(]\s{0,20}` +
		`((?:(?:0x[0-9a-fA-F]{1,2}|\d{1,3})\b[,\s]{0,20}){6,})[}\])]`)
	oneByte  = text.Pattern(`\w+`)
	wordList = text.Pattern(`\A%w[\[({]([^\])}\n]{4,200})[\])}]\.join`)
)

// listed reads a value that code makes of a list of bytes, or of words without quotes.
func listed(t string, at int) (from, to int, joined string) {
	window := t[at:min(len(t), at+mostJoined)]
	if !strings.ContainsAny(window[:min(len(window), 24)], "{[(") {
		return 0, 0, ""
	}
	if m := wordList().FindStringSubmatchIndex(window); m != nil {
		return at + m[2], at + m[3], strings.Join(strings.Fields(window[m[2]:m[3]]), "")
	}
	m := byteList().FindStringSubmatchIndex(window)
	if m == nil {
		return 0, 0, ""
	}
	var all []byte
	for _, b := range oneByte().FindAllString(window[m[2]:m[3]], -1) {
		n, err := strconv.ParseUint(b, 0, 8)
		if err != nil {
			return 0, 0, ""
		}
		all = append(all, byte(n))
	}
	switch low, high := slices.Min(all), slices.Max(all); {
	case low >= ' ' && high <= '~':
		joined = string(all)
	case high > '~' && len(all) >= 16: // a key's bytes
		joined = hex.EncodeToString(all)
	}
	return at + m[2], at + m[3], joined
}

// pieces joins the pieces of a value that begins at at; joined is "" if there aren't two. from and to are where the
// first piece begins and the last ends.
func pieces(t string, at int) (from, to int, joined string) {
	if quoteEnd(t, at) == at {
		if from, to, joined = listed(t, at); joined != "" {
			return from, to, joined
		}
	}
	window := func(at int) string { return t[at:min(len(t), at+mostGlue)] }
	m := pieceHead().FindStringSubmatchIndex(window(at))
	if m == nil {
		return 0, 0, ""
	}
	head, n := window(at)[:m[2]], 0
	listed := strings.ContainsAny(head, "([{")
	if head = strings.TrimSpace(head); head != "" && head != "@" && !listed {
		return 0, 0, ""
	}
	for begin, open := at+m[3], at+m[3]; n < mostPieces && open-begin < mostJoined; {
		end := closing(t, open, t[open-1:open])
		if end < 0 {
			break
		}
		piece := t[open:end]
		if held := strings.Count(piece, "${'") + strings.Count(piece, `${"`); held > 1 { // `${"a"}${"b"}`
			n, piece = n+held-1, holes.Replace(piece)
		}
		if !noPiece().MatchString(piece) {
			if n++; n == 1 {
				from = open
			}
			to, joined = end, joined+piece
		} else if piece != "" {
			listed = true
		}
		rest := window(end + 1)
		m := pieceGlue().FindStringSubmatchIndex(rest)
		if m != nil && rest[m[2]] == '`' && strings.TrimSpace(rest[:m[2]]) == "" { // Markdown
			break
		}
		if m == nil && (listed || n == 0) {
			m = pieceComma().FindStringSubmatchIndex(rest)
		}
		if m == nil {
			if bare := bareEnd(t, end+1, false); bare > end+3 && n > 0 { // "a"b
				n, to, joined = n+1, bare, joined+t[end+1:bare]
			}
			break
		}
		listed = listed || strings.Contains(rest[:m[2]], "(")
		open = end + 1 + m[3]
	}
	if n < 2 {
		return 0, 0, ""
	}
	return from, to, joined
}
