package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"recall/answer"
	"recall/cmd/recall/config"
	"recall/cmd/recall/terminal"
	"recall/index"
	"recall/library"
	"recall/pipeline"
	"recall/pipeline/guard"
)

// Fresh is SyncNew, and reports what isn't indexed yet.
func (a *App) Fresh(ctx context.Context) error {
	behind, err := a.SyncNew(ctx)
	if err == nil {
		a.SayBehind(behind)
	}
	return err
}

// SayBehind reports what an answer lacks, and has a background process do it.
func (a *App) SayBehind(behind answer.Behind) {
	if !behind.Any() {
		return
	}
	when := "run recall sync"
	if a.SyncRest() {
		when = "being imported now"
	}
	fmt.Fprintf(a.Err, "recall: this answer comes %s; %s\n", behind, when)
}

// asItIs reports whether a library isn't synced unasked: one that can't be written now, the demo's, and a backup named
// with --library, where people's own sessions don't belong.
func (a *App) asItIs() bool {
	return !a.Config.Query.Sync || a.Lib.ReadOnly() != nil || guard.IsDemo(a.Lib.Dir()) ||
		a.LibraryNamed() && a.Lib.IsBackup()
}

// SyncNew syncs before a question is answered, within query.budget, unless the library is used as it is.
func (a *App) SyncNew(ctx context.Context) (behind answer.Behind, err error) {
	if a.asItIs() {
		return behind, nil
	}
	a.TeamBeside(false)
	if os.Getenv(EnvSession) == "" { // a session that asks has grown
		since, same := a.Archiver().Unchanged()
		recent := time.Since(since) < pipeline.LookHolds
		if same && a.ReadIndex() == nil && (recent || a.SyncRest()) {
			return behind, nil
		}
	}
	a.Lib.LockWait(a.Config.Query.Budget)
	report, err := a.Sync(ctx, pipeline.Options{Budget: a.Config.Query.Budget})
	switch {
	case errors.Is(err, context.Canceled):
		return behind, err
	case errors.Is(err, library.ErrBusy): // nothing is wrong
		fmt.Fprintln(a.Err, "recall: another recall is importing new sessions; this answer might lack some of them")
	case err != nil:
		fmt.Fprintf(a.Err, "recall: warning: new sessions could not be imported: %v\n", err)
	}
	if n := len(report.Problems); n > 0 {
		fmt.Fprintf(a.Err, "recall: some new sessions could not be imported (%s); recall sync shows why\n",
			answer.Count(n, "fault"))
	}
	behind.Left, behind.Outdated, behind.Unrelated = report.Left-report.Outdated, report.Outdated, report.Unrelated
	return behind, nil
}

// UpToDate opens what history queries need: the library, synced, and the index.
func (a *App) UpToDate(ctx context.Context) (*pipeline.Pipeline, error) {
	if _, err := a.Library(ctx); err != nil {
		return nil, err
	}
	if err := a.Fresh(ctx); err != nil {
		return nil, err
	}
	if err := a.EnsureIndex(ctx); err != nil {
		return nil, err
	}
	return a.Pipeline(), nil
}

// Ask answers a person's question, and reports on stderr how it was interpreted. meanwhile shows the preliminary answer
// while a model looks at it; nil if nobody watches.
func (a *App) Ask(ctx context.Context, q answer.Question, meanwhile func(answer.Answer)) (answer.Answer, error) {
	said := false
	if show := meanwhile; show != nil {
		meanwhile = func(ans answer.Answer) {
			a.sayHow(&ans)
			said = true
			show(ans)
		}
	}
	model, why := a.secondLook(ctx, meanwhile)
	if why != "" {
		a.Tell("%s", why)
	}
	var ans answer.Answer
	err := a.withIndex(ctx, func() (err error) {
		ans, err = answer.Ask(ctx, a.Corrected(), model, q)
		return err
	})
	ans.LookBeyond(a.Lib, q.Project)
	if err == nil && !said {
		a.sayHow(&ans)
	}
	return ans, err
}

// Search queries only the index.
func (a *App) Search(ctx context.Context, q index.Query) (found index.Answer, err error) {
	err = a.withIndex(ctx, func() (err error) {
		found, err = a.Index.Search(ctx, q)
		return err
	})
	if err == nil {
		of := answer.Of(answer.Question{Query: q}, found)
		a.sayHow(&of)
	}
	return found, err
}

// Searched returns a short answer from the index alone.
func (a *App) Searched(ctx context.Context, text string) (answer.Answer, error) {
	q := answer.Question{Query: index.Query{Text: text, Limit: 3}, Most: 3}
	found, err := a.Search(ctx, q.Query)
	return answer.Of(q, found), err
}

