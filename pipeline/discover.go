package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"recall/ingest"
	"recall/library"
	"recall/library/disk"
)

// foundIn is what a reader found in one of the folders that are searched.
type foundIn struct {
	root     string
	sessions []ingest.Found
	memory   ingest.Found // what the client remembers beside them
	problems []ingest.Problem
}

// search searches every folder that may hold sessions: from, or else the sources' roots. Files that known reports
// needn't be read again.
func (p *Archiver) search(ctx context.Context, from []string, known ingest.Seen) (all []foundIn) {
	for _, reader := range p.Readers {
		roots := from
		if len(from) == 0 {
			roots = p.RootsOf(reader)
		}
		for _, root := range roots {
			in := foundIn{root: root}
			in.sessions, in.problems = reader.Find(ctx, root, known)
			if len(from) == 0 {
				var bad []ingest.Problem
				in.memory, bad = ingest.MemoryOf(reader, root, p.Unwanted(nil))
				in.problems = append(in.problems, bad...)
			}
			all = append(all, in)
		}
	}
	return all
}

// searches reports whether this run searches the sources.
func (r *run) searches() bool {
	return r.options.salvaged == nil && !r.options.Reindex && r.options.Only == ""
}

// find searches the sources, if this run does.
func (r *run) find(ctx context.Context) []foundIn {
	if !r.searches() {
		return nil
	}
	return r.p.search(ctx, r.options.From, r.seen.sessionOf)
}

// discover lists the sessions of all sources that changed since they were last processed.
func (r *run) discover(ctx context.Context, all []foundIn) []ingest.Found {
	if !r.searches() {
		return r.options.salvaged
	}
	var changed, owned []ingest.Found
	var places []string // the sources' own
	for _, in := range all {
		found := in.sessions
		r.report.Found += len(found)
		r.report.Problems = append(r.report.Problems, in.problems...)
		if len(in.memory.Files) > 0 {
			found, r.memories = append(found, in.memory), append(r.memories, in.memory)
		}
		if len(r.options.From) == 0 {
			places, owned = append(places, in.root), append(owned, found...)
		}
		for _, f := range found {
			r.found[f.ID] = true
			if !r.seen.has(f, !r.bytesOnly) {
				changed = append(changed, f)
			}
		}
	}
	if ctx.Err() == nil { // otherwise the search was incomplete
		for path, f := range r.seen.files { // the library has nothing of it that could be gone
			if r.seen.excluded[f.Session] != "" && !r.found[f.Session] && len(r.options.From) == 0 {
				r.seen.dropFile(path)
			}
		}
		changed = append(changed, r.vanished(places, owned, changed)...)
	}
	// The newest first: if time runs out, what is being worked on is done.
	slices.SortStableFunc(changed, func(a, b ingest.Found) int { return cmp.Compare(modified(b), modified(a)) })
	return changed
}

func modified(f ingest.Found) int64 {
	var last int64
	for _, file := range f.Files {
		last = max(last, file.Mod.UnixNano())
	}
	return last
}

// Place is a folder that is searched for sessions.
type Place struct {
	Source ingest.Source `json:"source"`
	Folder string        `json:"folder"`
	There  bool          `json:"there"`
}

// Places lists the folders that are searched for sessions.
func (p Sources) Places() []Place {
	all := []Place{}
	for _, r := range p.Readers {
		for _, root := range p.RootsOf(r) {
			_, err := os.Stat(root)
			all = append(all, Place{r.Source(), root, err == nil})
		}
	}
	return all
}

// Unsearched is a folder that sessions were found under, that is still there, and that isn't searched now: one imported
// once, or that of another CLAUDE_CONFIG_DIR.
type Unsearched struct {
	Source   ingest.Source `json:"source"`
	Folder   string        `json:"folder" show:"path"`
	Sessions int           `json:"sessions"` // archived from there
	Behind   int           `json:"behind"`   // of them, those that have changed there since
}

// Unsearched lists the folders that sessions of the library came from and that no source searches.
func (p Sources) Unsearched(entries []library.Entry) (list []Unsearched) {
	searched, at := p.Places(), map[string]int{}
	for _, e := range entries {
		i, known := at[e.Root]
		if !known {
			i = -1
			covers := func(s Place) bool { return disk.Below(disk.RealPath(s.Folder), disk.RealPath(e.Root)) }
			if ingest.IsFolder(e.Root) && !slices.ContainsFunc(searched, covers) {
				i, list = len(list), append(list, Unsearched{Source: e.Source, Folder: e.Root})
			}
			at[e.Root] = i
		}
		if i < 0 {
			continue
		}
		list[i].Sessions++
		if state, _ := e.State(nil); state == library.Behind {
			list[i].Behind++
		}
	}
	return list
}

// RootsOf lists the folders that a reader searches.
func (p Sources) RootsOf(reader ingest.Reader) []string {
	if roots, ok := p.Roots[reader.Source()]; ok {
		return roots
	}
	return reader.Roots()
}

