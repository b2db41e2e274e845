// Package distill turns one session into its payload. The ways to do it are
// in its sub-packages: offline by rules, model by an LLM. What they share
// stands here: the port, and the check that every item's evidence is true.
package distill

import (
	"context"
	"strings"

	"recall/ingest"
	"recall/payload"
)

// ShownRule is the Rule of a file that was put before the person as a result: that is on record.
const ShownRule = "file-shown"

// FolderRule is the Rule of what was done to a folder of the person's, and of what was said of that.
const FolderRule = "folder-work"

// Fleeting is said of a file that no folder of the person's, and no output, holds.
const Fleeting = "only in its virtual machine, and lost with it"

// IsFleeting reports whether a path is on the disk of Cowork's machine: what lies below mnt is the host's.
func IsFleeting(p string) bool {
	rest, ok := strings.CutPrefix(p, "/sessions/")
	_, rest, _ = strings.Cut(rest, "/")
	return ok && !strings.HasPrefix(rest, "mnt/")
}

// A Distiller makes the payload of one session.
//
// Distill gets a session whose text has been redacted and returns items that
// hold (see Hold) but have no ids yet; the same session gives the
// same payload. It doesn't change the session. Safe for concurrent use.
type Distiller interface {
	Name() string // "offline/1"
	Distill(ctx context.Context, s *ingest.Session) (*payload.Payload, error)
}
