package ask

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"recall/cmd/recall/app"
	"recall/cmd/recall/terminal"
	"recall/index"
	"recall/ingest"
	"recall/ingest/trace"
	"recall/library"
	"recall/payload"
)

// WhyDoc is the JSON form of recall why FILE:LINE.
type WhyDoc struct {
	Schema   int          `json:"schema"`  // 1
	Verdict  string       `json:"verdict"` // found, several, outside, uncommitted, no git, no line
	File     string       `json:"file"`
	Line     int          `json:"line"`
	Text     string       `json:"text,omitempty"`
	Commit   *whyCommit   `json:"commit,omitempty"`
	Sessions []whySession `json:"sessions"`       // the likeliest first
	Note     string       `json:"note,omitempty"` // why there is no answer
}

type whyCommit struct {
	Hash    string    `json:"hash"`
	Subject string    `json:"subject"`
	Author  string    `json:"author"`
	At      time.Time `json:"at,omitzero"`
}

type whySession struct {
	app.SessionRef
	By    string         `json:"by"`              // hash, time and message, text
	Turn  int            `json:"turn,omitempty"`  // that wrote the line, else that made the commit
	Wrote bool           `json:"wrote"`           // it is seen to have written the line
	Asked string         `json:"asked,omitempty"` // what the person had said before
	Said  string         `json:"said,omitempty"`  // what the assistant said with it
	Items []payload.Item `json:"items"`           // decided there, about the line or the file
}

func whyLine(ctx context.Context, a *app.App, file string, line int, asJSON bool) error {
	l, err := a.Library(ctx)
	if err != nil {
		return err
	}
	abs, err := filepath.Abs(file)
	if err != nil {
		return err
	}
	if real, err := filepath.EvalSymlinks(abs); err == nil {
		abs = real
	}
	doc := WhyDoc{Schema: 1, File: file, Line: line, Sessions: []whySession{}}
	if !app.IsRegular(abs) {
		return terminal.WithHint(fmt.Errorf("%s: no such file here", file), "recall files %s tells who touched it",
			file)
	}
	b, err := Blame(ctx, abs, line)
	switch {
	case errors.Is(err, app.ErrNoGit), errors.Is(err, app.ErrNoRepo), errors.Is(err, app.ErrNoFile):
		doc.Verdict, doc.Note = "no git", err.Error()
	case errors.Is(err, app.ErrNoLine):
		doc.Verdict, doc.Note = "no line", err.Error()
	case err != nil:
		return err
	case b.Hash == "":
		doc.Verdict, doc.Note = "uncommitted", "the line isn't committed yet"
	default:
		doc.Commit = &whyCommit{b.Hash, b.Subject, b.Author, b.At}
	}
	if _, err := a.Fresh(ctx, l); err != nil {
		return err
	}
	if err := whySessions(ctx, a, l, &doc, abs, b); err != nil {
		return err
	}
	if err := hideSecrets(a, l, &doc, b); err != nil {
		return err
	}
	if asJSON {
		err = a.PrintJSON(doc)
	} else {
		printWhy(a, doc)
		err = nil // said as the answer
	}
	if err == nil && len(doc.Sessions) == 0 {
		err = app.ExitCode(app.ExitNothing)
	}
	return err
}

// hideSecrets fills in what comes from the file and from git, secrets out.
func hideSecrets(a *app.App, l *library.Library, doc *WhyDoc, b blamed) error {
	p, err := a.Pipeline(l)
	if err != nil {
		return err
	}
	clean := p.Rules.Session().Text
	doc.Text = clean(b.Text)
	if doc.Commit != nil {
		doc.Commit.Subject = clean(doc.Commit.Subject)
	}
	return nil
}

