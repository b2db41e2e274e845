package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"recall/answer"
	"recall/answer/last"
	"recall/cmd/recall/terminal"
	"recall/index"
	"recall/ingest"
	"recall/internal/hint"
	txt "recall/internal/text"
	"recall/library"
	"recall/library/received"
	"recall/payload"
	"recall/pipeline"
	"recall/prompts"
)

// EnvSession is the variable in which Claude Code tells its MCP servers the running session.
const EnvSession = "CLAUDE_CODE_SESSION_ID"

// EnsureIndex opens the index for reading, building it first if need be.
func (a *App) EnsureIndex(ctx context.Context) error {
	err := a.ReadIndex()
	if errors.Is(err, errHoldsForgotten) { // a forget is running or was interrupted
		return a.OnIndex(ctx, func(p *pipeline.Pipeline) error { return p.FinishForgetting(ctx) })
	}
	if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, index.ErrRebuild) {
		return err
	}
	return a.makeIndex(ctx)
}

func (a *App) makeIndex(ctx context.Context) error {
	fmt.Fprintln(a.Err, "recall: rebuilding the index from the library; this takes a while, once")
	return a.Reindex(ctx)
}

// Named opens the library and finds the session in it that a person names.
func (a *App) Named(ctx context.Context, name string) (library.Entry, error) {
	if _, err := a.Library(ctx); err != nil {
		return library.Entry{}, err
	}
	return a.Session(name)
}

// Sessions finds the sessions that a person names.
func (a *App) Sessions(names []string) (all []library.Entry, err error) {
	for _, name := range names {
		e, err := a.Session(name)
		if err != nil {
			return nil, err
		}
		all = append(all, e)
	}
	return all, nil
}

// Session finds the session that a person names; a number of the last answer means that result's session. A project's
// name isn't matched as part of a title.
func (a *App) Session(name string) (library.Entry, error) {
	of, none := a.Lib.Project(name)
	if none != nil {
		return a.session(name, a.Lib.Lookup)
	}
	e, err := a.session(name, a.Lib.LookupWhole) // the project's name might be part of a title
	if errors.Is(err, library.ErrNoSession) {
		err = hint.With(fmt.Errorf("%q is a project, not a session", name),
			"recall list --project %q lists its sessions", of.Name)
	}
	return e, err
}

func (a *App) session(name string, lookup func(string) (library.Entry, error)) (library.Entry, error) {
	if h, ok, err := a.Numbered(name); ok {
		switch {
		case err == nil:
			name = string(h.Session)
		case errors.As(err, new(last.NotShown)): // no title that happens to have the number
			return library.Entry{}, err
		default:
			lookup = a.Lib.LookupWhole // nor if nothing was shown
		}
	}
	e, err := lookup(name)
	var many *library.AmbiguousError
	switch {
	case errors.As(err, &many):
		catalog, lost := a.Lib.Catalog()
		if lost != nil {
			return e, lost
		}
		var list []string
		for _, c := range many.Candidates[:min(len(many.Candidates), 5)] {
			list = append(list, Listed(catalog, c))
		}
		return e, hint.With(err, "name it as recall list does: %s", strings.Join(list, ", "))
	case errors.Is(err, library.ErrNoSession):
		return e, hint.With(err, "recall list shows all; name a session as it does (project#2), by its title or the "+
			"beginning of its id; an answer by its number or its id")
	}
	return e, err
}

// Running finds the session that recall was called from, else the latest of the current project.
func (a *App) Running() (library.Entry, error) {
	if id := os.Getenv(EnvSession); id != "" {
		if e, err := a.Lib.Lookup(id); !errors.Is(err, library.ErrNoSession) {
			return e, err
		}
	}
	project, _, err := a.ResolveProject("")
	if err != nil {
		return library.Entry{}, err
	}
	catalog, err := a.Lib.Catalog()
	if err != nil {
		return library.Entry{}, err
	}
	return catalog.Last(project)
}

// Listed returns a session's name as in recall list, with its title.
func Listed(catalog *library.Catalog, e library.Entry) string {
	name := terminal.Line(payload.Handle(catalog.Of(e).Name, catalog.Number[string(e.ID)]))
	return fmt.Sprintf("%s %q", name, txt.Clip(terminal.Line(e.Title), 40))
}

