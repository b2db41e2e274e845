package review

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"recall/ingest"
	"recall/internal/escape"
	"recall/internal/hint"
	"recall/internal/redact"
	"recall/library"
	"recall/library/disk"
	"recall/library/received"
	"recall/payload"
	"recall/pipeline"
)

// PayloadName returns the name of the importable file that belongs to a handoff's page.
func PayloadName(page string) string { return strings.TrimSuffix(page, ".md") + ".json" }

// MostHandoff is the maximum size of a handoff's file, in bytes.
const MostHandoff = 4 << 20

// IsHandoff tells a handoff's file from a backup by its beginning.
func IsHandoff(path string) bool {
	return payload.IsHandover(ingest.ReadStart(path, 64))
}

// Handoff describes another person's handoff stored here.
type Handoff struct {
	ID      string `json:"handoff"`
	From    string `json:"from"`
	Project string `json:"project"` // here, "" if none is known
	Items   int    `json:"items"`
	Waiting int    `json:"waiting"` // not reviewed yet
	New     bool   `json:"new"`
	For     string `json:"-"` // the project named in it
}

// Import stores a handoff's file, redacted, apart from this library's own sessions. No session is given any of it
// before it is reviewed. project is the id of the project the caller names, "" for none; dir is their working
// directory.
func Import(l *library.Library, path, project, dir string) (*Handoff, error) {
	raw, err := disk.ReadRegular(path, MostHandoff)
	if err != nil {
		return nil, err
	}
	text := redact.Text(string(raw)) // don't store other people's secrets either
	h, err := payload.DecodeHandover(text)
	if err != nil {
		return nil, hint.With(fmt.Errorf("%s: %w", path, err),
			"nothing was imported; ask for the file that recall handoff wrote")
	}
	all, err := received.All(l) // before isFor, which might add a project
	if err != nil && !errors.Is(err, library.ErrDamaged) {
		return nil, err
	}
	if project == "" {
		if project, err = isFor(l, h, dir); err != nil {
			return nil, err
		}
	}
	doc := &Handoff{ID: payload.HandoverID(text), From: escape.Line(h.From, escape.Terminal), Items: len(h.Items),
		Waiting: len(h.Items), New: true, For: h.Project}
	if p, err := l.Project(project); project != "" && err == nil {
		doc.Project = p.Name
	}
	for _, old := range all {
		if old.ID == doc.ID && (old.Project == project || project == "") {
			doc.Waiting, doc.New = len(old.Waiting()), false
			return doc, nil
		}
	}
	return doc, received.Add(l, received.Line{Handoff: doc.ID, At: time.Now().UTC().Truncate(time.Second),
		Project: project, Text: text})
}

// isFor returns the id of the project that a handoff is for: by its repository, else by its name, else that of the
// folder, unless that has a different repository; "" if there is none. A clone where no session worked yet becomes a
// project.
func isFor(l *library.Library, h *payload.Handover, dir string) (string, error) {
	if known, err := received.HandedTo(l, h); known != "" || err != nil {
		return known, err
	}
	if here, _ := pipeline.ProjectAt(l, dir); here != "" {
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
	return p.ID, errors.Join(err, l.Settle()) // it might have taken another's name
}

// WithoutSecrets refuses a text that contains a secret, and says in which lines. Any text for another person passes
// through it as the last step.
func WithoutSecrets(text string) error {
	r := redact.New()
	clean := r.Text(text)
	if clean == text {
		// Check the unescaped text too: JSON escapes must not hide a secret.
		plain := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&", `\"`, `"`, `\\`, `\`).Replace(text)
		if clean = r.Text(plain); clean == plain {
			return nil
		}
		text = plain
	}
	was, now := strings.Split(text, "\n"), strings.Split(clean, "\n")
	var places []string
	heading := ""
	for i := range was {
		if strings.HasPrefix(was[i], "## ") {
			heading = fmt.Sprintf(" (%s)", strings.TrimPrefix(was[i], "## "))
		}
		if i >= len(now) || was[i] != now[i] {
			places = append(places, fmt.Sprintf("line %d%s", i+1, heading))
			if len(was) != len(now) {
				break // the secret spanned lines: later lines can't be compared
			}
		}
	}
	var kinds []string
	for kind, n := range r.Counts() {
		kinds = append(kinds, fmt.Sprintf("%d %s%s", n, kind, map[bool]string{true: "s"}[n != 1]))
	}
	return hint.With(fmt.Errorf("it contains a secret (%s): %s; nothing was written", strings.Join(kinds, ", "),
		strings.Join(places[:min(len(places), 5)], ", ")),
		"remove it from the payload with recall review or recall edit SESSION; the next sync redistills what newer "+
			"rules find")
}
