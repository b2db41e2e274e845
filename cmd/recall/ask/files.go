package ask

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"recall/answer"
	"recall/cmd/recall/app"
	"recall/cmd/recall/terminal"
	"recall/index"
	"recall/ingest/trace"
	"recall/library"
	"recall/payload"
	txt "recall/text"
)

// FilesDoc is the JSON form of recall files.
type FilesDoc struct {
	Schema   int              `json:"schema"` // 1
	Path     string           `json:"path"`   // as asked for
	Project  string           `json:"project,omitempty"`
	Also     []string         `json:"also,omitempty"` // other names that it had, below the project's folder
	Sessions []fileSessionDoc `json:"sessions"`       // the newest first
}

type fileSessionDoc struct {
	app.SessionRef
	Paths []string       `json:"paths"` // as the session's machine names it
	How   []trace.How    `json:"how"`
	Calls int            `json:"calls"`
	Turn  int            `json:"turn,omitempty"` // of the last touch
	At    time.Time      `json:"at,omitzero"`
	Items []payload.Item `json:"items"`
}

func newFilesCmd(a *app.App) *cobra.Command {
	var asJSON, decided bool
	cmd := &cobra.Command{
		Use:     "files PATH",
		Short:   "Tell which sessions touched a file, and what they decided about it",
		GroupID: "ask",
		Long: `Lists the sessions that read, edited, created, deleted or renamed a file, the
newest first, and what each decided, ruled out or left open about it. The path
may be relative, absolute, in a worktree, or that of a file that is gone; other
names that the file had are followed. Exit code 1 if nobody touched it.`,
		Example: `  recall files internal/queue/backoff.go
  recall files web/src/App.tsx --decided
  recall files README.md --json | jq '.sessions[].title'`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runFiles(cmd.Context(), a, args[0], decided, asJSON)
		},
	}
	cmd.Flags().BoolVar(&decided, "decided", false, "only sessions that decided something about it")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

func runFiles(ctx context.Context, a *app.App, path string, decided, asJSON bool) error {
	if path == "" || app.IsDir(path) {
		return terminal.WithHint(fmt.Errorf("%q is no file", path), "name a file; what was decided at all: recall log")
	}
	l, err := a.Library(ctx)
	if err != nil {
		return err
	}
	if _, err := a.Fresh(ctx, l); err != nil {
		return err
	}
	names, err := app.NameFile(l, path)
	if err != nil {
		return err
	}
	doc, err := touchers(ctx, a, l, names)
	if err != nil {
		return err
	}
	if decided {
		doc.Sessions = slices.DeleteFunc(doc.Sessions, func(s fileSessionDoc) bool { return len(s.Items) == 0 })
	}
	if asJSON {
		err = a.PrintJSON(doc)
	} else {
		printFiles(a, doc)
	}
	if err == nil && len(doc.Sessions) == 0 {
		err = app.ExitCode(app.ExitNothing)
	}
	return err
}

// touchers answers recall files.
func touchers(ctx context.Context, a *app.App, l *library.Library, names *app.FileNames) (FilesDoc, error) {
	doc := FilesDoc{Schema: 1, Path: names.Asked, Sessions: []fileSessionDoc{}}
	if names.Project != nil {
		doc.Project = names.Project.Name
	}
	if err := a.Indexed(ctx, l); err != nil {
		return doc, err
	}
	touched, err := names.Touched(ctx, a.Index)
	if err != nil {
		return doc, err
	}
	shelf, err := app.NewShelf(l)
	if err != nil {
		return doc, err
	}
	at := map[string]int{}
	var ids []string
	for _, t := range touched {
		i, ok := at[t.Session]
		if !ok {
			i = len(doc.Sessions)
			at[t.Session] = i
			ids = append(ids, t.Session)
			doc.Sessions = append(doc.Sessions, fileSessionDoc{SessionRef: shelf.Ref(t.Session), Turn: t.N, At: t.At,
				Items: []payload.Item{}})
		}
		doc.Sessions[i].add(t)
		if rel, ok := app.BelowAny(app.Slashed(t.Path), names.Roots); ok && rel != names.Rels[0] &&
			!slices.Contains(doc.Also, rel) {
			doc.Also = append(doc.Also, rel)
		}
	}
	return doc, addItems(ctx, a, &doc, ids, names)
}

func (s *fileSessionDoc) add(t index.Touched) {
	s.Paths = append(s.Paths, t.Path)
	s.Calls += t.Calls
	for _, h := range t.Hows {
		if !slices.Contains(s.How, h) {
			s.How = append(s.How, h)
		}
	}
}

func addItems(ctx context.Context, a *app.App, doc *FilesDoc, ids []string, names *app.FileNames) error {
	items, err := a.Index.ItemsOf(ctx, ids)
	if err != nil {
		return err
	}
	for i, id := range ids {
		for _, it := range items[id] {
			if names.Concerns(it) {
				doc.Sessions[i].Items = append(doc.Sessions[i].Items, it)
			}
		}
	}
	return nil
}

func printFiles(a *app.App, doc FilesDoc) {
	st, w := terminal.Styles(a.Color), terminal.Width(a.Out)
	if len(doc.Sessions) == 0 {
		fmt.Fprintf(a.Out, "No session that recall knows of touched %s.\n", terminal.Line(doc.Path))
		return
	}
	items := 0
	if len(doc.Also) > 0 {
		fmt.Fprintf(a.Out, "%salso known as %s%s\n", st.Dim, terminal.Line(strings.Join(doc.Also, ", ")), st.Reset)
	}
	for _, s := range doc.Sessions {
		var hows []string
		for _, h := range s.How {
			hows = append(hows, string(h))
		}
		fmt.Fprintf(a.Out, "%s\n", s.Line(w))
		fmt.Fprintf(a.Out, "  %s%s, %s, last in turn %d%s\n", st.Dim, strings.Join(hows, ", "),
			answer.Count(s.Calls, "call"),
			s.Turn, st.Reset)
		p := a.Page()
		for _, it := range s.Items {
			items++
			printItem(&p, it)
		}
	}
	fmt.Fprintf(a.Out, "%s touched it; %s about it.\n", answer.Count(len(doc.Sessions), "session"),
		answer.Count(items, "thing")+" noted")
}

// printItem prints an item with the first of its quotes.
func printItem(p *terminal.Page, it payload.Item) {
	p.Wrapped("  "+terminal.Mark(it, p.St)+" ", "    ", p.Sentence(it)+" ("+answer.State(it)+")", "")
	if it.Why != "" {
		p.Wrapped("    why ", "        ", terminal.Line(it.Why), p.St.Dim)
	}
	for _, e := range it.Evidence[:min(1, len(it.Evidence))] {
		where := ""
		if e.N > 0 {
			where = fmt.Sprintf(" turn %d", e.N)
		}
		p.Wrapped("    ", "    ", "“"+txt.Clip(terminal.Line(e.Quote), 200)+"”"+where, p.St.Dim)
	}
}