// ResolveThread is ResolveProject for a name that may also be a session's: of is that session, project its own.
func (a *App) ResolveThread(name string) (project, branch string, of ingest.SessionID, err error) {
	project, branch, err = a.ResolveProject(name)
	if !errors.Is(err, library.ErrNoProject) {
		return project, branch, "", err
	}
	// Part of a title might be a mistyped project.
	e, none := a.session(name, a.Lib.LookupWhole)
	if errors.Is(none, library.ErrNoSession) && !strings.Contains(name, "#") { // billing#9 can only be a session
		return "", "", "", hint.With(err, "recall project list shows the projects; a session is named by its whole "+
			"title here, or as recall list does")
	}
	return e.Project, "", e.ID, none
}

// ProjectID returns the id of the named project; "" for "".
func (a *App) ProjectID(name string) (string, error) {
	if name == "" {
		return "", nil
	}
	p, err := a.ProjectNamed(name)
	return p.ID, err
}

// ProjectNamed returns the project that a person names.
func (a *App) ProjectNamed(name string) (library.Project, error) {
	p, err := a.Lib.Project(name)
	if errors.Is(err, library.ErrNoProject) {
		err = hint.With(err, "recall project list shows them")
		e, none := a.Lib.LookupWhole(name)
		if of, lost := a.Lib.Project(e.Project); none == nil && lost == nil {
			err = hint.With(err, "that is a session; its project is %q", of.Name)
		}
	}
	return p, err
}

// ProjectAsked returns the name of the project that a question is about, which only others' payloads may name.
func (a *App) ProjectAsked(name string) (string, error) {
	p, err := a.ProjectNamed(name)
	if errors.Is(err, library.ErrNoProject) {
		handed, err := a.handedOver(name, err)
		if err != nil {
			return "", err
		}
		return handed.Project, nil
	}
	return p.Name, err
}

// Compose makes the payload of a session or of a project's thread, by name, or of the current project's for "".
func (a *App) Compose(ctx context.Context, name string) (*payload.Payload, error) {
	project, branch, of, err := a.ResolveThread(name)
	if err != nil {
		return a.handedOver(name, err)
	}
	var p *payload.Payload
	if of != "" {
		p, err = pipeline.SessionPayload(ctx, a.Lib, a.IndexIfThere(), project, of)
	} else {
		p, err = pipeline.NextPayload(ctx, a.Lib, a.IndexIfThere(), project, branch, "")
	}
	if err == nil && p == nil {
		err = hint.With(errors.New("no session to continue from"), "recall sync imports sessions; recall list shows them")
		return a.handedOver(name, err)
	}
	return p, err
}

// handedOver returns what was accepted from others for a project without a session here: by its name, or that of the
// clone that is the working directory. If there is none, the error is unknown, with what waits for a review.
func (a *App) handedOver(name string, unknown error) (*payload.Payload, error) {
	remote := ""
	if dir, err := os.Getwd(); name == "" && err == nil {
		if clone, ok := ingest.ProjectIn(dir); ok {
			name, remote = clone.Name, clone.Remote
		}
	}
	p, err := pipeline.HandedOver(a.Lib, name, remote)
	if n := received.Handed(a.Lib); p == nil && n > 0 {
		unknown = hint.With(unknown, "%s handed over by others: recall review shows what waits, recall review "+
			"--accept takes it", answer.Count(n, "item"))
	}
	if p == nil {
		err = unknown
	}
	return p, err
}

// RenderPayload renders a payload as the start of the next session. Without a variant or budget the configured one
// counts.
func (a *App) RenderPayload(p *payload.Payload, variant string, budget int) string {
	return payload.Render(p, a.PayloadForm(variant, budget)).Text + "\n" + prompts.Confirm.Text() + "\n"
}

// PayloadForm returns how a payload is rendered.
func (a *App) PayloadForm(variant string, budget int) payload.Options {
	return payload.Options{Variant: payload.Variant(cmp.Or(variant, a.Config.Payload.Variant)),
		Budget: cmp.Or(budget, a.Config.Payload.Budget)}
}

