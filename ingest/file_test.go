package ingest_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"recall/ingest"
	"recall/ingest/ingesttest"
)

func TestProblemKeepsItsError(t *testing.T) {
	p := ingest.Problem{Path: "/a", Err: &fs.PathError{Op: "open", Path: "/a", Err: fs.ErrPermission}}
	ingesttest.Equal(t, "is its error", errors.Is(p, fs.ErrPermission), true)
	ingesttest.Equal(t, "why", p.Reason(), "permission denied")
	doc, err := json.Marshal(p)
	ingesttest.Equal(t, "JSON", string(doc), `{"path":"/a","reason":"permission denied"}`)
	p.Err = fmt.Errorf("archive a: %w", p.Err)
	ingesttest.Equal(t, "why, with more context", p.Reason(), "archive a: open /a: permission denied")
	if err != nil {
		t.Error(err)
	}
}
