package index

// The two kinds of documents.
const (
	items = iota
	turns
)

// corpus is how many documents there are of each kind.
type corpus [2]int

func (c corpus) all() int { return c[items] + c[turns] }

// The full-text tables.
const (
	ofItems = iota
	ofSources
	ofTurns
	tableCount

	ofElsewhere = tableCount // not a table: another store's items
)

// table describes a full-text table. The limits on postings that a search may touch are separate for the
// question's and for the lexicon's words.
type table struct {
	kind        int
	part        int        // of the score that its words add to
	columns     [2]float64 // weights of its columns
	weight      float64    // of its scores
	related     float64    // weight of the lexicon's words in it
	rows        int        // limit for the question's words
	relatedRows int        // limit for the lexicon's words
}

// An item's source turns are in a separate table: in one with the item, their length would count as the item's
// and bury those with much evidence (hit@5 on perfect items 0.50 against 0.60 and 0.47 against 0.50). A turn's
// two predecessors are of similar length, and are in its own table.
//
// The lexicon's words count 0.3 of the question's: on perfect items, 0.2 to 0.5 do much the same (hit@5 0.60 to
// 0.64 on one project, from 0.53 without); over turns, which contain any word somewhere, more than 0.1 does
// harm.
var tables = [tableCount]table{
	ofItems: {kind: items, part: byWords, columns: [2]float64{1, 1}, weight: 1, related: 0.3, rows: 800,
		relatedRows: 6000},
	ofSources: {kind: items, part: bySource, columns: [2]float64{1, 0}, weight: 1. / 3, related: 0.3, rows: 600,
		relatedRows: 4000},
	ofTurns: {kind: turns, part: byWords, columns: [2]float64{3, 1}, weight: 1, related: 0.1, rows: 1000,
		relatedRows: 3000},
}

// ofKind is the table that counts the documents of each kind.
var ofKind = [2]int{items: ofItems, turns: ofTurns}

var documents = [2]string{items: "item", turns: "turn"}
