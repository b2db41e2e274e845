package history

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"recall/index"
	"recall/ingest"
	"recall/ingest/trace"
	"recall/internal/redact"
	"recall/internal/text"
	"recall/library"
	"recall/payload"
	"recall/pipeline"
)

// Why says why a line of a file reads as it does.
type Why struct {
	Schema   int      `json:"schema"`  // 1
	Verdict  string   `json:"verdict"` // found, several, outside, uncommitted, no git, no line
	File     string   `json:"file"`
	Line     int      `json:"line"`
	Text     string   `json:"text,omitempty"`
	Commit   *Commit  `json:"commit,omitempty"`
	Sessions []Behind `json:"sessions"`       // likeliest first
	Note     string   `json:"note,omitempty"` // why there is no answer

	Problems []ingest.Problem `json:"-"` // sessions that may be behind it but can't be read
}

// Behind is a session behind a line.
type Behind struct {
	library.SessionRef
	By    string         `json:"by"`              // hash, time and message, text
	Turn  int            `json:"turn,omitempty"`  // the turn that wrote the line, else that made the commit
	Wrote bool           `json:"wrote"`           // the session is seen to have written the line
	Asked string         `json:"asked,omitempty"` // what the person said before
	Said  string         `json:"said,omitempty"`  // what the assistant said at the time
	Items []payload.Item `json:"items"`           // what was decided there about the line or the file
}

// WhyLine finds the sessions behind a line of a file: the one that made its commit, else those seen to have written
// it. file is absolute, without symbolic links; asked is how the user named it. If git has no answer, the document
// says so; only ErrOwner is an error.
func WhyLine(ctx context.Context, p *pipeline.Pipeline, file, asked string, line int) (*Why, error) {
	doc := &Why{Schema: 1, File: asked, Line: line, Sessions: []Behind{}}
	w := whyQuery{Pipeline: p, doc: doc}
	var err error
	w.blamed, err = Blame(ctx, file, line)
	switch {
	case errors.Is(err, ErrNoGit), errors.Is(err, ErrNoRepo), errors.Is(err, ErrNoFile), errors.Is(err, ErrEmpty):
		doc.Verdict, doc.Note = "no git", err.Error()
	case errors.Is(err, ErrNoLine):
		doc.Verdict, doc.Note = "no line", err.Error()
	case err != nil:
		return nil, err
	case w.blamed.Hash == "":
		doc.Verdict, doc.Note = "uncommitted", "the line isn't committed yet"
	default:
		commit := w.blamed.Commit
		doc.Commit = &commit
	}
	if w.names, err = nameFile(p.Library, file); err != nil {
		return nil, err
	}
	if w.catalog, err = p.Library.Catalog(); err != nil {
		return nil, err
	}
	if err := w.sessions(ctx); err != nil {
		return nil, err
	}
	clean := redact.New().Text // text from the file and from git may hold a secret
	doc.Text = clean(w.blamed.Text)
	if doc.Commit != nil {
		doc.Commit.Subject = clean(doc.Commit.Subject)
	}
	return doc, nil
}

// whyQuery is a WhyLine in progress.
type whyQuery struct {
	*pipeline.Pipeline
	catalog *library.Catalog
	names   *fileNames
	blamed  Blamed
	doc     *Why
}

func (w *whyQuery) sessions(ctx context.Context) error {
	project := ""
	if w.names.project != nil {
		project = w.names.project.Name
	}
	found, by, err := makersOf(ctx, w.Index, w.blamed.Commit, project)
	if err != nil {
		return err
	}
	for _, c := range found {
		if err := w.add(ctx, c.Session, by, c.N); err != nil {
			return err
		}
	}
	if len(w.doc.Sessions) == 0 && w.doc.Verdict != "no line" {
		if err := w.writers(ctx); err != nil {
			return err
		}
	}
	switch n := len(w.doc.Sessions); {
	case w.doc.Verdict != "":
	case n == 1:
		w.doc.Verdict = "found"
	case n > 1:
		w.doc.Verdict = "several"
	default:
		w.doc.Verdict = "outside"
		w.doc.Note = "no session that recall knows of made this commit or wrote this line"
	}
	return nil
}

// How a session was matched to a commit.
const (
	byHash    = "hash"
	byMessage = "time and message"
)

