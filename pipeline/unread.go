package pipeline

import (
	"recall/ingest"
	"recall/library"
)

// Unread is a session with lines that couldn't be read. The rest of it was processed, and the library holds all of
// its bytes.
type Unread struct {
	Session ingest.SessionID `json:"session"`
	Path    string           `json:"path" show:"path"` // file of the first one, at the source
	Lines   int              `json:"lines"`            // how many
	Line    int              `json:"line"`             // of the first one
	Reason  string           `json:"reason"`           // why it couldn't be read
}

// unread describes the lines of a session that couldn't be parsed, and reports whether there are any.
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
