package pipeline

import (
	"recall/ingest"
	"recall/library"
)

// Unread is a session in which some lines could not be read. The rest of it
// was taken in, and the library holds all of its bytes.
type Unread struct {
	Session ingest.SessionID `json:"session"`
	Path    string           `json:"path" show:"path"` // of the first one: its file at the source
	Lines   int              `json:"lines"`            // how many
	Line    int              `json:"line"`             // of the first one
	Reason  string           `json:"reason"`           // why it couldn't be read
}

// unread tells of a session's lines that no parser could use.
func unread(e library.Entry, report ingest.Report, shown func(path string) string) (Unread, bool) {
	if report.SkippedTotal == 0 {
		return Unread{}, false
	}
	u := Unread{Session: e.ID, Lines: report.SkippedTotal, Path: e.Folder}
	var first ingest.Skip
	if len(report.Skipped) > 0 {
		first = report.Skipped[0]
	}
	u.Line, u.Reason = first.Line, first.Reason
	for _, f := range e.Files {
		if f.Name == first.File && len(f.Sources) > 0 {
			u.Path = shown(f.Sources[0].Path)
		}
	}
	return u, true
}