// ResolveProject returns the project that a person means, by name or by the working directory, and the branch checked
// out there.
func (a *App) ResolveProject(name string) (project, branch string, err error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", "", err
	}
	if name == "" {
		return pipeline.RequireProject(a.Lib, dir)
	}
	project, err = a.ProjectID(name)
	if here, hereBranch := pipeline.ProjectAt(a.Lib, dir); project == here {
		branch = hereBranch
	}
	return project, branch, err
}

// ProjectFilter returns the name in the index of the project that a list is limited to: the named one, else the
// current one; "" for all.
func (a *App) ProjectFilter(name string, all bool) (string, error) {
	if all {
		return "", nil
	}
	id, _, err := a.ResolveProject(name)
	if err != nil {
		return "", err
	}
	p, err := a.Lib.Project(id)
	return p.Name, err
}

// Payload reads a session's payload.
func (a *App) Payload(e library.Entry) (*payload.Payload, error) {
	p, err := a.Lib.Payload(e.ID)
	if errors.Is(err, library.ErrNoPayload) {
		way := "recall sync distills it"
		if e.Source.IsMemory() {
			way = "it is what a client noted, not a session: recall query and recall grep search it"
		}
		return nil, hint.With(err, "%s", way)
	}
	return p, err
}

// LastDir is the folder that records what terminals were last shown: see package last.
func LastDir(l *library.Library) string { return filepath.Join(CacheDir(l), "last") }

// Remember records what was shown, by its numbers.
func (a *App) Remember(question string, hits []last.Hit) {
	last.Remember(LastDir(a.Lib), question, hits)
}

// Numbered finds a result of the last answer, if a person names one by its number.
func (a *App) Numbered(arg string) (h last.Hit, is bool, err error) {
	n, is := last.Number(arg)
	if is {
		h, err = last.Find(LastDir(a.Lib), n)
	}
	return h, is, err
}

// Hit finds the place that a person names: by a number of the last answer, as a session, optionally with a turn or
// turns up to another, or by an item's id. A session alone has no turn.
func (a *App) Hit(ctx context.Context, arg string) (h last.Hit, to int, err error) {
	h, numbered, none := a.Numbered(arg)
	if numbered && (none == nil || errors.As(none, new(last.NotShown))) {
		return h, 0, none
	}
	e, err := a.Session(arg)
	if name, first, until := payload.CutTurns(arg); errors.Is(err, library.ErrNoSession) && first > 0 {
		h.N, to = first, until
		e, err = a.Session(name)
	}
	if err == nil {
		h.Session = e.ID
		return h, to, nil
	}
	if numbered || !errors.Is(err, library.ErrNoSession) {
		return last.Hit{}, 0, cmp.Or(none, err)
	}
	p, itemErr := a.Item(ctx, arg)
	if errors.Is(itemErr, index.ErrNoItem) {
		return last.Hit{}, 0, err
	}
	return last.Of(p.Place, p.Turn, "", &p.Item), 0, itemErr
}

// Item finds the item that a person names by its id, the beginning of it, or a number of the last answer. For a
// passage it is the item that quotes it, or a lead without an id.
func (a *App) Item(ctx context.Context, arg string) (index.Placed, error) {
	if err := a.EnsureIndex(ctx); err != nil {
		return index.Placed{}, err
	}
	id := payload.ItemID(strings.ToLower(strings.TrimSpace(arg)))
	if h, ok, err := a.Numbered(arg); ok {
		switch {
		case err != nil:
			return index.Placed{}, err
		case h.Said != nil:
			return h.Quoted(ctx, a.Index)
		}
		if id = h.Item; id == "" {
			return index.Placed{}, hint.With(fmt.Errorf("%s is a place in a transcript, not an item", arg),
				"recall show %s shows it", arg)
		}
	}
	p, err := a.Index.ItemByID(ctx, id)
	if errors.Is(err, index.ErrNoItem) {
		p.Item.ID = id
		err = hint.With(err, "name an item by its number in the last answer (1, 2, …) or by its id: "+
			"recall query --json, recall show --json")
	}
	return p, err
}

// IndexReceived indexes accepted handoffs. If there is no index yet, the next one built includes them.
func (a *App) IndexReceived(ctx context.Context) error {
	if _, err := os.Stat(IndexPath(a.Lib)); err != nil {
		return nil
	}
	return a.OnIndex(ctx, func(p *pipeline.Pipeline) error { return p.IndexReceived(ctx) })
}
