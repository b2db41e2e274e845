package review

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"recall/hint"
	"recall/ingest"
	"recall/library"
	"recall/payload"
	"recall/pipeline"
	"recall/redact"
	"recall/sink"
)

// EvidenceName is the file beside a handoff's page that is imported.
func EvidenceName(page string) string { return strings.TrimSuffix(page, ".md") + ".evidence.md" }

// MostHandoff is how large a handoff's file may be, in bytes.
const MostHandoff = 4 << 20

// IsHandoff tells a handoff's file from a backup by how it begins.
func IsHandoff(path string) bool {
	return payload.IsHandover(ingest.Beginning(path, 64))
}

// Handoff is what another person handed over, kept here.
type Handoff struct {
	ID      string `json:"handoff"`
	From    string `json:"from"`
	Project string `json:"project"` // here, "" if none is known
	Items   int    `json:"items"`
	Waiting int    `json:"waiting"` // that nobody has reviewed
	New     bool   `json:"new"`
	For     string `json:"-"` // the project that they name
}

// Import keeps a handoff's file, secrets out, apart from what is this library's own.
// Nothing of it is handed on before it was reviewed. Project is the id of what the caller
// says that it is for, "" if they don't; dir is the folder that they are in.
func Import(l *library.Library, path, project, dir string) (*Handoff, error) {
	if beside := EvidenceName(path); IsHandoff(beside) {
		path = beside // the same with its evidence
	}
	if fi, err := os.Stat(path); err == nil && fi.Size() > MostHandoff {
		return nil, refused(fmt.Errorf("%s: larger than a handoff may be, %d MB", path, MostHandoff>>20))
	}
	raw, err := library.ReadRegular(path, MostHandoff)
	if err != nil {
		return nil, err
	}
	doc, err := Take(l, string(raw), "", project, dir)
	if err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return doc, err
}

func refused(err error) error {
	return hint.With(err, "nothing of it was taken over; ask for the file that recall handoff wrote")
}

// Take is Import of a handoff's text, from a person who is known to have sent it ("" if nobody is); dir may be "".
func Take(l *library.Library, text, from, project, dir string) (*Handoff, error) {
	rules := redact.New()
	text = rules.Session().Text(text) // somebody else's secrets aren't kept here either
	h, err := payload.DecodeHandover(text)
	if err != nil {
		return nil, refused(err)
	}
	h.From = cmp.Or(from, h.From)
	all, err := l.Received() // as they were: to find what it is for may enter a project
	if err != nil && !errors.Is(err, library.ErrDamaged) {
		return nil, err
	}
	if project == "" {
		if project, err = isFor(l, h, dir); err != nil {
			return nil, err
		}
	}
	doc := &Handoff{ID: payload.HandoverID(text), From: sink.Line(h.From, sink.Terminal), Items: len(h.Items),
		Waiting: len(h.Items), New: true, For: h.Project}
	if p, err := l.Project(project); project != "" && err == nil {
		doc.Project = p.Name
	}
	for _, old := range all {
		if old.ID == doc.ID && (old.Project == project || project == "") {
			doc.Items, doc.Waiting, doc.New = len(old.Items), len(old.Waiting()), false
			return doc, nil
		}
	}
	return doc, l.Receive(library.Received{Op: library.OpHandoff, Handoff: doc.ID,
		At: time.Now().UTC().Truncate(time.Second), Project: project, From: from, Text: text})
}

// isFor is the id of the project that a handoff is for: the one of its repository, else
// of its name, else that of the folder, unless that has another repository; "" if none
// is. A clone in which no session worked yet is entered as a project.
func isFor(l *library.Library, h *payload.Handover, dir string) (string, error) {
	if known, err := l.HandedTo(h); known != "" || err != nil || dir == "" {
		return known, err
	}
	if here, _ := pipeline.Here(l, dir); here != "" {
		if p, err := l.Project(here); err == nil && h.Fits(p.Remote) {
			return p.ID, nil
		}
		return "", nil
	}
	clone, ok := ingest.ProjectIn(dir)
	if !ok || !h.Fits(clone.Remote) || clone.Remote != h.Remote && clone.Name != h.Project {
		return "", nil
	}
	p, err := l.ProjectFor(clone)
	return p.ID, errors.Join(err, l.Settle()) // it may have taken another's name
}
