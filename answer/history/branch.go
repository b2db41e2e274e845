package history

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"recall/index"
	"recall/ingest"
	"recall/ingest/trace"
	"recall/internal/hint"
	"recall/library"
	"recall/payload"
	"recall/pipeline"
)

// Branch says why a range of commits was made.
type Branch struct {
	Schema   int       `json:"schema"` // 1
	Base     string    `json:"base"`   // hash of the commit before the range
	Head     string    `json:"head"`   // hash of its last commit
	Commits  []Commit  `json:"commits"`
	Sessions []Worker  `json:"sessions"` // sessions behind it, oldest first
	Sections []Section `json:"sections"` // what they say, without empty sections

	Doubted map[payload.ItemID]payload.Doubt `json:"doubted,omitempty"` // what may have replaced an item since
	From    map[payload.ItemID]string        `json:"from,omitempty"`    // if there are several sessions: which one said an item

	OlderLeft bool `json:"older_left,omitempty"` // the range has older commits that weren't checked
	FilesLeft int  `json:"files_left,omitempty"` // files of commits that no session made, for which none was searched
}

// Worker is a session behind a range, and how it was found.
type Worker struct {
	library.SessionRef
	By      string   `json:"by"`                // hash; time and message; files
	Commits []string `json:"commits,omitempty"` // hashes of the commits it made
	Files   []string `json:"files,omitempty"`   // files of commits that no session made and that it changed meanwhile
}

// Section is what sessions say under one heading.
type Section struct {
	About string         `json:"about"` // asked, decided, ruled out, found, open, said
	Items []payload.Item `json:"items"`
}

// branchSections are the headings of a branch, with their kinds.
var branchSections = []struct {
	about string
	kinds []payload.Kind
}{
	{"asked", []payload.Kind{payload.Goal}}, {"decided", []payload.Kind{payload.Decision}},
	{"ruled out", []payload.Kind{payload.Eliminated}}, {"found", []payload.Kind{payload.Finding}},
	{"open", []payload.Kind{payload.Next, payload.Deferred, payload.Question, payload.Flag}},
	{"said", []payload.Kind{payload.Lead}},
}

// Limits of what is told of a branch.
const (
	branchBudget = 2000 // tokens
	branchLeads  = 4    // passages per session
	branchFiles  = 300  // files for which sessions are searched
)

// BranchOf tells why the commits of a range (see commitsOf) in a folder's repository were made, from the project's
// sessions that made them or, for commits that none made, that changed their files meanwhile.
func BranchOf(ctx context.Context, p *pipeline.Pipeline, folder, project, spec string) (*Branch, error) {
	r, err := commitsOf(ctx, folder, spec)
	switch {
	case errors.Is(err, ErrNoGit):
		return nil, hint.With(err, "without it no commits are known; recall log shows what was decided")
	case errors.Is(err, ErrNoRepo):
		return nil, hint.With(err, "call recall why --pr inside the repository whose branch you mean")
	case errors.Is(err, ErrNoRange):
		return nil, hint.With(err, "name the commits as git log does: recall why --pr main..HEAD, recall why --pr HEAD~3")
	case err != nil:
		return nil, err
	}
	catalog, err := p.Library.Catalog()
	if err != nil {
		return nil, err
	}
	of := catalog.Project[project]
	w := workers{Pipeline: p, catalog: catalog, project: of.Name, commits: r,
		changed: map[string]map[string][]time.Time{}}
	if err := w.find(ctx); err != nil {
		return nil, err
	}
	slices.SortStableFunc(w.found, func(a, b Worker) int { return a.Start.Compare(b.Start) })
	doc := &Branch{Schema: 1, Base: r.base, Head: r.head, Commits: r.list, Sessions: w.found, Sections: []Section{},
		OlderLeft: r.older, FilesLeft: w.filesLeft}
	clean := p.Rules.Session().Text // a message may hold a secret
	for i := range doc.Commits {
		doc.Commits[i].Subject = clean(doc.Commits[i].Subject)
	}
	if len(doc.Sessions) == 0 {
		doc.Sessions = []Worker{}
		return doc, nil
	}
	var thread []payload.ThreadInfo
	for _, s := range doc.Sessions {
		thread = append(thread, payload.ThreadInfo{Session: s.Session})
	}
	said, err := pipeline.Compose(ctx, p.Library, p.Index, project, thread, catalog.In(of.ID))
	if err == nil && said != nil {
		doc.Sections, doc.Doubted = sectionsOf(said), said.Doubted
	}
	if len(doc.Sessions) > 1 {
		doc.From = map[payload.ItemID]string{}
		for _, s := range doc.Sections {
			for _, it := range s.Items {
				doc.From[it.ID] = said.Origins[it.ID].Session
			}
		}
	}
	return doc, err
}

