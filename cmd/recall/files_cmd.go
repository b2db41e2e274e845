package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"recall/answer"
	"recall/index"
	"recall/ingest"
	"recall/ingest/trace"
	"recall/library"
	"recall/payload"
)

// filesDoc is the JSON form of recall files.
type filesDoc struct {
	Schema   int              `json:"schema"` // 1
	Path     string           `json:"path"`   // as asked for
	Project  string           `json:"project,omitempty"`
	Also     []string         `json:"also,omitempty"` // other names that it had, below the project's folder
	Sessions []fileSessionDoc `json:"sessions"`       // the newest first
}

// sessionRef names a session in a document about something else.
type sessionRef struct {
	Session string    `json:"session"`
	Project string    `json:"project"`
	Number  int       `json:"number"`
	Title   string    `json:"title"`
	Start   time.Time `json:"start,omitzero"`
}

type fileSessionDoc struct {
	sessionRef
	Paths []string       `json:"paths"` // as the session's machine names it
	How   []trace.How    `json:"how"`
	Calls int            `json:"calls"`
	Turn  int            `json:"turn,omitempty"` // of the last touch
	At    time.Time      `json:"at,omitzero"`
	Items []payload.Item `json:"items"`
}

func (a *app) filesCmd() *cobra.Command {
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
			return a.files(cmd.Context(), args[0], decided, asJSON)
		},
	}
	cmd.Flags().BoolVar(&decided, "decided", false, "only sessions that decided something about it")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

func (a *app) files(ctx context.Context, path string, decided, asJSON bool) error {
	if path == "" || isDir(path) {
		return withHint(fmt.Errorf("%q is no file", path), "name a file; what was decided at all: recall log")
	}
	l, err := a.library(ctx)
	if err != nil {
		return err
	}
	if _, err := a.fresh(ctx, l); err != nil {
		return err
	}
	names, err := nameFile(l, path)
	if err != nil {
		return err
	}
	doc, err := a.touchers(ctx, l, names)
	if err != nil {
		return err
	}
	if decided {
		doc.Sessions = slices.DeleteFunc(doc.Sessions, func(s fileSessionDoc) bool { return len(s.Items) == 0 })
	}
	if asJSON {
		err = a.printJSON(doc)
	} else {
		a.printFiles(doc)
	}
	if err == nil && len(doc.Sessions) == 0 {
		err = exitCode(exitNothing)
	}
	return err
}

// indexed opens the index to ask it something, and makes it first where it
// must be.
func (a *app) indexed(ctx context.Context, l *library.Library) error {
	err := a.readIndex(l)
	if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, index.ErrRebuild) {
		return err
	}
	fmt.Fprintln(a.err, "recall: the index must be made again from the library; this takes a while, once")
	return a.reindex(ctx, l)
}

// touchers answers recall files.
func (a *app) touchers(ctx context.Context, l *library.Library, names *fileNames) (filesDoc, error) {
	doc := filesDoc{Schema: 1, Path: names.asked, Sessions: []fileSessionDoc{}}
	if names.project != nil {
		doc.Project = names.project.Name
	}
	if err := a.indexed(ctx, l); err != nil {
		return doc, err
	}
	touched, err := names.touched(ctx, a.ix)
	if err != nil {
		return doc, err
	}
	shelf, err := newShelf(l)
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
			doc.Sessions = append(doc.Sessions, fileSessionDoc{sessionRef: shelf.ref(t.Session), Turn: t.N, At: t.At, Items: []payload.Item{}})
		}
		doc.Sessions[i].add(t)
		if rel, ok := belowAny(slashed(t.Path), names.roots); ok && rel != names.rels[0] && !slices.Contains(doc.Also, rel) {
			doc.Also = append(doc.Also, rel)
		}
	}
	return doc, a.addItems(ctx, &doc, ids, names)
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

func (a *app) addItems(ctx context.Context, doc *filesDoc, ids []string, names *fileNames) error {
	items, err := a.ix.ItemsOf(ctx, ids)
	if err != nil {
		return err
	}
	for i, id := range ids {
		for _, it := range items[id] {
			if names.concerns(it) {
				doc.Sessions[i].Items = append(doc.Sessions[i].Items, it)
			}
		}
	}
	return nil
}

// ref names a session by its id.
func (s *shelf) ref(id string) sessionRef {
	for _, e := range s.entries {
		if string(e.ID) == id {
			return sessionRef{id, s.of(e).Name, s.number[e.ID], e.Title, e.Start}
		}
	}
	return sessionRef{Session: id}
}

// line is a session on a line for people.
func (r sessionRef) line(w int) string {
	return fmt.Sprintf("%s  session %d of %s, %s  %s", cmp.Or(dayOf(r.Start), "no date"), r.Number, oneLine(r.Project), shortID(ingest.SessionID(r.Session)), clip(oneLine(r.Title), max(20, w-60)))
}

func (a *app) printFiles(doc filesDoc) {
	st, w := styles(a.color), width(a.out)
	if len(doc.Sessions) == 0 {
		fmt.Fprintf(a.out, "No session that recall knows of touched %s.\n", oneLine(doc.Path))
		return
	}
	items := 0
	if len(doc.Also) > 0 {
		fmt.Fprintf(a.out, "%salso known as %s%s\n", st.dim, oneLine(strings.Join(doc.Also, ", ")), st.reset)
	}
	for _, s := range doc.Sessions {
		var hows []string
		for _, h := range s.How {
			hows = append(hows, string(h))
		}
		fmt.Fprintf(a.out, "%s\n", s.line(w))
		fmt.Fprintf(a.out, "  %s%s, %s, last in turn %d%s\n", st.dim, strings.Join(hows, ", "), count(s.Calls, "call"), s.Turn, st.reset)
		p := page{w: a.out, st: st, width: w}
		for _, it := range s.Items {
			items++
			p.item(it)
		}
	}
	fmt.Fprintf(a.out, "%s touched it; %s about it.\n", count(len(doc.Sessions), "session"), count(items, "thing")+" noted")
}

// item prints an item with the first of its quotes.
func (p *page) item(it payload.Item) {
	p.wrapped("  "+mark(it, p.st)+" ", "    ", p.Sentence(it)+" ("+answer.State(it)+")", "")
	if it.Why != "" {
		p.wrapped("    why ", "        ", oneLine(it.Why), p.st.dim)
	}
	for _, e := range it.Evidence[:min(1, len(it.Evidence))] {
		where := ""
		if e.N > 0 {
			where = fmt.Sprintf(" turn %d", e.N)
		}
		p.wrapped("    ", "    ", "“"+clip(oneLine(e.Quote), 200)+"”"+where, p.st.dim)
	}
}
