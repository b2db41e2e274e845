package rank

import (
	"math"
	"strings"

	"recall/payload"
	"recall/text"
)

// The features, each about 0 to 1. Those of turns are apart: what a word in an
// item's one sentence says, it doesn't say in a page.
const (
	Words   = iota // the first pass: the question's words in the item and its aliases
	Source         // and in its source turns
	Lexicon        // the lexicon's words, in both
	Near           // cosine of the vectors, where there are any
	All            // in the item, its aliases and its quotes
	Alias          // likeness to the most alike alias
	Like           // likeness to its text
	Kindred        // share that stands there in the lexicon's words only
	Rare           // weight of its rarest word that stands there
	Many           // share of its words that stand there, rare or not, where items have aliases
	Topic          // share that stands in the first words of its text: what it speaks of
	Support        // what its session's other results score in the first pass
	// from here on beside the other items (see Beside): share of all its words that stand there, or others for them
	Whole
	InText     // and in its text
	LikeText   // likeness to its text
	LikeAlias  // and to the most alike alias
	InAliases  // how many of its aliases share a word with it
	Concepts   // share of its concepts that stand there
	OtherWords // and in its text or aliases in other words only
	Company    // likeness to the others in what the question doesn't say, where items have aliases
	Number     // asked for a number, and it has one
	Asked      // its kind is the one asked for
	Tried      // asked whether something was tried, and it was ruled out
	Why        // asked why, and it says why
	OfFile
	OfStatus
	OfGoal
	OfNext
	OfOpen // deferred, question, hypothesis
	OfFlag
	OfEliminated
	Sure      // its maker's confidence, from 0.75 up or down; 0 where it states none
	Person    // on a person's word
	Human     // made or changed by a person's own hand
	Past      // it doesn't hold any more
	Overtaken // it says how things stood at the end of a session, and there are later ones
	APassage  // from here on of passages, what is said of a turn or of a lead: it is one
	PassageWords
	PassageLexicon
	PassageAll  // share in the turn, or the lead
	PassageRare // weight of the rarest word there; it tells how sure an answer is only
	PassageSupport
	PassagePerson
	PassageBeside  // share, small words too, that stands in what would be shown, beside all others
	PassageKindred // share that stands in the turn, or the lead, in the lexicon's words only
	PassageLength  // words of what would be shown
	PassageTaken   // a lead was taken from the turn: how sure that one is
	PassageBefore  // share that stands in the turn before alone: in what it answers
	PassageClosing // it is the assistant's last word before the person speaks again
	Claimed        // share of claims among the items found
	Count
)

// names are those of weights.txt.
var names = [Count]string{"words", "source", "lexicon", "near", "all", "alias", "like", "kindred", "rare", "many",
	"topic", "support",
	"whole", "in-text", "like-text", "like-alias", "in-aliases", "concepts", "other-words", "company", "number",
	"asked", "tried", "why", "file", "status", "goal", "next", "open", "flag", "eliminated", "sure", "person", "human",
	"past", "overtaken",
	"passage", "passage-words", "passage-lexicon", "passage-all", "passage-rare", "passage-support",
	"passage-person", "passage-beside", "passage-kindred", "passage-length", "passage-taken",
	"passage-before", "passage-closing", "claimed"}

// Features are what the second look sees of a candidate.
type Features [Count]float64

// Kindred is the share of the question that stands in a candidate in the lexicon's words
// only.
func (f *Features) Kindred() float64 { return f[Kindred] + f[PassageKindred] }

// Candidate is an item or a turn that the first pass found.
type Candidate struct {
	Item   *payload.Item // nil for a turn
	Text   string        // of a turn
	Shown  string        // of a turn: its passage
	User   bool          // a turn is a person's
	Taken  float64       // of a turn: how sure the lead is that was taken from it, 0 if none was
	Spoken               // of a turn, or of the one that a lead was taken from where it was found too

	Overtaken bool    // an item's project has later sessions
	Aliased   bool    // most of the items found with it, itself or not, have aliases
	Claimed   float64 // share of claims among them

	// Of the first pass; as shares of what a document would score that holds
	// all of the question's words.
	Words, Source, Lexicon, Support float64
	Near                            float64 // cosine, 0 if unknown
}