// Doubt says in parentheses that an item may have been replaced; "" for others.
func (b *Branch) Doubt(it payload.Item) string {
	if d, ok := b.Doubted[it.ID]; ok {
		return " (" + d.Word(it.Kind) + ")"
	}
	return ""
}

// Unseen says what part of the range wasn't checked, "" if all was.
func (b *Branch) Unseen() string {
	var all []string
	if b.OlderLeft {
		all = append(all, fmt.Sprintf("its commits before the newest %d", mostCommits))
	}
	if b.FilesLeft > 0 {
		all = append(all, fmt.Sprintf("who changed %d more files of commits that no session made", b.FilesLeft))
	}
	return strings.Join(all, "; ")
}

// IDs returns the ids of all items.
func (b *Branch) IDs() (ids []string) {
	for _, s := range b.Sections {
		for _, it := range s.Items {
			ids = append(ids, string(it.ID))
		}
	}
	return ids
}

// sectionsOf returns what a payload says, limited to what a page of its own would show.
func sectionsOf(p *payload.Payload) []Section {
	p.Items = slices.DeleteFunc(p.Items, func(it payload.Item) bool {
		return it.Kind == payload.File || it.Kind == payload.Status || p.Origins[it.ID].Session == ""
	})
	page := payload.Options{Variant: payload.Handoff, Budget: branchBudget, Leads: branchLeads}
	shown := payload.Render(p, page).Shown
	sections := []Section{}
	for _, of := range branchSections {
		var items []payload.Item
		for _, it := range p.Items {
			kind := it.Kind
			if it.Rule == payload.TaskRule {
				kind = payload.Next // a task list puts it on record
			}
			if slices.Contains(of.kinds, kind) && slices.Contains(shown, it.ID) {
				items = append(items, it)
			}
		}
		if len(items) > 0 {
			sections = append(sections, Section{of.about, items})
		}
	}
	return sections
}

// workers finds the sessions behind a range.
type workers struct {
	*pipeline.Pipeline
	catalog *library.Catalog
	project string
	commits *commits
	found   []Worker

	filesLeft int
	changed   map[string]map[string][]time.Time // cache: when sessions changed files, by session and path
}

