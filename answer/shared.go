package answer

import "recall/payload"

// Shared is a session that somebody else shares with the team.
type Shared struct {
	Session, Title, Author, Machine string

	Payload    *payload.Payload // what was decided in it
	Transcript string           // "" if that isn't shared
	Without    string           // why it isn't there if it is shared
}