// makersOf lists the sessions' commits that match one of git's, and how: by hash, else by author time (which a
// rebase keeps) and message, within a project, "" for any.
func makersOf(ctx context.Context, x *index.Index, of Commit, project string) ([]index.Commit, string, error) {
	if of.Hash == "" {
		return nil, "", nil
	}
	all, err := x.Commits(ctx, of.Hash, of.At)
	if err != nil {
		return nil, "", err
	}
	exact := slices.DeleteFunc(slices.Clone(all),
		func(c index.Commit) bool { return c.Hash == "" || !strings.HasPrefix(of.Hash, c.Hash) })
	if len(exact) > 0 {
		return once(exact), byHash, nil
	}
	return once(slices.DeleteFunc(all, func(c index.Commit) bool {
		return c.Subject == "" || c.Subject != of.Subject || project != "" && c.Project != project
	})), byMessage, nil
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

// writersRead is how many sessions that touched the file are read to find who wrote the line.
const writersRead = 6

// writers adds the sessions that wrote the line before it was committed; none if the line isn't distinctive.
func (w *whyQuery) writers(ctx context.Context) error {
	if !distinctive(w.blamed.Text) {
		return nil
	}
	touched, err := w.names.touched(ctx, w.Index)
	if err != nil {
		return err
	}
	read := map[string]bool{}
	for _, t := range touched {
		late := !w.blamed.committed.IsZero() && w.catalog.Ref(t.Session).Start.After(w.blamed.committed)
		changed := slices.ContainsFunc(t.Hows, func(h trace.How) bool { return h == trace.Edit || h == trace.Create })
		if late || !changed || read[t.Session] || len(read) == writersRead {
			continue
		}
		read[t.Session] = true
		if err := w.add(ctx, t.Session, "text", 0); err != nil {
			return err
		}
	}
	return nil
}

// distinctive reports whether a line is more than a bracket, blank or common word.
func distinctive(line string) bool {
	line = strings.TrimSpace(line)
	return len(line) >= 12 && strings.ContainsAny(line, " (.=:")
}

// add reads a session and adds what it says about the line; one found only by the line's text only if it wrote the
// line.
func (w *whyQuery) add(ctx context.Context, session, by string, turn int) error {
	s, err := w.Read(ctx, ingest.SessionID(session))
	if err != nil {
		w.doc.Problems = append(w.doc.Problems, ingest.Problem{Path: session, Err: err})
		return nil
	}
	found := Behind{SessionRef: w.catalog.Ref(session), By: by, Turn: turn}
	wrote := w.lineWritten(trace.OfSession(s))
	if wrote == nil && by == "text" {
		return nil
	}
	if wrote != nil {
		found.Wrote, found.Turn, found.Said = true, wrote.N, wrote.Why
	}
	items, err := w.Index.ItemsAmong(ctx, []string{session})
	if err != nil {
		return err
	}
	var from int
	from, found.Asked = askedBefore(s, found.Turn)
	found.Items = w.choose(items, from, found.Turn)
	w.doc.Sessions = append(w.doc.Sessions, found)
	return nil
}

// lineWritten returns the last action before the commit that put the line into the file.
func (w *whyQuery) lineWritten(tr *trace.Trace) *trace.Action {
	want := strings.TrimSpace(w.blamed.Text)
	if !distinctive(want) {
		return nil
	}
	project := ""
	if w.names.project != nil {
		project = w.names.project.Name
	}
	var last *trace.Action
	for i := range tr.Actions {
		x := &tr.Actions[i]
		late := !w.blamed.committed.IsZero() && x.At.After(w.blamed.committed.Add(time.Minute))
		if !x.Call.Worked() || late {
			continue
		}
		if !slices.ContainsFunc(x.Touches, func(t trace.Touch) bool {
			return t.How != trace.Read && (w.names.is(t.Path, project) || w.names.meets(t.Path))
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

// askedBefore returns what the person last said up to a turn, and where.
func askedBefore(s *ingest.Session, n int) (turn int, asked string) {
	for i := range s.Turns {
		t := &s.Turns[i]
		if t.N > n {
			break
		}
		if t.Role == ingest.User && t.Kind != ingest.Event && t.Kind != ingest.Summary && strings.TrimSpace(t.Text) != "" {
			turn, asked = t.N, strings.Join(strings.Fields(t.Text), " ")
		}
	}
	return turn, asked
}

// itemsShown is how many items are given as the reason for one line.
const itemsShown = 4

// choose picks the items that explain the line: they mention the file, are from the same exchange, or share its words.
func (w *whyQuery) choose(items []index.Placed, from, to int) []payload.Item {
	type scored struct {
		item  payload.Item
		score int
	}
	var all []scored
	words := text.Words(w.blamed.Text + " " + w.blamed.Subject)
	for _, one := range items {
		it, score := one.Item, 0
		switch it.Kind {
		case payload.Decision, payload.Eliminated, payload.Finding:
			score = 1
		case payload.File, payload.Next, payload.Status:
			continue
		}
		if w.names.concerns(it) {
			score += 3
		}
		if from > 0 && slices.ContainsFunc(it.Evidence,
			func(e payload.Evidence) bool { return e.N >= from && e.N <= to+1 }) {
			score += 2
		}
		if score += min(words.Shared(text.Words(it.Text+" "+it.Why)), 3); score >= 3 {
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
