package relate

import (
	_ "embed"
	"sync"

	"recall/internal/text"
)

// opposes is what a claim says that others may be incompatible with.
type opposes struct {
	thing string // its subject, a stem
	sides map[text.Side]bool
}

func opposesOf(toks []token) opposes {
	o := opposes{sides: map[text.Side]bool{}, thing: thingOf(toks)}
	for _, t := range toks {
		if side, ok := contrasts()[t.low]; ok {
			o.sides[side] = true
		}
	}
	return o
}

// thingOf returns the last content word before the predicate, as far as function words show
// where that begins.
func thingOf(toks []token) string {
	last := ""
	for i, t := range toks {
		if auxiliaries[t.low] && last != "" {
			return last
		}
		if i > 0 && isMark(t) || clauseEnds[t.low] && last != "" {
			break
		}
		if t.stem == "" || absolutes[t.low] || everyone[t.low] {
			continue
		}
		last = t.stem
	}
	return last
}

func (o opposes) against(p opposes) bool {
	for side := range o.sides {
		if other := (text.Side{Axis: side.Axis, End: -side.End}); p.sides[other] && !o.sides[other] && !p.sides[side] {
			return true
		}
	}
	return false
}

// maxOpposed is the largest weight of a claim in which a word on one side of a contrast
// is taken for what the claim says; in a longer one it may be about anything.
const maxOpposed = 9

// opposite matches a later decision that can't hold together with the earlier one though it
// doesn't say what it gives up: both are about the same thing and say hardly more than
// opposite sides of a contrast (keep and delete, public and internal, required and
// optional, before and after).
func opposite(later, earlier *claim) bool {
	a, b := later.opposes, earlier.opposes
	return decisions(later, earlier) && a.thing != "" && a.thing == b.thing && a.against(b) &&
		max(later.all.weight(), earlier.all.weight()) <= maxOpposed && later.denies == earlier.denies
}

var (
	auxiliaries = text.Set(`is are was were be may can could must will would shall should need needs has have
		get gets go goes stay stays remain remains can't cannot won't aren't isn't do does don't doesn't always
		never only`)
	absolutes = text.Set(`always only every everywhere must all any anywhere nothing never no nobody none without`)
	everyone  = text.Set(`everybody everyone anybody anyone nobody somebody people`)
)

// contrasts.txt lists words that can't both be true of one thing. No word occurs twice.
//
//go:embed contrasts.txt
var contrastsText string

var contrasts = sync.OnceValue(func() map[string]text.Side { return text.Sides(contrastsText) })