// AtSource reports whether a client's folders hold a session with this id.
func (p *Pipeline) AtSource(ctx context.Context, id ingest.SessionID) bool {
	return slices.ContainsFunc(p.search(ctx, nil, p.lastSeen()), func(in foundIn) bool {
		return slices.ContainsFunc(in.sessions, func(f ingest.Found) bool { return f.ID == id })
	})
}

// archived returns a session as the library has it, with its reader.
func (p *Archiver) archived(e library.Entry) (ingest.Reader, ingest.Found, error) {
	reader, err := p.reader(e.Source)
	if err != nil {
		return nil, ingest.Found{}, err
	}
	found, err := p.Library.Found(e.ID)
	return reader, found, err
}

// reader returns the reader of a source, for sessions read back from the library.
func (p Sources) reader(s ingest.Source) (ingest.Reader, error) {
	for _, r := range p.Readers {
		if r.Source() == s || r.Source().Memory() == s {
			return r, nil
		}
	}
	return nil, fmt.Errorf("no reader for sessions of %q: made by a newer recall?", s)
}

// vanished lists the sessions with a known file below the searched roots that wasn't found any more, except those
// that changed anyway. The library checks for itself: that a place couldn't be read proves nothing.
func (r *run) vanished(roots []string, found, changed []ingest.Found) (all []ingest.Found) {
	there, of, anyway := map[string]bool{}, map[ingest.SessionID]ingest.Found{}, map[ingest.SessionID]bool{}
	for _, f := range found {
		of[f.ID] = f
		for _, file := range f.Files {
			there[file.Path] = true
		}
	}
	for _, f := range changed {
		anyway[f.ID] = true
	}
	for _, root := range slices.Clone(roots) {
		roots = append(roots, disk.RealPath(root))
	}
	for path, f := range r.seen.files {
		if !there[path] && slices.ContainsFunc(roots, func(root string) bool {
			rest, ok := strings.CutPrefix(path, root)
			return ok && rest != "" && rest[0] == filepath.Separator
		}) {
			r.gone[f.Session] = append(r.gone[f.Session], path)
		}
	}
	for id := range r.gone {
		if !anyway[id] {
			f, known := of[id]
			if f.ID = id; !known {
				f = r.unrecognized(f)
			}
			all = append(all, f)
		}
	}
	slices.SortFunc(all, func(a, b ingest.Found) int { return cmp.Compare(a.ID, b.ID) })
	return all
}

// unrecognized adds to a session the files that are where it was, but in which no reader sees one any more. An empty
// one has nothing to archive.
func (r *run) unrecognized(f ingest.Found) ingest.Found {
	e, err := r.p.Library.Session(f.ID)
	if err != nil {
		return f
	}
	f.Source, f.Root = e.Source, e.Root
	files := slices.Clone(e.Files)
	slices.SortFunc(files, func(a, b library.FileState) int { return cmp.Compare(a.Place, b.Place) })
	for _, have := range files {
		for _, src := range have.Sources {
			file, err := ingest.FileNow(have.Name, have.Role, src.Path)
			if err == nil && src.Path != "" && file.Size > 0 {
				f.Files = append(f.Files, file)
			}
		}
	}
	return f
}

// Excludes returns the rule that leaves out a session in its current state at the source, or "". What the library
// already has of it stays. This requires parsing the session, but only if some rule could apply.
func (p Sources) Excludes(ctx context.Context, f ingest.Found) (rule string, err error) {
	x := p.Exclusion
	if f.Source.IsMemory() || len(f.Files) == 0 || !x.Any() {
		return "", nil
	}
	reader, err := p.reader(f.Source)
	if err != nil {
		return "", err
	}
	err = Safely("parse", func() error {
		s, err := reader.Parse(ctx, f)
		if err == nil {
			rule = x.Session(s)
		}
		return err
	})
	return rule, err
}

// Excluded returns the sessions that today's rules leave out, as far as runs have found any, each with its rule.
// Sessions that a client has deleted stay listed: it may remember what was typed in them.
func (p *Archiver) Excluded() map[ingest.SessionID]string {
	x, all := p.Exclusion, map[ingest.SessionID]string{}
	if p.Cache == "" || !x.Any() {
		return all
	}
	t := openSeen(p.Cache, false)
	maps.Copy(all, t.excluded)
	_ = t.close() // nothing was changed
	maps.DeleteFunc(all, func(_ ingest.SessionID, rule string) bool { return !x.Has(rule) })
	return all
}

