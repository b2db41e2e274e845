package relate

import (
	_ "embed"
	"strings"
	"sync"

	"recall/text"
)

// opposes are what a claim says that others can't stand beside.
type opposes struct {
	thing string // what it speaks of, a stem
	sides map[text.Side]bool
	says  text.Bag // all but the thing, sides and what is absolute
}

func opposesOf(toks []token) opposes {
	o := opposes{sides: map[text.Side]bool{}, thing: thingOf(toks), says: text.Bag{}}
	for _, t := range toks {
		if side := sideOf(t); side.Axis != "" {
			o.sides[side] = true
			continue
		}
		if t.stem != "" && t.stem != o.thing && !absolutes[t.low] && !everyone[t.low] {
			put(o.says, t)
		}
	}
	return o
}

// thingOf is the last word of content before what is said of it, as far as small
// words tell where that begins.
func thingOf(toks []token) string {
	last := ""
	for i, t := range toks {
		if auxiliaries[t.low] && last != "" {
			return last
		}
		if i > 0 && isMark(t) || cuts[t.low] && last != "" {
			break
		}
		if t.stem == "" || absolutes[t.low] || everyone[t.low] {
			continue
		}
		last = t.stem
	}
	return last
}

// sideOf is the side of a contrast that a word is on, of none for most.
func sideOf(t token) text.Side {
	if side, ok := contrasts()[t.low]; ok {
		return side
	}
	if rest, ok := strings.CutPrefix(t.low, "un"); ok && len(rest) > 2 && strings.HasSuffix(rest, "ed") {
		return text.Side{Axis: stemOf(rest), End: -1}
	}
	return text.Side{}
}

func (o opposes) against(p opposes) bool {
	for side := range o.sides {
		if other := (text.Side{Axis: side.Axis, End: -side.End}); p.sides[other] && !o.sides[other] && !p.sides[side] {
			return true
		}
	}
	return false
}

// longestOpposed is the weight of a claim up to which a word on one side of a
// contrast can be taken for what it says: in a long one it is said of anything.
const longestOpposed = 9

// opposite: a later decision that can't hold beside an earlier one, though it doesn't
// say what it gives up. Of the same thing one says one side of a contrast (keep, public,
// required, before), the other the other (delete, internal, optional, after), and hardly more.
func opposite(later, earlier *claim) bool {
	a, b := later.opposes, earlier.opposes
	return decisions(later, earlier) && a.thing != "" && a.thing == b.thing && a.against(b) &&
		max(later.all.Weight(), earlier.all.Weight()) <= longestOpposed && later.denies == earlier.denies &&
		(len(a.says) <= 2 || len(b.says) <= 2 || meet(a.says, b.says)) && !later.apart(earlier)
}

var (
	auxiliaries = text.Set(`is are was were be may can could must will would shall should need needs has have
		get gets go goes stay stays remain remains can't cannot won't aren't isn't do does don't doesn't always
		never only`)
	absolutes = text.Set(`always only every everywhere must all any anywhere nothing never no nobody none without`)
	everyone  = text.Set(`everybody everyone anybody anyone nobody somebody people`)
)

// contrasts.txt holds words that can't both be true of one thing. No word stands there
// twice.
//
//go:embed contrasts.txt
var contrasted string

var contrasts = sync.OnceValue(func() map[string]text.Side { return text.Sides(contrasted) })