// withIndex runs do on the index, with its vectors, building the index first if need be.
func (a *App) withIndex(ctx context.Context, do func() error) error {
	asking := func() error {
		a.UseVectors()
		return do()
	}
	err := a.EnsureIndex(ctx)
	if err == nil {
		err = asking()
	}
	if errors.Is(err, index.ErrRebuild) { // noticed only now
		if err = a.makeIndex(ctx); err == nil {
			err = asking()
		}
	}
	return err
}

// sayHow reports words of a question that were taken for a time or a project, and whether vectors weren't used.
func (a *App) sayHow(ans *answer.Answer) {
	if n := ans.Narrowed; len(n.Words) > 0 {
		how := "preferred"
		if len(ans.Listed) > 0 || strings.HasPrefix(strings.ToLower(n.Words[0]), "as ") {
			how = "searched only"
		}
		a.Tell("%s what is %s (“%s”)", how, spanOf(n), terminal.Line(strings.Join(n.Words, "”, “")))
	}
	if n := ans.Widened; len(n.Words) > 0 {
		a.Tell("found nothing %s (“%s”); searched everything", spanOf(n), terminal.Line(strings.Join(n.Words, "”, “")))
	}
	if ans.WithoutVectors {
		a.Tell("the embedding model gave no usable answer in time; searched by words alone")
	}
}

// spanOf words what a filter admits.
func spanOf(n index.Filters) string {
	var only []string
	if n.Project != "" {
		only = append(only, "in project "+terminal.Line(n.Project))
	}
	if !n.Since.IsZero() {
		only = append(only, "from "+n.Since.Local().Format(time.DateOnly))
	}
	if !n.Until.IsZero() {
		only = append(only, "before "+n.Until.Local().Format(time.DateOnly))
	}
	return strings.Join(only, ", ")
}

// Corrected returns the library's open index, which takes account of people's corrections in its answers.
func (a *App) Corrected() answer.Index { return corrected{a} }

type corrected struct{ *App }

func (c corrected) Search(ctx context.Context, q index.Query) (found index.Answer, err error) {
	if q.Corrected, err = c.Lib.Corrections(); err != nil {
		return found, err
	}
	return c.Index.Search(ctx, q)
}

// Served opens the library again for each call of a server: while the server runs, the library might be created, moved,
// repaired or reindexed.
type Served struct {
	app    *App
	taking sync.Mutex // held while a call syncs

	vectors atomic.Pointer[index.Vectors] // what a call has read of them, for the next one

	Kept *library.Library // shared by calls that don't sync; nil: each opens its own
}

// Served returns a Served for this run.
func (a *App) Served() *Served { return &Served{app: a} }

// Call returns the app of one call, with the configuration as it is now: a folder to leave out might have been added.
// Its output is discarded: stdout carries the protocol.
func (m *Served) Call() (*App, error) {
	c, err := config.Load(m.app.Flags, m.app.ConfigFile, config.ThisSystem())
	if err != nil {
		return nil, err
	}
	return &App{Console: terminal.Console{In: m.app.In, Out: io.Discard, Err: m.app.Err},
		ConfigFile: m.app.ConfigFile, Flags: m.app.Flags, Config: c}, nil
}

// Open opens the library for one call, which must close it: with the index if ask is set, and synced first if fresh is
// set. behind is what isn't indexed yet.
func (m *Served) Open(ctx context.Context, ask, fresh bool) (b *App, behind answer.Behind, err error) {
	if b, err = m.Call(); err != nil {
		return nil, behind, err
	}
	if m.Kept != nil && !fresh { // a sync changes the library's lock timeout
		b.Lib, b.shared = m.Kept, true
	}
	defer func() {
		if err != nil {
			b.Close()
		}
	}()
	if _, err = b.Library(ctx); err != nil {
		return b, behind, err
	}
	ctx = context.WithoutCancel(ctx) // whoever leaves meanwhile leaves no empty index behind
	if fresh && m.taking.TryLock() { // else another call is syncing
		behind, err = b.SyncNew(ctx)
		m.taking.Unlock()
	}
	if err == nil && ask {
		behind, err = m.indexed(ctx, b, behind)
	}
	if err == nil && behind.Any() {
		b.SyncRest()
	}
	return b, behind, err
}

// indexed opens the index for searching. A missing or unusable one is started within query.budget; the rest is built in
// the background.
func (m *Served) indexed(ctx context.Context, b *App, behind answer.Behind) (answer.Behind, error) {
	err := b.ReadIndex()
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, index.ErrRebuild) {
		m.taking.Lock()
		if behind, err = b.SyncNew(ctx); err == nil && b.Index == nil {
			err = b.EnsureIndex(ctx) // nothing was synced: build it from the library
		}
		m.taking.Unlock()
	}
	if err == nil {
		b.vectors = m.vectors.Load()
		b.UseVectors()
		m.vectors.Store(b.vectors)
	}
	return behind, err
}
