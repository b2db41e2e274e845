package pipeline

import "recall/ingest"

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
func unread(m *Member) (Unread, bool) {
	report := m.Session.Report
	if report.SkippedTotal == 0 {
		return Unread{}, false
	}
	u := Unread{Session: m.Entry.ID, Lines: report.SkippedTotal, Path: m.Entry.Folder}
	var first ingest.Skip
	if len(report.Skipped) > 0 {
		first = report.Skipped[0]
	}
	u.Line, u.Reason = first.Line, first.Reason
	for _, f := range m.Entry.Files {
		if f.Name == first.File && len(f.Sources) > 0 {
			u.Path = ingest.MapPath(f.Sources[0].Path, m.clean.Name) // it is shown
		}
	}
	return u, true
}