// whySessions finds the sessions behind a line: the one that made its commit,
// else those that are seen to have written it.
func whySessions(ctx context.Context, a *app.App, l *library.Library, doc *WhyDoc, abs string, b blamed) error {
	if err := a.Indexed(ctx, l); err != nil {
		return err
	}
	names, err := app.NameFile(l, abs)
	if err != nil {
		return err
	}
	names.Asked = doc.File
	w := whyAsker{app: a, lib: l, names: names, blamed: b}
	if w.shelf, err = app.NewShelf(l); err != nil {
		return err
	}
	found, err := w.makers(ctx)
	if err != nil {
		return err
	}
	by := "hash"
	if len(found) > 0 && !strings.HasPrefix(b.Hash, cmp.Or(found[0].Hash, "-")) {
		by = "time and message"
	}
	for _, c := range found {
		if err := w.add(ctx, doc, c.Session, by, c.N); err != nil {
			return err
		}
	}
	if len(doc.Sessions) == 0 && doc.Verdict != "no line" {
		if err := w.writers(ctx, doc); err != nil {
			return err
		}
	}
	switch n := len(doc.Sessions); {
	case doc.Verdict != "":
	case n == 1:
		doc.Verdict = "found"
	case n > 1:
		doc.Verdict = "several"
	default:
		doc.Verdict, doc.Note = "outside", "no session that recall knows of made this commit or wrote this line"
	}
	return nil
}

// whyAsker holds what one question rests on.
type whyAsker struct {
	app    *app.App
	lib    *library.Library
	shelf  *app.Shelf
	names  *app.FileNames
	blamed blamed
}

// makers lists the commits of sessions that are the line's: by hash, else by
// the time that the author's clock had (a rebase keeps it) and the message.
func (w *whyAsker) makers(ctx context.Context) ([]index.Commit, error) {
	if w.blamed.Hash == "" {
		return nil, nil
	}
	all, err := w.app.Index.Commits(ctx, w.blamed.Hash, w.blamed.At)
	if err != nil {
		return nil, err
	}
	exact := slices.DeleteFunc(slices.Clone(all),
		func(c index.Commit) bool { return c.Hash == "" || !strings.HasPrefix(w.blamed.Hash, c.Hash) })
	if len(exact) > 0 {
		return once(exact), nil
	}
	return once(slices.DeleteFunc(all, func(c index.Commit) bool {
		return c.Subject == "" || c.Subject != w.blamed.Subject || w.names.Project != nil &&
			c.Project != w.names.Project.Name
	})), nil
}

// once keeps the first commit of each session.
func once(all []index.Commit) []index.Commit {
	var out []index.Commit
	for _, c := range all {
		if !slices.ContainsFunc(out, func(o index.Commit) bool { return o.Session == c.Session }) {
			out = append(out, c)
		}
	}
	return out
}

// writersRead is how many sessions that touched the file are read to see
// which of them wrote the line.
const writersRead = 6

// writers adds the sessions that wrote the line before it was committed. A line
// that says too little to be told from others has none.
func (w *whyAsker) writers(ctx context.Context, doc *WhyDoc) error {
	if !telling(w.blamed.Text) {
		return nil
	}
	touched, err := w.names.Touched(ctx, w.app.Index)
	if err != nil {
		return err
	}
	read := map[string]bool{}
	for _, t := range touched {
		late := !w.blamed.Commit.IsZero() && w.shelf.Ref(t.Session).Start.After(w.blamed.Commit)
		changed := slices.ContainsFunc(t.Hows, func(h trace.How) bool { return h == trace.Edit || h == trace.Create })
		if late || !changed || read[t.Session] || len(read) == writersRead {
			continue
		}
		read[t.Session] = true
		if err := w.add(ctx, doc, t.Session, "text", 0); err != nil {
			return err
		}
	}
	return nil
}

// telling reports whether a line is no bracket, blank or word that stands anywhere.
func telling(line string) bool {
	line = strings.TrimSpace(line)
	return len(line) >= 12 && strings.ContainsAny(line, " (.=:")
}

