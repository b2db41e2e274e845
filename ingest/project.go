package ingest

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Project is what a session belongs to, usually the root of a git repository. It is derived from where the session
// says it ran, never from its file's slug, which can't be reversed.
type Project struct {
	Root string // its folder; "" if it is only a name (a Cowork space, or none)
	Name string // Root's last name, the space's name, or NoProject; never ""
	How  string // how it was found: repository, worktree, folder, known, gone, cowork-folder, space, none
	Was  string // the known Root.Dir that this project was moved from, "" if it wasn't

	Remote, Birth string // of its repository, see Repository; "" if it isn't one

	// Root and Name for display, "" where they hold no secret. Projects are distinguished by the exact ones.
	ShownRoot, ShownName string
}

// Clean fills in ShownRoot and ShownName; show redacts a text.
func (p *Project) Clean(show func(string) string) {
	if p.ShownRoot = MapPath(p.Root, show); p.ShownRoot == p.Root {
		p.ShownRoot = ""
	}
	p.ShownName = show(p.Name)
	if p.ShownRoot != "" { // a secret can extend across a "/"
		p.ShownName = show(projectAt(p.ShownRoot, p.How).Name)
	}
	if p.ShownName == p.Name {
		p.ShownName = ""
	}
}

// NoProject is the name for sessions that don't say where they belong.
const NoProject = "none"

// A Root is a project's folder as the library remembers it.
type Root struct {
	Dir    string   // where it is, or was when last seen
	Former []string // where it has been: sessions from there belong to it, unless another repository lives there now
	Merged []string // folders that a person has declared to be the same project

	Remote, Birth string // as last returned by ProjectOf
}

// ProjectOf finds a session's project: the folder in which most of its turns ran, counting sub-folders and worktrees
// towards their repository's main root; for a Cowork session the first folder given to it, then its space. Where the
// folder exists, the file system decides; where it doesn't, the known roots, then the session's other folders.
//
// A known root's Dir stands for all folders that it ever was. If that is gone while its repository exists elsewhere, it
// has been moved: Was then names it, and the caller should record the new location.
func ProjectOf(s *Session, known []Root) Project {
	r := resolver{session: s, known: known}
	if p, ok := r.byFolders(); ok {
		return r.byKnown(p)
	}
	if s.Where.Space != "" {
		return Project{Name: s.Where.Space, How: "space"}
	}
	return Project{Name: NoProject, How: "none"}
}

// Work is where a session did more than look around.
type Work struct {
	In      []string // directories: where a person asked, a sub-agent worked or a commit was made; what Cowork was given
	Changed []string // files
}

// Least share of a session's turns, and least number, that make a repository one that it worked in, if nothing is known
// to have been done there.
const (
	alsoShare = 10 // one in ten
	alsoTurns = 2
)

// AlsoIn finds the other projects that a session of project own worked in: not folders within it or around it, nor
// ones that are no repository's as far as anybody knows. briefly lists those in which it spent few of its turns, but
// did something.
func AlsoIn(s *Session, known []Root, own Project, did Work) (also, briefly []Project) {
	if own.Root == "" {
		return nil, nil
	}
	r := resolver{session: s, known: known}
	roots, turns := r.roots()
	all := 0
	for _, n := range turns {
		all += n
	}
	at := []dirPath{parseDir(own.Root)}
	add := func(to *[]Project, p Project) {
		q := parseDir(p.Root)
		if p.How == "folder" || q.wide() || q.temporary() && !at[0].temporary() { // only passed through
			return
		}
		p = r.byKnown(p)
		q = parseDir(p.Root)
		if !slices.ContainsFunc(at, func(o dirPath) bool { return o.holds(q) || q.holds(o) }) {
			*to, at = append(*to, p), append(at, q)
		}
	}
	for _, p := range roots {
		if n := turns[p.Root]; n >= alsoTurns && n*alsoShare >= all {
			add(&also, p)
		}
	}
	for _, dir := range did.In {
		if p, ok := r.rootOf(dir); ok {
			add(&briefly, p)
		}
	}
	for _, name := range did.Changed {
		file := parseDir(name)
		if len(file.parts) == 0 || slices.ContainsFunc(at, func(o dirPath) bool { return o.holds(file) }) {
			continue
		}
		p, ok := r.rootOf(file.upTo(len(file.parts) - 1).String())
		if ok && p.How != "gone" && !strings.HasPrefix(p.Name, ".") { // not a vanished folder, nor a client's settings
			add(&briefly, p)
		}
	}
	return also, briefly
}