// Unwanted returns a function that reports whether something a client remembers beside its sessions is left out too;
// nil if nothing is. Beside those of earlier runs, the sessions of out are left out.
func (p *Archiver) Unwanted(out map[ingest.SessionID]string) func(id ingest.SessionID, dir string) bool {
	x, all := p.Exclusion, p.Excluded()
	maps.Copy(all, out)
	if p.Library != nil {
		gone, _ := p.Library.Tombstones()
		held, _ := p.Library.AllFrozen()
		for _, id := range slices.Concat(gone, held) {
			all[id] = "forgotten"
		}
	}
	if !x.Any() && len(all) == 0 {
		return nil
	}
	return func(id ingest.SessionID, dir string) bool {
		unknown := id == "" && dir == "" // nothing is known of it
		return unknown && x.Any() || all[id] != "" || x.Folder(dir) != ""
	}
}

// ExclusionRule is a rule that leaves sessions out.
type ExclusionRule struct {
	Rule     string `json:"rule"`     // "sources.exclude FOLDER"
	Sessions int    `json:"sessions"` // left out so far
	Held     int    `json:"held"`     // of a folder rule: archived before the rule
}

// LeftOut lists all rules, even those that leave nothing out.
func (p *Archiver) LeftOut(catalog *library.Catalog) (all []ExclusionRule) {
	x, by := p.Exclusion, map[string]*ExclusionRule{}
	of := func(rule string) *ExclusionRule {
		if by[rule] == nil {
			by[rule] = &ExclusionRule{Rule: rule}
		}
		return by[rule]
	}
	for _, rule := range x.Rules() {
		of(rule)
	}
	for _, rule := range p.Excluded() {
		of(rule).Sessions++
	}
	for _, e := range catalog.Entries {
		of(x.Folder(catalog.Of(e).Root)).Held++
	}
	delete(by, "")
	for _, rule := range slices.Sorted(maps.Keys(by)) {
		all = append(all, *by[rule])
	}
	return all
}

// saidLately is how long a session must have been quiet before only its prompts are salvaged: until then its
// transcript may still appear.
const saidLately = time.Hour

// salvage takes in the sessions of which a client only remembers what was typed, because it deleted their
// transcripts before they were archived. It runs after everything else is processed, since sessions also go by other
// ids, and again when a client's memory changes.
func (p *Pipeline) salvage(ctx context.Context, rep *Report) error {
	all, err := p.Library.AllEntries()
	if err != nil || p.Library.ReadOnly() != nil || len(p.Library.Broken()) > 0 {
		return err // a session that can't be read right now may still have been archived
	}
	seen := openSeen(p.Cache, false)
	defer seen.close()
	known := map[ingest.SessionID]int64{} // bytes of typed prompts; -1 for sessions with more than that
	for _, e := range all {
		known[e.ID] = -1
		if len(e.Files) == 1 && e.Files[0].Role == ingest.PromptLog {
			known[e.ID] = e.Files[0].Size
		}
		for _, id := range e.Aliases {
			known[id] = -1
		}
	}
	every := true
	for _, memory := range all {
		if !memory.Source.IsMemory() || seen.facts[salvaged+fact(" "+memory.ID)] == memory.Input {
			continue
		}
		left, whole, skipped, err := p.typedOnly(ctx, memory, known)
		if err != nil {
			rep.problem(memory.Folder, err)
			every = false
			continue
		}
		if u, any := unread(memory, skipped, func(path string) string { return path }); any {
			rep.Unread = append(rep.Unread, u)
		}
		if len(left) > 0 {
			was, problems := rep.New, len(rep.Problems)
			if err := p.syncOnce(ctx, Options{salvaged: left}, rep); err != nil {
				return err
			}
			rep.Salvaged += rep.New - was
			whole = whole && len(rep.Problems) == problems && rep.Left == 0
		}
		if whole {
			seen.setFact(salvaged+fact(" "+memory.ID), memory.Input)
		}
		every = every && whole
	}
	if every {
		seen.setFact(salvaged, "yes")
	}
	return errors.Join(ctx.Err(), seen.save())
}

// typedOnly lists what a memory has of sessions that aren't known otherwise. whole reports whether that is
// everything: it isn't if something was typed in one just now.
func (p *Pipeline) typedOnly(ctx context.Context, memory library.Entry, known map[ingest.SessionID]int64) (
	left []ingest.Found, whole bool, skipped ingest.Report, err error) {
	reader, found, err := p.archived(memory)
	if err != nil {
		return nil, false, skipped, err
	}
	of, ok := reader.(ingest.Salvager)
	if !ok {
		return nil, true, skipped, nil
	}
	left, skipped, err = of.Salvage(ctx, found,
		func(id ingest.SessionID) bool { return known[id] >= 0 })
	before := len(left)
	left = slices.DeleteFunc(left, func(f ingest.Found) bool { return p.Time().Sub(f.Files[0].Mod) < saidLately })
	whole = len(left) == before
	excluded := p.Excluded()
	left = slices.DeleteFunc(left, func(f ingest.Found) bool {
		gone, fault := p.Library.Forgotten(f.ID)
		err = errors.Join(err, fault)
		return gone || excluded[f.ID] != "" || known[f.ID] == f.Files[0].Size
	})
	return left, whole, skipped, err
}
