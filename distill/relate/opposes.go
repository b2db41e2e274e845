package relate

import (
	"recall/text"
	"strings"
)

// Opposite finds a later decision that can't hold beside an earlier one about
// the same thing, though it doesn't say what it gives up: one says keep, public,
// required, before, the other delete, internal, optional, after.
const Opposite = "opposite"

// opposes are what a claim says that others can't stand beside.
type opposes struct {
	thing string          // what it speaks of, a stem
	sides map[string]bool // of contrasts: "+keep", "-keep"
	says  bag             // all but the thing, sides and what is absolute
}

func opposesOf(toks []token) opposes {
	o := opposes{sides: map[string]bool{}, thing: thingOf(toks)}
	for _, t := range toks {
		if side := contrastOf(t); side != "" {
			o.sides[side] = true
			continue
		}
		if t.stem != "" && t.stem != o.thing && !absolutes[t.low] && !everyone[t.low] {
			o.says.add(t)
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

// contrastOf is the side of a contrast that a word is on, "" for most.
func contrastOf(t token) string {
	if side := contrasts[t.low]; side != "" {
		return side
	}
	if rest, ok := strings.CutPrefix(t.low, "un"); ok && len(rest) > 2 && strings.HasSuffix(rest, "ed") {
		return "-" + stemOf(rest)
	}
	return ""
}

func (o opposes) against(p opposes) bool {
	for side := range o.sides {
		if p.sides[other(side)] && !o.sides[other(side)] && !p.sides[side] {
			return true
		}
	}
	return false
}

func other(side string) string {
	return map[byte]string{'+': "-", '-': "+"}[side[0]] + side[1:]
}

func sameThing(later, earlier *claim) bool {
	return decisions(later, earlier) && later.opposes.thing != "" && later.opposes.thing == earlier.opposes.thing &&
		!later.apart(earlier)
}

// longestOpposed is the weight of a claim up to which a word on one side of a
// contrast can be taken for what it says: in a long one it is said of anything.
const longestOpposed = 9

// opposite: of the same thing one says one side of a contrast, the other the
// other, and hardly more.
func opposite(later, earlier *claim) bool {
	a, b := later.opposes, earlier.opposes
	return sameThing(later, earlier) && max(later.weight, earlier.weight) <= longestOpposed && a.against(b) &&
		later.denies == earlier.denies && (len(a.says) <= 2 || len(b.says) <= 2 || b.says.meets(a.says))
}

var (
	auxiliaries = text.Set(`is are was were be may can could must will would shall should need needs has have
		get gets go goes stay stays remain remains can't cannot won't aren't isn't do does don't doesn't always
		never only`)
	absolutes = text.Set(`always only every everywhere must all any anywhere nothing never no nobody none without`)
	everyone  = text.Set(`everybody everyone anybody anyone nobody somebody people`)

	contrasts = sides(contrasted)

	// contrasted are pairs of lists whose words can't both be true of one thing. No
	// word stands in two lists (TestContrasted).
	contrasted = []string{
		"keep keeps kept retain retained preserve preserved stored stay stays",
		"delete deleted drop dropped remove removed discard discarded destroy destroyed overwrite overwritten overwrites vanish vanishes strip stripped released",
		"public published open shared", "private internal confidential secret restricted subscribers",
		"visible show shown shows named name displayed see sees", "hidden hide hides anonymous invisible masked",
		"required require requires mandatory compulsory needs", "optional voluntary optionally",
		"accept accepted accepts allow allowed allows permitted offered",
		"reject rejected rejects refuse refused forbidden banned denied held blocked",
		"automatic automatically automated", "manual manually hand",
		"before", "after",
		"immediately immediate instantly once", "nightly batch later delayed merge",
		"sync synchronous synchronously", "async asynchronous asynchronously background",
		"error errors fail fails failure strict", "ignore ignored ignores warn warning warnings lenient",
		"include included includes including", "exclude excluded excludes excluding net",
		"encrypted", "plain plaintext unencrypted",
		"online", "offline",
		"ascending oldest", "descending newest",
		"eager eagerly", "lazy lazily",
		"free", "paid billed charged",
		"local locally", "remote remotely cloud",
		"loud ring rings", "silent silently muted",
		"enable enables", "disable disables",
		"static statically", "dynamic dynamically",
		"single", "multiple several many",
		"mutable", "immutable", "stateful", "stateless",
		"blocking", "nonblocking",
		"client clients", "server servers",
		"fixed", "variable random",
		"permanent permanently forever", "temporary temporarily",
		"optimistic", "pessimistic",
		"central centralised centralized", "distributed decentralised decentralized",
		"increase increases raise raised", "decrease decreases lower lowered reduce reduced",
		"light", "dark", "horizontal", "vertical", "relative", "absolute", "tabs", "spaces", "push", "pull poll polling",
		"always", "never",
	}
)

// sides reads pairs of lists: the words of one are "+" and the first of them,
// those of the other "-" and the same.
func sides(lists []string) map[string]string {
	m := map[string]string{}
	for i := 0; i+1 < len(lists); i += 2 {
		name := strings.Fields(lists[i])[0]
		for _, w := range strings.Fields(lists[i]) {
			m[w] = "+" + name
		}
		for _, w := range strings.Fields(lists[i+1]) {
			m[w] = "-" + name
		}
	}
	return m
}
