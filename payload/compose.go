package payload

// accumulates are the kinds of which a thread keeps all that stand; of the
// others its last session that speaks of them is heard.
var accumulates = map[Kind]bool{Decision: true, Eliminated: true, Flag: true, Deferred: true, Question: true}
