// Package review holds the commands with which a person reviews and corrects what was distilled.
package review

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/internal/hint"
	"recall/library"
	"recall/payload"
	"recall/pipeline"
)

// Commands are the commands to review and correct what was distilled.
var Commands = []option.Maker{newEditCmd, newReviewCmd, newWebCmd, newWrapUpCmd}

func runEditor(ctx context.Context, a *app.App, path string) error {
	editor := cmp.Or(os.Getenv("VISUAL"), os.Getenv("EDITOR"))
	usual := []string{"vi", "nano"} // they need a terminal
	if runtime.GOOS == "windows" {
		usual = []string{"notepad"}
	} else if !terminal.IsTerminal(a.Out) {
		usual = nil
	}
	for _, name := range usual {
		if _, err := exec.LookPath(name); err == nil {
			editor = cmp.Or(editor, name)
		}
	}
	if editor == "" {
		return hint.With(errors.New("no editor: neither VISUAL nor EDITOR is set"),
			"set one, or edit %s directly and run recall sync", path)
	}
	// "code --wait" is a program and its argument.
	words := strings.Fields(editor)
	if _, err := exec.LookPath(words[0]); err != nil {
		return hint.With(fmt.Errorf("editor: %w", err),
			"set VISUAL or EDITOR, or edit %s directly and run recall sync", path)
	}
	if err := a.Launch(ctx, append(words, path)...); err != nil {
		return hint.With(fmt.Errorf("editor %s: %w", editor, err),
			"nothing was changed; recall edit opens the file again")
	}
	return nil
}

// MarkDoc is the JSON document of recall edit for a marked session.
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
	return option.Asked(a, "edit", func(fs *option.Flags) {
		fs.BoolVar(&o.Archive, "archive", false, "leave the sessions out of lists and answers")
		fs.Bool("json", false, "print the marks as JSON")
		fs.Title(&o.Name, "name", "a new title, for one session")
		fs.BoolVar(&o.Star, "star", false, "star the sessions")
		fs.Tags(&o.Tag, "tag", "add this tag; may be repeated")
		fs.BoolVar(&o.Unarchive, "unarchive", false, "bring archived sessions back into lists and answers")
		fs.BoolVar(&o.Unstar, "unstar", false, "remove the star")
		fs.Tags(&o.Untag, "untag", "remove this tag; may be repeated")
		fs.Apart("archive", "unarchive")
		fs.Apart("star", "unstar")
	}, func(ctx context.Context, args []string) ([]MarkDoc, error) {
		mark := payload.Mark{Star: either(o.Star, o.Unstar), Archive: either(o.Archive, o.Unarchive), Tag: o.Tag,
			Untag: o.Untag}
		marked := mark.Star != nil || mark.Archive != nil || len(mark.Tag)+len(mark.Untag) > 0
		if one := o.Name != "" || !marked; one && len(args) > 1 {
			return nil, hint.With(fmt.Errorf("edit: got %d sessions, but a title or payload is edited for one", len(args)),
				"edit them one by one")
		}
		entries, err := a.Sessions(args)
		if err != nil {
			return nil, err
		}
		if !marked && o.Name == "" {
			return nil, editPage(ctx, a, entries[0])
		}
		for _, e := range entries {
			if err := markOne(ctx, a, e, mark, o.Name); err != nil {
				return nil, err
			}
		}
		catalog, err := a.Lib.Catalog()
		if err != nil {
			return nil, err
		}
		var docs []MarkDoc
		for _, e := range entries {
			if e, err = a.Lib.Session(e.ID); err != nil {
				return nil, err
			}
			docs = append(docs, MarkDoc{catalog.Ref(string(e.ID)), e.Marks})
		}
		return docs, nil
	}, printMarks)
}

// markOne records the marks of a session, then updates the index and the rendered files.
func markOne(ctx context.Context, a *app.App, e library.Entry, m payload.Mark, name string) error {
	at := time.Now().UTC() // in full precision: in a merge the later one wins
	var edits []payload.Edit
	if m.Star != nil || m.Archive != nil || len(m.Tag)+len(m.Untag) > 0 {
		edits = append(edits, payload.Edit{Op: payload.OpMark, At: at, Who: app.Author(), Mark: &m})
	}
	if name != "" {
		edits = append(edits, payload.Edit{Op: payload.OpTitle, At: at, Who: app.Author(), Title: name})
	}
	err := a.Lib.ReadOnly()
	if err == nil {
		err = a.Lib.AppendEdits(e.ID, edits)
	}
	if err == nil && m.Archive != nil {
		err = a.OnIndex(ctx, func(p *pipeline.Pipeline) error {
			return p.Index.SetArchived(ctx, string(e.ID), *m.Archive)
		})
	}
	if err != nil || name == "" {
		return err
	}
	report, err := a.Sync(ctx, pipeline.Options{Only: e.ID})
	for _, p := range report.Problems {
		err = errors.Join(err, hint.With(p, "the title is kept; recall sync applies it once the cause is gone"))
	}
	return err
}

// either combines two flags that set and clear a mark; nil if neither is given.
func either(on, off bool) *bool {
	if on || off {
		return &on
	}
	return nil
}

func printMarks(a *app.App, docs []MarkDoc) {
	for _, d := range docs {
		said := []string{terminal.Line(payload.Handle(d.Project, d.Number)), payload.ShortID(d.Session)}
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
