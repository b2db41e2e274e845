package claudecode

import (
	"strconv"
	"time"

	"recall/text"
)

// keysOf are the identities of a record: its uuid (the original's, where it says so), and its time and text, which
// survive a copy with new uuids.
func keysOf(r *record, at time.Time, said string) []string {
	var keys []string
	switch {
	case len(r.forkUUID) > 0:
		keys = append(keys, "u:"+string(r.forkUUID))
	case len(r.uuid) > 0:
		keys = append(keys, "u:"+string(r.uuid))
	}
	if !at.IsZero() && said != "" {
		keys = append(keys, timeKey(at, said))
	}
	return keys
}

func timeKey(at time.Time, said string) string {
	return "t:" + strconv.FormatInt(at.UnixMilli(), 36) + ":" + text.Hash(said, 8)
}
