package library

import (
	"bytes"
	"fmt"
	"strings"

	"recall/ingest"
	"recall/library/disk"
)

// SaveVectors keeps the vectors that a model made of a session's items, as vectors/<model>.f32 in its folder. What is
// in it is the caller's matter.
func (l *Library) SaveVectors(id ingest.SessionID, model string, data []byte) error {
	if err := l.putSummed(id, "vectors/"+vectorsName(model), bytes.NewReader(data), false); err != nil {
		return fmt.Errorf("session %s: vectors: %w", id, err)
	}
	return nil
}

// Vectors gives what SaveVectors kept of a model; nil if it kept nothing.
func (l *Library) Vectors(id ingest.SessionID, model string) ([]byte, error) {
	b, err := l.readFile(id, "vectors/"+vectorsName(model))
	if err != nil {
		err = fmt.Errorf("session %s: vectors: %w", id, err)
	}
	return b, err
}

// vectorsName is a model's name as a file's. Two may share it: what is in the file says whose it is.
func vectorsName(model string) string { return strings.Trim(disk.SafeName(model, 80), ".-") + ".f32" }