// Spoken is where in its session a turn was said.
type Spoken struct {
	Before  string // the end of the turn before
	Closing bool   // it is the assistant's last word before the person speaks again
}

// Look sees a candidate.
func (q *Question) Look(c Candidate) Features {
	switch {
	case c.Item == nil:
		f := q.passage(c, text.Head(c.Text, longestTurn), c.Shown)
		f[PassagePerson], f[PassageTaken] = truth(c.User), c.Taken
		return f
	case c.Item.Kind == payload.Lead:
		f := q.passage(c, c.Item.Text, c.Item.Text)
		f[PassagePerson] = truth(c.Item.By == payload.ByUser)
		return f
	}
	return q.item(c)
}

// longestTurn is how much of a turn is read, in bytes.
const longestTurn = 3000

// passage sees what somebody said, and what of it would be shown.
func (q *Question) passage(c Candidate, said, shown string) (f Features) {
	t := q.read(said)
	f[APassage], f[Claimed] = 1, c.Claimed
	f[PassageWords], f[PassageLexicon], f[PassageSupport] = c.Words, c.Lexicon, c.Support
	f[PassageAll], f[PassageRare] = q.share(t.terms), q.rarest(t.terms)
	f[PassageKindred] = q.share(t.kin &^ t.terms)
	f[PassageBefore] = q.share(q.read(c.Before).terms &^ t.terms)
	f[PassageClosing] = truth(c.Closing)
	f[PassageLength] = math.Log1p(float64(len(strings.Fields(shown)))) / 5
	return f
}

func (q *Question) item(c Candidate) Features {
	it := c.Item
	head := q.read(it.Text)
	rest := q.read(it.Why + " . " + it.Scope + " . " + strings.Join(it.Alternatives, " . "))
	about := q.read(it.Path + " . " + strings.Join(it.About, " . "))
	var f Features
	f[Words], f[Source], f[Lexicon], f[Support], f[Near] = c.Words, c.Source, c.Lexicon, c.Support, c.Near
	all := head.terms | rest.terms | about.terms
	kin := head.kin | rest.kin | about.kin
	f[Like], f[Topic] = q.likeness(head), q.share(head.begin)
	for _, a := range it.Aliases {
		t := q.read(a)
		all, kin = all|t.terms, kin|t.kin
		f[Alias] = max(f[Alias], q.likeness(t))
	}
	for _, e := range it.Evidence {
		t := q.read(e.Quote)
		all, kin = all|t.terms, kin|t.kin
	}
	f[All], f[Rare], f[Kindred] = q.share(all), q.rarest(all), q.share(kin&^all)
	if c.Aliased { // not by its own: few among many without would stand before all of them
		f[Many] = q.many(all)
	}
	q.standing(it, &f)
	f[Overtaken] = truth(c.Overtaken && AsOfSession(it.Kind) && !q.asked[it.Kind])
	return f
}

// AsOfSession reports whether items of a kind say how things stood in their
// session, which the next one may have changed without a word.
func AsOfSession(k payload.Kind) bool {
	return k == payload.Next || k == payload.Status || k == payload.Goal
}

// standing sees what an item is, whatever its words.
func (q *Question) standing(it *payload.Item, f *Features) {
	tried := q.tried && it.Kind == payload.Eliminated
	asked := q.asked[it.Kind] || tried
	f[Asked], f[Tried] = truth(asked), truth(tried)
	f[Why] = truth(q.why && it.Why != "")
	if of, ok := ofKind[it.Kind]; ok && !asked {
		f[of] = 1
	}
	if it.Confidence > 0 {
		f[Sure] = it.Confidence - 0.75
	}
	f[Person] = truth(it.By == payload.ByUser || it.By == payload.ByBoth)
	f[Human] = truth(it.Maker == payload.ByHuman)
	f[Past] = truth(!it.Current())
}

// ofKind is an item's feature where its kind isn't the one asked for; a
// decision's has none.
var ofKind = map[payload.Kind]int{
	payload.File: OfFile, payload.Status: OfStatus, payload.Goal: OfGoal, payload.Next: OfNext,
	payload.Deferred: OfOpen, payload.Question: OfOpen, payload.Hypothesis: OfOpen,
	payload.Flag: OfFlag, payload.Eliminated: OfEliminated,
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