// A resolver determines one session's project.
type resolver struct {
	session *Session
	known   []Root
}

// roots finds the roots in which turns ran, in order of first use, and how many in each.
func (r resolver) roots() (roots []Project, turns map[string]int) {
	turns = map[string]int{}
	for _, c := range r.folders() {
		p, ok := r.rootOf(c.Dir)
		if !ok {
			continue
		}
		if _, seen := turns[p.Root]; !seen {
			roots = append(roots, p)
		}
		turns[p.Root] += c.Turns
	}
	return roots, turns
}

// byFolders picks the root in which most turns ran, on a tie the one used first.
func (r resolver) byFolders() (Project, bool) {
	roots, turns := r.roots()
	if len(roots) == 0 {
		return Project{}, false
	}
	best := slices.MaxFunc(roots, func(a, b Project) int { return turns[a.Root] - turns[b.Root] })
	if wider, ok := r.around(roots, turns, best); ok {
		return wider, true
	}
	return best, true
}

// folders lists the candidates. A Cowork session's working directory is a sandbox and tells nothing.
func (r resolver) folders() []CwdCount {
	w := r.session.Where
	if r.session.Source == Cowork {
		if len(w.Folders) == 0 {
			return nil
		}
		return []CwdCount{{Dir: w.Folders[0], Turns: 1}}
	}
	if len(w.Cwds) > 0 {
		return w.Cwds
	}
	dir := w.Relocated
	if dir == "" && w.Worktree != nil {
		dir = w.Worktree.Original
	}
	if dir == "" {
		return nil
	}
	return []CwdCount{{Dir: dir, Turns: 1}}
}

// rootOf finds the project root of one folder.
func (r resolver) rootOf(dir string) (Project, bool) {
	dir = cleanDir(dir)
	if dir == "" {
		return Project{}, false
	}
	how := "folder"
	if r.session.Source == Cowork {
		how = "cowork-folder"
	}
	if isFolder(dir) {
		if r, ok := RepositoryOf(dir); ok {
			return projectOfRepository(r), true
		}
	}
	if main, ok := r.mainOfWorktree(dir); ok {
		p, _ := r.rootOf(main)
		p.How = "worktree"
		return p, true
	}
	if of, ok := r.keptWorktree(dir); ok && !isFolder(dir) {
		return projectAt(of, "worktree"), true
	}
	if isFolder(dir) {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			dir = real
		}
		if k, ok := r.knownAround(dir); ok && !parseDir(k.matched).wide() {
			return projectAt(k.dir, "known"), true
		}
		return projectAt(r.outermost(dir), how), true
	}
	return r.rootOfGone(dir), true
}

// rootOfGone finds the root of a folder that isn't on this machine: the nearer of a known root and an existing
// repository around it; else the outermost of the session's folders around it.
func (r resolver) rootOfGone(dir string) Project {
	k, isKnown := r.knownAround(dir)
	if r, ok := standingAround(dir); ok && !parseDir(r.Root).wide() {
		if !isKnown || len(parseDir(r.Root).parts) > len(parseDir(k.matched).parts) {
			return projectOfRepository(r)
		}
	}
	if isKnown {
		return projectAt(k.dir, "known")
	}
	return projectAt(r.outermost(dir), "gone")
}

// around widens the choice to the folder that all vanished folders of a session share (app/api and app/web belong to
// app), if none has the majority. A home, or a folder directly below the root, isn't a project.
func (r resolver) around(roots []Project, turns map[string]int, best Project) (Project, bool) {
	if len(roots) < 2 || best.How != "gone" {
		return Project{}, false
	}
	all := 0
	common := parseDir(best.Root)
	for _, p := range roots {
		q := parseDir(p.Root)
		if q.wide() {
			continue
		}
		if p.How != "gone" || common.shared(q) < 0 {
			return Project{}, false
		}
		all += turns[p.Root]
		common.parts = common.parts[:common.shared(q)]
	}
	if turns[best.Root]*2 > all || len(common.parts) < 2 || common.wide() {
		return Project{}, false
	}
	return projectAt(common.String(), "gone"), true
}

