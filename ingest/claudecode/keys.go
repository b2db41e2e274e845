package claudecode

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"time"
)

// keysOf are the identities of a record: by its uuid (the original's, where
// the record says so), and by its time and text, which survive a copy that gave
// new uuids.
func keysOf(r *record, at time.Time, text string) []string {
	var keys []string
	switch {
	case len(r.forkUUID) > 0:
		keys = append(keys, "u:"+string(r.forkUUID))
	case len(r.uuid) > 0:
		keys = append(keys, "u:"+string(r.uuid))
	}
	if !at.IsZero() && text != "" {
		keys = append(keys, timeKey(at, text))
	}
	return keys
}

func timeKey(at time.Time, text string) string {
	sum := sha256.Sum256([]byte(text))
	return "t:" + strconv.FormatInt(at.UnixMilli(), 36) + ":" + hex.EncodeToString(sum[:8])
}
