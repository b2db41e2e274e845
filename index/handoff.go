package index

// HandoffSource is the source of handoffs from other people. They are stored like sessions, under an id from HandedID
// and titled with the sender's name, but aren't counted as sessions.
const HandoffSource = "handoff"

// HandedID is the id of a handoff's entry.
func HandedID(handoff string) string { return HandoffSource + " " + handoff }

// isOwn matches a session t of one's own, isHandoff a handoff. They use sid because every index of the table
// has it.
const (
	isOwn     = `t.sid NOT BETWEEN '` + HandoffSource + ` ' AND '` + HandoffSource + `!'`
	isHandoff = `t.sid BETWEEN '` + HandoffSource + ` ' AND '` + HandoffSource + `!'`
)
