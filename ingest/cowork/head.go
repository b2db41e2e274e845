package cowork

import (
	"context"

	"recall/ingest"
	"recall/ingest/claudecode"
)

// Head reads the first message of the oldest transcript, else of the audit log. A record alone is Empty.
func (Reader) Head(ctx context.Context, f ingest.Found) (ingest.Head, error) {
	files := inOrder(f.Files, "")
	if log, ok := fileOf(f.Files, ingest.AuditLog); ok {
		files = append(files, log)
	}
	h, err := claudecode.Reader{Log: newAuditLog("").read}.Head(ctx, ingest.Found{ID: f.ID, Source: ingest.Cowork,
		Files: files})
	if err == nil && h.Empty {
		var rep ingest.Report
		h.Started = openRecord(f.Files, &rep).created
	}
	h.ID = f.ID
	return h, err
}
