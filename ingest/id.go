package ingest

import (
	"fmt"
	"strings"

	"recall/internal/text"
)

// CheckID refuses ids that could escape a folder.
func CheckID(id SessionID) error {
	s := string(id)
	unfit := s == "" || len(s) > 200 || s == "." || s == ".." || strings.ContainsAny(s, "/\\:\x00") ||
		strings.HasPrefix(s, ".") || strings.TrimSpace(s) != s || strings.ContainsFunc(s,
		func(r rune) bool { return r < ' ' })
	if unfit {
		return fmt.Errorf("session id %q is not fit for a file name", s)
	}
	return nil
}

// FolderID makes an id fit to name a folder on every system: the id itself, or the letters and digits of an unusual one
// with a hash of it. Bytes must never be lost because of a file's name.
func FolderID(id string) string {
	if fitID().MatchString(id) && !strings.HasSuffix(id, ".") && !deviceID().MatchString(id) {
		return id
	}
	plain := strings.Trim(unfit().ReplaceAllString(id, "-"), "-")
	return strings.TrimPrefix(plain[:min(len(plain), 40)]+"-"+text.Hash(id, 4), "-")
}

var (
	fitID    = text.Pattern(`^[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}$`)
	deviceID = text.Pattern(`(?i)^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)`)
	unfit    = text.Pattern(`[^A-Za-z0-9]+`)
)