func (w *workers) find(ctx context.Context) error {
	var files []string // of commits that no session made
	for _, c := range w.commits.list {
		made, by, err := makersOf(ctx, w.Index, c, w.project)
		if err != nil {
			return err
		}
		made = slices.DeleteFunc(made, func(m index.Commit) bool { return m.Project != w.project })
		for _, m := range made {
			one := w.worker(m.Session, by)
			one.Commits = append(one.Commits, c.Hash)
		}
		if len(made) == 0 {
			files = append(files, c.files...)
		}
	}
	slices.Sort(files)
	files = slices.Compact(files)
	w.filesLeft = max(0, len(files)-branchFiles)
	for _, name := range files[:min(len(files), branchFiles)] {
		names, err := nameFile(w.Library, filepath.Join(w.commits.top, filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		touched, err := names.touched(ctx, w.Index)
		if err != nil {
			return err
		}
		for _, t := range touched {
			if t.Project != w.project || !w.meanwhile(ctx, t) {
				continue
			}
			one := w.worker(t.Session, byFiles)
			if one.By == byFiles && !slices.Contains(one.Files, name) {
				one.Files = append(one.Files, name)
			}
		}
	}
	return nil
}

// byFiles marks a session that changed the files of a range meanwhile.
const byFiles = "files"

// worker returns the entry of a session among those found, adding it if needed.
func (w *workers) worker(session, by string) *Worker {
	i := slices.IndexFunc(w.found, func(o Worker) bool { return o.Session == session })
	if i < 0 {
		i = len(w.found)
		w.found = append(w.found, Worker{SessionRef: w.catalog.Ref(session), By: by})
	}
	return &w.found[i]
}

// meanwhile reports whether a session changed a file within the range. The index only has the last touch; if that
// doesn't decide, the session is read.
func (w *workers) meanwhile(ctx context.Context, t index.FileTouch) bool {
	last := w.commits.last.Add(time.Minute) // clients' clocks may differ, and git rounds to seconds
	meanwhile := func(at time.Time) bool { return !at.Before(w.commits.from) && !at.After(last) }
	switch read := slices.Contains(t.Hows, trace.Read); {
	case read && len(t.Hows) == 1, t.At.Before(w.commits.from), w.catalog.Ref(t.Session).Start.After(last):
		return false
	case !read && meanwhile(t.At):
		return true
	}
	return slices.ContainsFunc(w.changes(ctx, t.Session)[t.Path], meanwhile)
}

// changes returns when a session changed files, by path; nothing if it can't be read.
func (w *workers) changes(ctx context.Context, session string) map[string][]time.Time {
	if known, ok := w.changed[session]; ok {
		return known
	}
	all := map[string][]time.Time{}
	w.changed[session] = all
	s, err := w.Read(ctx, ingest.SessionID(session))
	if err != nil {
		return all
	}
	for _, a := range trace.Actions(s) {
		for _, t := range a.Touches {
			if t.How == trace.Read || t.Unsure || a.Copied {
				continue
			}
			all[t.Path] = append(all[t.Path], a.At)
			if t.How == trace.Rename {
				all[t.From] = append(all[t.From], a.At)
			}
		}
	}
	return all
}

// ErrNoRange says that there is no range, or that it is empty.
var ErrNoRange = errors.New("no range of commits")

// commits is a range of commits.
type commits struct {
	top        string    // the repository's work tree
	base, head string    // hashes; base is excluded
	from, last time.Time // commit times of the merge base (zero if there is none) and of the newest
	list       []Commit  // newest first
	older      bool      // there are older ones
}

// mostCommits is how many of a range's newest commits are checked.
const mostCommits = 1000

// trunks are the default branches to try, in order.
var trunks = []string{"refs/remotes/origin/HEAD", "refs/remotes/origin/main", "refs/remotes/origin/master",
	"refs/heads/main", "refs/heads/master", "refs/heads/trunk"}

// commitsOf reads a range of a folder's repository: A..B, A...B, or A for A..HEAD; "" means what HEAD has beyond the
// default branch. Names are resolved in the repository itself, which runs nothing; for the rest see openRepository.
func commitsOf(ctx context.Context, folder, spec string) (*commits, error) {
	repo, err := openRepository(ctx, folder)
	if err != nil {
		return nil, err
	}
	defer repo.close()
	from, to, fork := spec, "HEAD", spec == ""
	if a, b, ok := strings.Cut(spec, ".."); ok {
		from, to, fork = cmp.Or(a, "HEAD"), cmp.Or(strings.TrimPrefix(b, "."), "HEAD"), strings.HasPrefix(b, ".")
	}
	names := []string{from}
	if spec == "" {
		names = trunks
	}
	c := &commits{top: repo.top}
	for _, name := range names {
		if c.base = commitNamed(ctx, folder, name); c.base != "" {
			break
		}
	}
	c.head = commitNamed(ctx, folder, to)
	switch {
	case c.base == "" && spec == "":
		return nil, fmt.Errorf("%w: no default branch found that this one could come from", ErrNoRange)
	case c.base == "":
		return nil, fmt.Errorf("%w: git knows no commit %q", ErrNoRange, line(from))
	case c.head == "":
		return nil, fmt.Errorf("%w: git knows no commit %q", ErrNoRange, line(to))
	}
	out, err := repo.git(ctx, nil, "merge-base", c.base, c.head)
	switch common := strings.TrimSpace(string(out)); {
	case err == nil:
		if out, err = repo.git(ctx, nil, "log", "-1", "--format=%ct", common); err != nil {
			return nil, err
		}
		c.from = unixText(strings.TrimSpace(string(out)))
		if fork {
			c.base = common
		}
	case fork:
		return nil, fmt.Errorf("%w: the two have no commit in common", ErrNoRange)
	}
	return c, c.read(ctx, repo)
}

// commitNamed returns the hash of the commit that a name stands for, "" if there is none.
func commitNamed(ctx context.Context, folder, name string) string {
	out, err := runGit(ctx, folder, nil, nil, "rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

func (c *commits) read(ctx context.Context, r *repository) error {
	out, err := r.git(ctx, nil, "log", fmt.Sprintf("--max-count=%d", mostCommits+1), "--no-renames", "--name-only",
		"--format=%x00%H%n%s%n%an%n%at%n%ct", c.base+".."+c.head)
	if err != nil {
		return err
	}
	for i, one := range strings.Split(string(out), "\x00")[1:] {
		if c.older = i == mostCommits; c.older {
			break
		}
		rows := strings.Split(strings.TrimRight(one, "\n"), "\n")
		if len(rows) < 5 {
			return fmt.Errorf("git log answers %q", line(one))
		}
		files := slices.DeleteFunc(rows[5:], func(name string) bool { return name == "" })
		at := unixText(rows[4])
		if c.last.Before(at) {
			c.last = at
		}
		c.list = append(c.list, Commit{Hash: rows[0], Subject: rows[1], Author: rows[2], At: unixText(rows[3]),
			committed: at, files: files})
	}
	if len(c.list) == 0 {
		return fmt.Errorf("%w: nothing between %.10s and %.10s", ErrNoRange, c.base, c.head)
	}
	return nil
}
