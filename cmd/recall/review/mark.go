package review

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"recall/answer"
	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/hint"
	"recall/library"
	"recall/payload"
	"recall/pipeline"
)

// MarkDoc is what recall edit says of a session that was marked.
type MarkDoc struct {
	library.SessionRef
	payload.Marks
}

func newEditCmd(a *app.App) *cobra.Command {
	var o struct {
		Star, Unstar, Archive, Unarchive bool
		Tag, Untag                       []string
		Name                             string
	}
	return option.Asked(a, "edit", &o, func(ctx context.Context, l *library.Library, args []string) ([]MarkDoc, error) {
		mark := payload.Mark{Star: either(o.Star, o.Unstar), Archive: either(o.Archive, o.Unarchive), Tag: o.Tag,
			Untag: o.Untag}
		marked := mark.Star != nil || mark.Archive != nil || len(mark.Tag)+len(mark.Untag) > 0
		if one := o.Name != "" || !marked; one && len(args) > 1 {
			return nil, hint.With(fmt.Errorf("edit: got %d sessions for one title or payload", len(args)),
				"edit them one by one")
		}
		entries, err := a.Sessions(l, args)
		if err != nil {
			return nil, err
		}
		if !marked && o.Name == "" {
			return nil, editPage(ctx, a, l, entries[0])
		}
		for _, e := range entries {
			if err := markOne(ctx, a, l, e, mark, o.Name); err != nil {
				return nil, err
			}
		}
		shelf, err := l.Shelf()
		if err != nil {
			return nil, err
		}
		var docs []MarkDoc
		for _, e := range entries {
			if e, err = l.Session(e.ID); err != nil {
				return nil, err
			}
			docs = append(docs, MarkDoc{shelf.Ref(string(e.ID)), e.Marks})
		}
		return docs, nil
	}, printMarks)
}

// markOne makes what is said of a session durable, then has the index and what is rendered say it.
func markOne(ctx context.Context, a *app.App, l *library.Library, e library.Entry, m payload.Mark, name string) error {
	at := time.Now().UTC() // to the nanosecond: at a merge the later one wins
	var edits []payload.Edit
	if m.Star != nil || m.Archive != nil || len(m.Tag)+len(m.Untag) > 0 {
		edits = append(edits, payload.Edit{Op: payload.OpMark, At: at, Who: app.Author(), Mark: &m})
	}
	if name != "" {
		edits = append(edits, payload.Edit{Op: payload.OpTitle, At: at, Who: app.Author(), Title: name})
	}
	err := l.ReadOnly()
	if err == nil {
		err = l.AppendEdits(e.ID, edits)
	}
	if err == nil && m.Archive != nil {
		err = a.OnIndex(ctx, l, func(p *pipeline.Pipeline) error {
			return p.Index.SetArchived(ctx, string(e.ID), *m.Archive)
		})
	}
	if err == nil && name != "" {
		_, err = a.TakeIn(ctx, l, pipeline.Options{Only: e.ID})
	}
	return err
}

// either is a mark that two flags set and take off; nil without any.
func either(on, off bool) *bool {
	if on || off {
		return &on
	}
	return nil
}

func printMarks(a *app.App, docs []MarkDoc) {
	for _, d := range docs {
		said := []string{terminal.Line(payload.Handle(d.Project, d.Number)), answer.ShortID(d.Session)}
		if d.Starred {
			said = append(said, "★")
		}
		if d.Archived {
			said = append(said, "archived")
		}
		for _, tag := range d.Tags {
			said = append(said, "#"+tag)
		}
		fmt.Fprintf(a.Out, "%s  %s\n", strings.Join(said, "  "), terminal.Line(d.Title))
	}
}
