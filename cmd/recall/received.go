package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"recall/index"
	"recall/library"
	"recall/payload"
	"recall/pipeline"
	"recall/redact"
)

// mostHandoff is how large a handoff's file may be, in bytes.
const mostHandoff = 4 << 20

// isHandoff tells a handoff's file from a backup by how it begins.
func isHandoff(path string) bool {
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

// handoffDoc is the JSON form of the import of a handoff.
type handoffDoc struct {
	Handoff string `json:"handoff"`
	From    string `json:"from"`
	Project string `json:"project"` // here, "" if none is known
	Items   int    `json:"items"`
	Waiting int    `json:"waiting"` // that nobody has reviewed
	New     bool   `json:"new"`
}

// importHandoff keeps another person's handoff, apart from what is this
// library's own. Nothing of it is handed on before it was reviewed.
func (a *app) importHandoff(ctx context.Context, path, project string, asJSON bool) error {
	l, err := a.library(ctx)
	if err != nil {
		return err
	}
	if beside := evidenceName(path); isHandoff(beside) {
		path = beside // the same with its evidence
	}
	if fi, err := os.Stat(path); err == nil && fi.Size() > mostHandoff {
		return withHint(fmt.Errorf("%s: %s; a handoff has %s at most", path, size(fi.Size()), size(mostHandoff)), "nothing of it was taken over; ask for the file that recall handoff wrote")
	}
	raw, err := library.ReadRegular(path, mostHandoff)
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
		return withHint(fmt.Errorf("%s: %w", path, err), "nothing of it was taken over; ask for the file that recall handoff wrote")
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
				return a.printJSON(handoffDoc{key, oneLine(h.From), name, len(old.Items), len(old.Waiting()), false})
			}
			fmt.Fprintf(a.out, "this handoff of %s's is here already; %d of its %s wait for recall review\n", oneLine(h.From), len(old.Waiting()), count(len(old.Items), "item"))
			return nil
		}
	}
	if err := l.Receive(library.Received{Op: library.OpHandoff, Handoff: key, At: time.Now().UTC().Truncate(time.Second), Project: id, Text: text}); err != nil {
		return err
	}
	if asJSON {
		return a.printJSON(handoffDoc{key, oneLine(h.From), name, len(h.Items), len(h.Items), true})
	}
	what := "no project here goes by " + fmt.Sprintf("%q", oneLine(h.Project)) + "; recall import --project NAME says which one it is for"
	if id != "" {
		what = "for project " + oneLine(name)
	}
	fmt.Fprintf(a.out, "kept a handoff from %s with %s, %s\n", oneLine(h.From), count(len(h.Items), "item"), what)
	fmt.Fprintln(a.out, "nothing of it is handed to a session before you have looked: recall review")
	return nil
}

// projectOf finds the project here that a handoff is for: the one that was said,
// the one of that name, or that of the working directory.
func (a *app) projectOf(l *library.Library, said, theirs string) (id, name string, err error) {
	if said != "" {
		id, err = projectID(l, said)
		return id, said, err
	}
	if p, err := l.Project(theirs); theirs != "" && err == nil {
		return p.ID, p.Name, nil
	}
	if id = a.here(l); id != "" {
		if p, err := l.Project(id); err == nil {
			return id, p.Name, nil
		}
	}
	return "", "", nil
}

// received lists what waits of other people's handoffs.
func received(l *library.Library, project string) ([]unseen, error) {
	all, err := l.Received()
	if err != nil && !errors.Is(err, library.ErrDamaged) {
		return nil, err
	}
	var out []unseen
	for _, h := range all {
		if project != "" && h.Project != project {
			continue
		}
		for _, it := range h.Waiting() {
			place := index.Place{Session: "handoff " + h.ID, SessionTitle: h.Title, Project: h.Handover.Project}
			out = append(out, unseen{Place: place, Title: h.Title, Turn: firstTurn(it), From: h.From, Item: it, handoff: h.ID, nowhere: h.Project == ""})
		}
	}
	return out, nil
}

// receivedWord is what a person says about an item of somebody else's.
func receivedWord(op library.ReceivedOp, u unseen, line string) library.Received {
	return library.Received{Op: op, Handoff: u.handoff, Item: u.ID, Line: line, At: time.Now().UTC().Truncate(time.Second), Who: author()}
}

// indexReceived has what was taken over answer questions from now on. Where there
// is no index yet, the next one that is made has it.
func (a *app) indexReceived(ctx context.Context, l *library.Library) error {
	if _, err := os.Stat(indexPath(l)); err != nil {
		return nil
	}
	return a.onIndex(ctx, l, func(p *pipeline.Pipeline) error { return p.IndexReceived(ctx) })
}
