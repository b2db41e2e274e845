package rank

import (
	"math"
	"strings"

	"recall/internal/text"
	"recall/payload"
)

// The features, each about 0 to 1. Turns have their own: a word in an item's one sentence means more than in a
// page.
const (
	Words   = iota // first pass: the question's words in the item and its aliases
	Source         // and in its source turns
	Lexicon        // the lexicon's words, in both
	Near           // cosine of the vectors, if there are any
	All            // share in the item, its aliases and its quotes
	Alias          // likeness to the most similar alias
	Like           // likeness to its text
	Kindred        // share that it contains only in the lexicon's words
	Rare           // weight of the rarest word that it contains
	Many           // share of the words that it contains, unweighted, if items have aliases
	Topic          // share in the first words of its text, its topic
	Support        // scores of its session's other results in the first pass
	// compared with the other items (see CompareItems): share of all words that it contains, or substitutes for them
	Whole
	InText     // and in its text
	LikeText   // likeness to its text
	LikeAlias  // and to the most alike alias
	InAliases  // how many of its aliases share a word with the question
	Concepts   // share of the question's concepts that it contains
	OtherWords // and that its text or aliases contain only in other words
	Company    // likeness to the others in what the question doesn't say, if items have aliases
	Number     // the question asks for a number, and it has one
	Asked      // its kind is the one asked for
	Tried      // the question is whether something was tried, and it was ruled out
	Why        // the question is why, and it says why
	OfFile
	OfStatus
	OfGoal
	OfNext
	OfOpen // deferred, question, hypothesis
	OfFlag
	OfEliminated
	Sure      // its maker's confidence above or below 0.75; 0 if none is stated
	Person    // on a person's word
	Human     // made or changed by a person directly
	Past      // it no longer holds
	Overtaken // it says how things stood at the end of a session, and there are later sessions
	APassage  // of passages, which are turns and leads: always 1
	PassageWords
	PassageLexicon
	PassageAll  // share in the turn or lead
	PassageRare // weight of the rarest word there; used only for the certainty of an answer
	PassageSupport
	PassagePerson
	PassageBeside  // share, small words included, in the shown text, weighted by rarity among all candidates
	PassageKindred // share in the turn or lead only in the lexicon's words
	PassageLength  // words of the shown text
	PassageTaken   // a lead was taken from the turn: its confidence
	PassageBefore  // share only in the previous turn, which it answers
	PassageClosing // it is the assistant's last word before the person speaks again
	Claimed        // share of claims among the items found
	Count
)

// names are the features' names in weights.txt.
var names = [Count]string{"words", "source", "lexicon", "near", "all", "alias", "like", "kindred", "rare", "many",
	"topic", "support",
	"whole", "in-text", "like-text", "like-alias", "in-aliases", "concepts", "other-words", "company", "number",
	"asked", "tried", "why", "file", "status", "goal", "next", "open", "flag", "eliminated", "sure", "person", "human",
	"past", "overtaken",
	"passage", "passage-words", "passage-lexicon", "passage-all", "passage-rare", "passage-support",
	"passage-person", "passage-beside", "passage-kindred", "passage-length", "passage-taken",
	"passage-before", "passage-closing", "claimed"}

// Features are a candidate's features in the second look.
type Features [Count]float64

// Kindred is the share of the question that a candidate contains only in the lexicon's words.
func (f *Features) Kindred() float64 { return f[Kindred] + f[PassageKindred] }

// Candidate is an item or a turn that the first pass found.
type Candidate struct {
	Item   *payload.Item // nil for a turn
	Text   string        // of a turn
	Shown  string        // of a turn: its passage
	User   bool          // the turn is a person's
	Taken  float64       // of a turn: the confidence of the lead taken from it, 0 if none was
	Spoken               // of a turn, or of a lead's turn if that was found too

	Overtaken bool    // an item's project has later sessions
	Aliased   bool    // most of the found items have aliases
	Claimed   float64 // share of claims among them

	// Of the first pass, relative to the score of a document with all of the question's words.
	Words, Source, Lexicon, Support float64
	Near                            float64 // cosine, 0 if unknown
}

// Spoken is where in its session a turn was said.
type Spoken struct {
	Before  string // the end of the turn before
	Closing bool   // it is the assistant's last word before the person speaks again
}

// Look computes a candidate's features.
func (q *Question) Look(c Candidate) Features {
	switch {
	case c.Item == nil:
		f := q.passage(c, text.Head(c.Text, longestTurn), c.Shown)
		f[PassagePerson], f[PassageTaken] = indicator(c.User), c.Taken
		return f
	case c.Item.Kind == payload.Lead:
		f := q.passage(c, c.Item.Text, c.Item.Text)
		f[PassagePerson] = indicator(c.Item.By == payload.ByUser)
		return f
	}
	return q.item(c)
}

// longestTurn is how much of a turn is read, in bytes.
const longestTurn = 3000

// passage computes the features of a turn or lead from what was said and what would be shown.
func (q *Question) passage(c Candidate, said, shown string) (f Features) {
	t := q.read(said)
	f[APassage], f[Claimed] = 1, c.Claimed
	f[PassageWords], f[PassageLexicon], f[PassageSupport] = c.Words, c.Lexicon, c.Support
	f[PassageAll], f[PassageRare] = q.share(t.terms), q.rarest(t.terms)
	f[PassageKindred] = q.share(t.kin &^ t.terms)
	f[PassageBefore] = q.share(q.read(c.Before).terms &^ t.terms)
	f[PassageClosing] = indicator(c.Closing)
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
	if c.Aliased { // not decided by its own aliases: a few items with some would rank above all others
		f[Many] = q.many(all)
	}
	q.attributes(it, &f)
	f[Overtaken] = indicator(c.Overtaken && AsOfSession(it.Kind) && !q.asked[it.Kind])
	return f
}

// AsOfSession reports whether items of a kind say how things stood in their session, which the next session may
// have changed without saying so.
func AsOfSession(k payload.Kind) bool {
	return k == payload.Next || k == payload.Status || k == payload.Goal
}

// attributes computes the features that don't depend on the item's words.
func (q *Question) attributes(it *payload.Item, f *Features) {
	tried := q.tried && it.Kind == payload.Eliminated
	asked := q.asked[it.Kind] || tried
	f[Asked], f[Tried] = indicator(asked), indicator(tried)
	f[Why] = indicator(q.why && it.Why != "")
	if of, ok := ofKind[it.Kind]; ok && !asked {
		f[of] = 1
	}
	if it.Confidence > 0 {
		f[Sure] = it.Confidence - 0.75
	}
	f[Person] = indicator(it.By == payload.ByUser || it.By == payload.ByBoth)
	f[Human] = indicator(it.Maker == payload.ByHuman)
	f[Past] = indicator(!it.Current())
}

// ofKind is an item's feature if its kind isn't the one asked for; a decision has none.
var ofKind = map[payload.Kind]int{
	payload.File: OfFile, payload.Status: OfStatus, payload.Goal: OfGoal, payload.Next: OfNext,
	payload.Deferred: OfOpen, payload.Question: OfOpen, payload.Hypothesis: OfOpen,
	payload.Flag: OfFlag, payload.Eliminated: OfEliminated,
}

func indicator(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