// outermost returns the widest of the session's own folders around dir: a session in app/cmd and app works in app.
func (r resolver) outermost(dir string) string {
	best := parseDir(dir)
	for _, c := range r.folders() {
		p := parseDir(c.Dir)
		if p.holds(best) && !p.wide() {
			best = p
		}
	}
	return best.String()
}

// mainOfWorktree finds a worktree's origin by the session's worktree-state, or by where clients put worktrees.
func (r resolver) mainOfWorktree(dir string) (string, bool) {
	if w := r.session.Where.Worktree; w != nil && w.Path != "" && w.Original != "" {
		if parseDir(w.Path).holds(parseDir(dir)) && !parseDir(w.Path).holds(parseDir(w.Original)) {
			return cleanDir(w.Original), true
		}
	}
	p := parseDir(dir)
	for i, name := range p.parts {
		hidden := name == ".worktrees" || name == ".conductor" ||
			strings.HasPrefix(name, ".") && i+1 < len(p.parts) && p.parts[i+1] == "worktrees"
		if main := p.upTo(i); hidden && i > 0 && !main.wide() {
			return main.String(), true
		}
	}
	return r.besideWorktrees(p)
}

// keptWorktree finds the repository of a worktree that was kept with those of others, as people and clients do:
// ~/.worktrees/app/fix, ~/.cursor/worktrees/app/fix, ~/conductor/workspaces/app/fix. The folder is named after it.
func (r resolver) keptWorktree(dir string) (string, bool) {
	p := parseDir(dir)
	for i, name := range p.parts {
		if !slices.Contains([]string{".worktrees", "worktrees", "worktree", "workspaces"}, name) || i == 0 ||
			i+1 == len(p.parts) {
			continue
		}
		app := strings.HasPrefix(p.parts[i-1], ".") || slices.ContainsFunc(p.parts[:i], func(s string) bool {
			return s == ".config" || s == "conductor" || s == "orca"
		})
		if !app && !p.upTo(i).wide() {
			continue
		}
		of := i + 1
		if p.parts[i-1] == ".codex" && of+1 < len(p.parts) { // ~/.codex/worktrees/ID/app
			of++
		}
		if root, ok := r.namedLike(p.parts[of]); ok {
			return root, true
		}
		return p.upTo(of + 1).String(), true
	}
	return "", false
}

// namedLike finds the only known root whose last name is this one, or else this one without what follows a hyphen.
func (r resolver) namedLike(name string) (root string, ok bool) {
	for name != "" {
		var found []string
		for _, k := range r.known {
			if parseDir(k.Dir).base() == name {
				found = append(found, k.Dir)
			}
		}
		if len(found) > 0 {
			return found[0], len(found) == 1
		}
		name = name[:max(0, strings.LastIndexByte(name, '-'))]
	}
	return "", false
}

// besideWorktrees finds app from app-worktrees/fix and app.worktrees/fix, if app is known or a folder.
func (r resolver) besideWorktrees(p dirPath) (string, bool) {
	for i := len(p.parts) - 2; i >= 0; i-- {
		name := p.parts[i]
		for _, tail := range []string{"-worktrees", ".worktrees", "_worktrees"} {
			if main, ok := strings.CutSuffix(name, tail); ok && main != "" {
				q := p.upTo(i)
				q.parts = append(q.parts, main)
				if _, known := r.knownAround(q.String()); known || isFolder(q.String()) {
					return q.String(), true
				}
			}
		}
	}
	return "", false
}

// match is a known root, and which of its folders matched.
type match struct {
	dir, matched string
}

// knownAround finds the longest root, known, former or merged, that holds dir. A home holds only itself.
func (r resolver) knownAround(dir string) (match, bool) {
	at := parseDir(dir)
	var best match
	depth := -1
	for _, k := range r.known {
		for _, d := range slices.Concat([]string{k.Dir}, k.Former, k.Merged) {
			p := parseDir(d)
			if p.wide() && !p.equal(at) {
				continue
			}
			if p.holds(at) && len(p.parts) > depth {
				best, depth = match{k.Dir, d}, len(p.parts)
			}
		}
	}
	return best, depth >= 0
}

