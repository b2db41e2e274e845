package index

// Handed is the source of what other people handed over: it is put in as a session
// is, under an id that HandedID makes, but counts as none. Who handed it over is
// its title.
const Handed = "handoff"

// HandedID is the id of a handoff's entry.
func HandedID(handoff string) string { return Handed + " " + handoff }

// ofOurs is true of a session t that is one, ofOthers of what was handed over.
// Ids are in every index of the table.
const (
	ofOurs   = `t.sid NOT BETWEEN '` + Handed + ` ' AND '` + Handed + `!'`
	ofOthers = `t.sid BETWEEN '` + Handed + ` ' AND '` + Handed + `!'`
)
