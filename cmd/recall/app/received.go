package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"recall/answer"
	"recall/cmd/recall/terminal"
	"recall/index"
	"recall/library"
	"recall/payload"
	"recall/pipeline"
	"recall/redact"
)

// EvidenceName is the file beside a handoff's page that recall import reads.
func EvidenceName(page string) string {
	return strings.TrimSuffix(page, ".md") + ".evidence.md"
}

// MostHandoff is how large a handoff's file may be, in bytes.
const MostHandoff = 4 << 20

// IsHandoff tells a handoff's file from a backup by how it begins.
func IsHandoff(path string) bool {
	fi, err := os.Stat(path)
	if err != nil || !fi.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 64)
	n, _ := f.Read(head)
	return payload.IsHandover(string(head[:n]))
}

// HandoffDoc is the JSON form of the import of a handoff.
type HandoffDoc struct {
	Handoff string `json:"handoff"`
	From    string `json:"from"`
	Project string `json:"project"` // here, "" if none is known
	Items   int    `json:"items"`
	Waiting int    `json:"waiting"` // that nobody has reviewed
	New     bool   `json:"new"`
}

// ImportHandoff keeps another person's handoff, apart from what is this
// library's own. Nothing of it is handed on before it was reviewed.
func (a *App) ImportHandoff(ctx context.Context, path, project string, asJSON bool) error {
	l, err := a.Library(ctx)
	if err != nil {
		return err
	}
	if beside := EvidenceName(path); IsHandoff(beside) {
		path = beside // the same with its evidence
	}
	if fi, err := os.Stat(path); err == nil && fi.Size() > MostHandoff {
		return terminal.WithHint(fmt.Errorf("%s: %s; a handoff has %s at most", path, terminal.Size(fi.Size()),
			terminal.Size(MostHandoff)), "nothing of it was taken over; ask for the file that recall handoff wrote")
	}
	raw, err := library.ReadRegular(path, MostHandoff)
	if err != nil {
		return err
	}
	rules, err := redact.New()
	if err != nil {
		return err
	}
	text := rules.Session().Text(string(raw)) // somebody else's secrets aren't kept here either
	h, err := payload.DecodeHandover(text)
	if err != nil {
		return terminal.WithHint(fmt.Errorf("%s: %w", path, err),
			"nothing of it was taken over; ask for the file that recall handoff wrote")
	}
	id, name, err := a.projectOf(l, project, h.Project)
	if err != nil {
		return err
	}
	all, err := l.Received()
	if err != nil && !errors.Is(err, library.ErrDamaged) {
		return err
	}
	key := payload.HandoverID(text)
	for _, old := range all {
		if old.ID == key && (old.Project == id || id == "") {
			if asJSON {
				return a.PrintJSON(HandoffDoc{key, terminal.Line(h.From), name, len(old.Items), len(old.Waiting()),
					false})
			}
			fmt.Fprintf(a.Out, "this handoff of %s's is here already; %d of its %s wait for recall review\n",
				terminal.Line(h.From), len(old.Waiting()), answer.Count(len(old.Items), "item"))
			return nil
		}
	}
	if err := l.Receive(library.Received{Op: library.OpHandoff, Handoff: key,
		At:      time.Now().UTC().Truncate(time.Second),
		Project: id, Text: text}); err != nil {
		return err
	}
	if asJSON {
		return a.PrintJSON(HandoffDoc{key, terminal.Line(h.From), name, len(h.Items), len(h.Items), true})
	}
	what := "no project here goes by " + fmt.Sprintf("%q", terminal.Line(h.Project)) +
		"; recall import --project NAME says which one it is for"
	if id != "" {
		what = "for project " + terminal.Line(name)
	}
	fmt.Fprintf(a.Out, "kept a handoff from %s with %s, %s\n", terminal.Line(h.From),
		answer.Count(len(h.Items), "item"),
		what)
	fmt.Fprintln(a.Out, "nothing of it is handed to a session before you have looked: recall review")
	return nil
}

// projectOf finds the project here that a handoff is for: the one that was said,
// the one of that name, or that of the working directory.
func (a *App) projectOf(l *library.Library, said, theirs string) (id, name string, err error) {
	if said != "" {
		id, err = ProjectID(l, said)
		return id, said, err
	}
	if p, err := l.Project(theirs); theirs != "" && err == nil {
		return p.ID, p.Name, nil
	}
	if id = a.Here(l); id != "" {
		if p, err := l.Project(id); err == nil {
			return id, p.Name, nil
		}
	}
	return "", "", nil
}

// Received lists what waits of other people's handoffs.
func Received(l *library.Library, project string) ([]Unseen, error) {
	all, err := l.Received()
	if err != nil && !errors.Is(err, library.ErrDamaged) {
		return nil, err
	}
	var out []Unseen
	for _, h := range all {
		if project != "" && h.Project != project {
			continue
		}
		for _, it := range h.Waiting() {
			place := index.Place{Session: "handoff " + h.ID, SessionTitle: h.Title, Project: h.Handover.Project}
			out = append(out, Unseen{Place: place, Title: h.Title, Turn: it.FirstTurn(), From: h.From, Item: it,
				Handoff: h.ID,
				Nowhere: h.Project == ""})
		}
	}
	return out, nil
}

// ReceivedWord is what a person says about an item of somebody else's.
func ReceivedWord(op library.ReceivedOp, u Unseen, line string) library.Received {
	return library.Received{Op: op, Handoff: u.Handoff, Item: u.ID, Line: line,
		At:  time.Now().UTC().Truncate(time.Second),
		Who: Author()}
}

// IndexReceived has what was taken over answer questions from now on. Where there
// is no index yet, the next one that is made has it.
func (a *App) IndexReceived(ctx context.Context, l *library.Library) error {
	if _, err := os.Stat(IndexPath(l)); err != nil {
		return nil
	}
	return a.OnIndex(ctx, l, func(p *pipeline.Pipeline) error { return p.IndexReceived(ctx) })
}

// Unseen is an item that waits for a person's look, and where it stands.
type Unseen struct {
	index.Place
	Title        string `json:"title"`
	Turn         int    `json:"turn,omitempty"`
	Changed      bool   `json:"changed"`        // they have seen it, as it was before
	From         string `json:"from,omitempty"` // who handed it over
	payload.Item `json:"item"`

	Entry   library.Entry `json:"-"`
	Handoff string        `json:"-"` // of somebody else's, ""
	Nowhere bool          `json:"-"` // that handoff is for no project here
}