// byKnown replaces a project by the known root that it is, if any.
func (r resolver) byKnown(p Project) Project {
	at := parseDir(p.Root)
	is := func(dir string) bool { return parseDir(dir).equal(at) }
	stands := p.How == "repository" || p.How == "worktree"
	if i := slices.IndexFunc(r.known, func(k Root) bool { return is(k.Dir) }); i >= 0 {
		for _, k := range r.known { // another project's, which has since moved away and made room for this one
			if slices.ContainsFunc(k.Former, is) && r.bornSince(p.Birth) && repositoryStands(k.Dir) {
				return renamed(p, k.Dir)
			}
		}
		return renamed(p, r.known[i].Dir)
	}
	for _, k := range r.known {
		if slices.ContainsFunc(k.Merged, is) || slices.ContainsFunc(k.Former, is) && r.bornSince(p.Birth) &&
			repositoryStands(k.Dir) {
			return renamed(p, k.Dir)
		}
		if slices.ContainsFunc(k.Former, is) && !(stands && repositoryStands(k.Dir)) {
			if stands { // moved back
				p.Was = k.Dir
				return p
			}
			return renamed(p, k.Dir)
		}
	}
	if stands {
		p.Was = r.movedFrom(p)
	}
	return p
}

// bornSince reports whether a repository is younger than the session, so that what ran there belonged to another.
func (r resolver) bornSince(birth string) bool {
	_, at, ok := strings.Cut(birth, "@")
	seconds, err := strconv.ParseInt(at, 10, 64)
	return ok && err == nil && !r.session.End.IsZero() && time.Unix(seconds, 0).After(r.session.End)
}

// MovedFrom returns the known root's folder that is gone and whose repository is this one, as on another machine; ""
// if there is none.
func MovedFrom(repo Repository, known []Root) string {
	return resolver{known: known}.movedFrom(projectOfRepository(repo))
}

// movedFrom finds the known root whose folder is gone and whose repository is this one: by its birth, or by its remote
// if only one such root has it.
func (r resolver) movedFrom(p Project) string {
	var byRemote []string
	for _, k := range r.known {
		if repositoryStands(k.Dir) {
			continue
		}
		if p.Birth != "" && p.Birth == k.Birth {
			return k.Dir
		}
		if p.Remote != "" && p.Remote == k.Remote {
			byRemote = append(byRemote, k.Dir)
		}
	}
	if len(byRemote) == 1 {
		return byRemote[0]
	}
	return ""
}

// ProjectIn returns the project of the repository around a directory of this machine; false if there is none.
func ProjectIn(dir string) (Project, bool) {
	r, ok := RepositoryOf(dir)
	return projectOfRepository(r), ok
}

func projectOfRepository(r Repository) Project {
	p := projectAt(r.Root, "repository")
	if r.Linked {
		p.How = "worktree"
	}
	p.Remote, p.Birth = r.Remote, r.Birth
	return p
}

func projectAt(root, how string) Project {
	p := Project{Root: root, How: how, Name: strings.TrimSuffix(parseDir(root).base(), ".git")}
	if p.Name == "" {
		p.Name = root
	}
	return p
}

// renamed returns p under a known root's folder.
func renamed(p Project, dir string) Project {
	q := projectAt(dir, p.How)
	q.Remote, q.Birth = p.Remote, p.Birth
	return q
}

func isFolder(dir string) bool {
	return filepath.IsAbs(dir) && IsFolder(dir) // a Windows path on Linux would count as relative
}

// repositoryStands reports whether a directory is the root of a repository now.
func repositoryStands(dir string) bool {
	_, ok := repositoryAt(dir)
	return ok && isFolder(dir)
}

// standingAround finds the repository around the nearest folder above dir that still exists.
func standingAround(dir string) (Repository, bool) {
	if !filepath.IsAbs(dir) {
		return Repository{}, false
	}
	for at := filepath.Dir(dir); ; at = filepath.Dir(at) {
		if isFolder(at) {
			return RepositoryOf(at)
		}
		if at == filepath.Dir(at) {
			return Repository{}, false
		}
	}
}
