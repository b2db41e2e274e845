package rank

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"recall/internal/text"
)

// How much of a turn is shown, in bytes: for the first results, and for those further down, which are read less
// often and answer less often per byte (docs/internals/search.md).
const (
	longestPassage = 700
	briefPassage   = 300
)

// kindredShare is the weight of a related word when a passage is chosen.
const kindredShare = 0.3

// Passage returns the part of a turn that answers the question: the adjacent whole sentences that contain most
// of it, with as much context as there is room for; and a brief version, which may be another part of the turn.
func (q *Question) Passage(turn string) (passage, brief string) {
	t, known := q.turns[turn]
	if !known {
		t = q.readTurn(turn)
		q.turns[turn] = t
	}
	return t.passage, t.brief
}

// Announces reports whether a passage begins with what its speaker is about to do, which decides and states nothing.
func Announces(passage string) bool { return announces().MatchString(passage) }

var announces = text.Pattern(`(?i)^\W*(?:(?:ok|okay|good|great|now|next|then|first|sure|yes)\W+)*` +
	`(?:let me|let['’]s|i['’]ll|i (?:will|am going to|want to)|i['’]m going to|ich (?:werde|schaue|prüfe))\b`)

// readTurn is what was read of a turn: what its sentences hold of a question, and the passages to show.
type readTurn struct {
	found
	passage, brief string
}

func (q *Question) readTurn(turn string) (t readTurn) {
	parts := Sentences(turn)
	if len(parts) == 0 {
		return readTurn{passage: turn, brief: turn}
	}
	says := make([]float64, len(parts))
	for i, p := range parts {
		f := q.read(turn[p[0]:p[1]])
		says[i] = q.weight(f.terms) + kindredShare*q.weight(f.kin&^f.terms)
		t.terms, t.kin = t.terms|f.terms, t.kin|f.kin
	}
	cut := func(room int) string {
		from, to := stretch(parts, says, room)
		return turn[from:to]
	}
	t.passage = cut(longestPassage)
	if t.brief = t.passage; len(t.passage) > briefPassage {
		t.brief = cut(briefPassage)
	}
	return t
}

// stretch returns the range of the fewest adjacent sentences that say the most.
func stretch(parts [][2]int, says []float64, room int) (from, to int) {
	first, last, most := 0, 0, -1.0
	for i := range parts {
		var sum float64
		for k := i; k == i || fit(parts, i, k, room); k++ {
			if sum += says[k]; sum > most || sum == most && first < i && i <= last {
				first, last, most = i, k, sum
			}
		}
	}
	return widen(parts, first, last, room)
}

// widen extends a range of sentences by as many on both sides as there is room for.
func widen(parts [][2]int, first, last, room int) (from, to int) {
	for fit(parts, first, last+1, room) || fit(parts, first-1, last, room) {
		if fit(parts, first, last+1, room) {
			last++
		}
		if fit(parts, first-1, last, room) {
			first--
		}
	}
	return parts[first][0], parts[last][1]
}

func fit(parts [][2]int, first, last, room int) bool {
	return first >= 0 && last < len(parts) && parts[last][1]-parts[first][0] <= room
}

// Sentences splits a turn into sentences no longer than a passage. A line break ends one, unless the next line
// starts in lower case.
func Sentences(turn string) (out [][2]int) {
	open := false
	for at := 0; at < len(turn); {
		from, line := at, turn[at:]
		if n := strings.IndexByte(line, '\n'); n >= 0 {
			line = line[:n]
		}
		at += len(line) + 1
		said := strings.TrimSpace(line)
		if strings.Trim(said, "-*_=─━|+:`~ ") == "" { // a rule or fence
			open = false
			continue
		}
		from += strings.Index(line, said)
		if first, _ := utf8.DecodeRuneInString(said); open && unicode.IsLower(first) {
			last := out[len(out)-1]
			from, said, out = last[0], turn[last[0]:from+len(said)], out[:len(out)-1]
		}
		for _, s := range text.Spans(said, false) {
			for s[1]-s[0] > longestPassage { // not a sentence but a line of data
				piece := text.Head(said[s[0]:s[1]], longestPassage/2)
				if n := strings.LastIndexByte(piece, ' '); n > 0 {
					piece = piece[:n+1]
				}
				out = append(out, [2]int{from + s[0], from + s[0] + len(piece)})
				s[0] += len(piece)
			}
			out = append(out, [2]int{from + s[0], from + s[1]})
		}
		open = len(out) > 0 && !strings.ContainsAny(said[len(said)-1:], ".!?:|`")
	}
	return out
}