// add reads a session and adds what it says of the line. One that was found by
// the line's text alone is added only if it wrote it.
func (w *whyAsker) add(ctx context.Context, doc *WhyDoc, session, by string, turn int) error {
	p, err := w.app.Pipeline(w.lib)
	if err != nil {
		return err
	}
	s, err := p.Read(ctx, ingest.SessionID(session))
	if err != nil {
		fmt.Fprintf(w.app.Err, "recall: skipped: %s: %v\n", session, err)
		return nil
	}
	found := whySession{SessionRef: w.shelf.Ref(session), By: by, Turn: turn, Items: []payload.Item{}}
	wrote := w.lineWritten(trace.Of(s))
	if wrote == nil && by == "text" {
		return nil
	}
	at := turn
	if wrote != nil {
		found.Wrote, found.Turn, at = true, wrote.N, wrote.N
		found.Said = wrote.Why
	}
	from := exchange(s, at, &found)
	items, err := w.app.Index.ItemsOf(ctx, []string{session})
	if err != nil {
		return err
	}
	found.Items = w.choose(items[session], from, at)
	doc.Sessions = append(doc.Sessions, found)
	return nil
}

// lineWritten is the last action before the commit that put the line into the file.
func (w *whyAsker) lineWritten(tr *trace.Trace) *trace.Action {
	want := strings.TrimSpace(w.blamed.Text)
	if !telling(want) {
		return nil
	}
	var last *trace.Action
	for i := range tr.Actions {
		x := &tr.Actions[i]
		if !x.Ran() || x.Call.Failed || !w.blamed.Commit.IsZero() && x.At.After(w.blamed.Commit.Add(time.Minute)) {
			continue
		}
		if !slices.ContainsFunc(x.Touches, func(t trace.Touch) bool {
			return t.How != trace.Read && (w.names.Is(t.Path, w.projectName()) || w.names.Meets(t.Path))
		}) {
			continue
		}
		adds := strings.Contains(x.Call.Input["content"], want) || strings.Contains(x.Call.Command, want)
		for _, e := range x.Call.Edits {
			adds = adds || strings.Contains(e.New, want) && !strings.Contains(e.Old, want)
		}
		if adds {
			last = x
		}
	}
	return last
}

func (w *whyAsker) projectName() string {
	if w.names.Project == nil {
		return ""
	}
	return w.names.Project.Name
}

// exchange fills in what the person had said before a turn, and returns the
// ordinal of that.
func exchange(s *ingest.Session, n int, found *whySession) int {
	from := 0
	for i := range s.Turns {
		t := &s.Turns[i]
		if t.N > n {
			break
		}
		if t.Role == ingest.User && t.Kind != ingest.Event && t.Kind != ingest.Summary && strings.TrimSpace(t.Text) != "" {
			from, found.Asked = t.N, strings.Join(strings.Fields(t.Text), " ")
		}
	}
	return from
}

// itemsShown is how many items are given as the reason of one line.
const itemsShown = 4

// choose picks the items that explain the line: those that speak of the file,
// were said in the exchange that wrote it, or share its words.
func (w *whyAsker) choose(items []payload.Item, from, to int) []payload.Item {
	type scored struct {
		item  payload.Item
		score int
	}
	var all []scored
	words := plainWords(w.blamed.Text + " " + w.blamed.Subject)
	for _, it := range items {
		score := 0
		switch it.Kind {
		case payload.Decision, payload.Eliminated, payload.Finding:
			score = 1
		case payload.File, payload.Next, payload.Status:
			continue
		}
		if w.names.Concerns(it) {
			score += 3
		}
		for _, e := range it.Evidence {
			if e.N >= from && e.N <= to+1 && from > 0 {
				score += 2
				break
			}
		}
		shared := 0
		text := plainWords(it.Text + " " + it.Why)
		for word := range words {
			if text[word] {
				shared++
			}
		}
		if score += min(shared, 3); score >= 3 {
			all = append(all, scored{it, score})
		}
	}
	slices.SortStableFunc(all, func(a, b scored) int { return b.score - a.score })
	out := []payload.Item{}
	for _, x := range all[:min(len(all), itemsShown)] {
		out = append(out, x.item)
	}
	return out
}

// plainWords are the words of a text that say something.
func plainWords(text string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.FieldsFunc(strings.ToLower(text),
		func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') }) {
		if len(w) > 3 && !slices.Contains([]string{"this", "that", "with", "from", "return", "func", "import", "const",
			"string", "error", "have", "into", "when"}, w) {
			out[w] = true
		}
	}
	return out
}
