package rank

import (
	"strings"

	"recall/payload"
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
	Pairs          // its neighbouring words that stand near each other
	About          // share that stands in the names it is about
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
	ATurn     // from here on of turns: it is one
	TurnWords
	TurnLexicon
	TurnAll
	TurnRare
	TurnPairs
	TurnSupport
	TurnPerson
	TurnLong
	Count
)

var names = [Count]string{"words", "source", "lexicon", "near", "all", "alias", "like", "kindred", "rare", "many",
	"pairs", "about", "topic", "support",
	"whole", "in-text", "like-text", "like-alias", "in-aliases", "concepts", "other-words", "company", "number",
	"asked", "tried", "why", "file", "status", "goal", "next", "open", "flag", "eliminated", "sure", "person", "human",
	"past", "overtaken",
	"turn", "turn-words", "turn-lexicon", "turn-all", "turn-rare", "turn-pairs", "turn-support", "turn-person",
	"turn-long"}

// Name names a feature, as weights.txt does.
func Name(i int) string { return names[i] }

// Features are what the second look sees of a candidate.
type Features [Count]float64

// Candidate is an item or a turn that the first pass found.
type Candidate struct {
	Item *payload.Item // nil for a turn
	Text string        // of a turn
	User bool          // a turn is a person's

	Overtaken bool // an item's project has later sessions
	Aliased   bool // most of the items found with it, itself or not, have aliases

	// Of the first pass; as shares of what a document would score that holds
	// all of the question's words.
	Words, Source, Lexicon, Support float64
	Near                            float64 // cosine, 0 if unknown
}

// Look sees a candidate.
func (q *Question) Look(c Candidate) Features {
	if c.Item == nil {
		return q.turn(c)
	}
	return q.item(c)
}

// longestTurn is how much of a turn is read, in bytes.
const longestTurn = 3000

func (q *Question) turn(c Candidate) Features {
	var f Features
	s := c.Text
	if len(s) > longestTurn {
		s = strings.ToValidUTF8(s[:longestTurn], "")
		f[TurnLong] = 1
	}
	t := q.read(s)
	f[ATurn] = 1
	f[TurnWords], f[TurnLexicon], f[TurnSupport] = c.Words, c.Lexicon, c.Support
	f[TurnAll], f[TurnRare], f[TurnPairs] = q.share(t.terms), q.rarest(t.terms), q.pairs(t)
	f[TurnPerson] = truth(c.User)
	return f
}

func (q *Question) item(c Candidate) Features {
	it := c.Item
	head := q.read(it.Text)
	rest := q.read(it.Why + " . " + it.Scope + " . " + strings.Join(it.Alternatives, " . "))
	about := q.read(it.Path + " . " + strings.Join(it.About, " . "))
	var f Features
	f[Words], f[Source], f[Lexicon], f[Support], f[Near] = c.Words, c.Source, c.Lexicon, c.Support, c.Near
	f[About] = q.share(about.terms)
	all := head.terms | rest.terms | about.terms
	kin := head.kin | rest.kin | about.kin
	f[Like], f[Topic] = q.likeness(head), q.share(head.begin)
	f[Pairs] = max(q.pairs(head), q.pairs(rest))
	for _, a := range it.Aliases {
		t := q.read(a)
		all, kin = all|t.terms, kin|t.kin
		f[Alias] = max(f[Alias], q.likeness(t))
		f[Pairs] = max(f[Pairs], q.pairs(t))
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
