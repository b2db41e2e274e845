package ingest

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Project is what a session belongs to, mostly the root of a git repository: told from where the session says it ran,
// never from its file's slug, which can't be reversed.
type Project struct {
	Root string // its folder; "" if it is only a name (a Cowork space, or none)
	Name string // Root's last name, the space's name, or NoProject; never ""
	How  string // how it was told: repository, worktree, folder, known, gone, cowork-folder, space, none
	Was  string // the known Root.Dir that this project was moved from, "" if it wasn't

	Remote, Birth string // of its repository, see Repository; "" if it isn't one

	// Root and Name as they may be shown, "" where they hold no secret. The exact ones tell projects apart.
	ShownRoot, ShownName string
}

// Clean fills in what may be shown of a project: show takes secrets out of a text.
func (p *Project) Clean(show func(string) string) {
	if p.ShownRoot = MapPath(p.Root, show); p.ShownRoot == p.Root {
		p.ShownRoot = ""
	}
	p.ShownName = show(p.Name)
	if p.ShownRoot != "" { // the secret may go on over a "/"
		p.ShownName = show(projectAt(p.ShownRoot, p.How).Name)
	}
	if p.ShownName == p.Name {
		p.ShownName = ""
	}
}

// NoProject is the name for sessions that say nothing of where they belong.
const NoProject = "none"

// A Root is a project's folder as the library remembers it.
type Root struct {
	Dir    string   // where it is, or was when last seen
	Former []string // where it has been: sessions from there are its own, unless another repository lives there now
	Merged []string // folders that a person has declared to be the same project

	Remote, Birth string // as last told by ProjectOf
}

// ProjectOf tells a session's project: the folder in which most of its turns ran, sub-folders and worktrees counted for
// their repository's main root; a Cowork session's is the first folder given to it, then its space. The file system is
// asked where the folder exists; where it doesn't, the known roots, then the session's other folders.
//
// A known root's Dir is the answer for everything that was once it. One that is gone, while its repository stands
// elsewhere, has been moved: Was then names it, and the caller should note the new place.
func ProjectOf(s *Session, known []Root) Project {
	t := teller{session: s, known: known}
	if p, ok := t.byFolders(); ok {
		return t.settle(p)
	}
	if s.Where.Space != "" {
		return Project{Name: s.Where.Space, How: "space"}
	}
	return Project{Name: NoProject, How: "none"}
}

// teller holds what a decision about one session's project rests on.
type teller struct {
	session *Session
	known   []Root
}

// byFolders picks the root in which most turns ran, the first used of equals.
func (t teller) byFolders() (Project, bool) {
	var roots []Project
	turns := map[string]int{}
	for _, c := range t.folders() {
		p, ok := t.rootOf(c.Dir)
		if !ok {
			continue
		}
		if _, seen := turns[p.Root]; !seen {
			roots = append(roots, p)
		}
		turns[p.Root] += c.Turns
	}
	if len(roots) == 0 {
		return Project{}, false
	}
	best := roots[0]
	for _, p := range roots[1:] {
		if turns[p.Root] > turns[best.Root] {
			best = p
		}
	}
	if wider, ok := t.around(roots, turns, best); ok {
		return wider, true
	}
	return best, true
}

// folders lists the candidates. A Cowork session's working directory is a sandbox and says nothing.
func (t teller) folders() []CwdCount {
	w := t.session.Where
	if t.session.Source == Cowork {
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

// rootOf tells the project root of one folder.
func (t teller) rootOf(dir string) (Project, bool) {
	dir = cleanDir(dir)
	if dir == "" {
		return Project{}, false
	}
	how := "folder"
	if t.session.Source == Cowork {
		how = "cowork-folder"
	}
	if isFolder(dir) {
		if r, ok := RepositoryOf(dir); ok {
			return projectOfRepository(r), true
		}
	}
	if main, ok := t.mainOfWorktree(dir); ok {
		p, _ := t.rootOf(main)
		p.How = "worktree"
		return p, true
	}
	if isFolder(dir) {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			dir = real
		}
		if k, ok := t.knownAround(dir); ok && !placeOf(k.matched).wide() {
			return projectAt(k.dir, "known"), true
		}
		return projectAt(t.outermost(dir), how), true
	}
	return t.rootOfGone(dir), true
}

// rootOfGone tells the root of a folder that isn't on this machine: the nearer of a known root and a standing
// repository around it; else the outermost of the session's folders around it.
func (t teller) rootOfGone(dir string) Project {
	k, isKnown := t.knownAround(dir)
	if r, ok := standingAround(dir); ok && !placeOf(r.Root).wide() {
		if !isKnown || len(placeOf(r.Root).parts) > len(placeOf(k.matched).parts) {
			return projectOfRepository(r)
		}
	}
	if isKnown {
		return projectAt(k.dir, "known")
	}
	return projectAt(t.outermost(dir), "gone")
}

// around widens the choice to the folder that all vanished folders of a session share (app/api and app/web are of app),
// if none has the majority. A home, or a folder right under the root, isn't a project.
func (t teller) around(roots []Project, turns map[string]int, best Project) (Project, bool) {
	if len(roots) < 2 || best.How != "gone" {
		return Project{}, false
	}
	all := 0
	common := placeOf(best.Root)
	for _, p := range roots {
		q := placeOf(p.Root)
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

// outermost is the widest of the session's own folders around dir: who works in app/cmd and app works in app.
func (t teller) outermost(dir string) string {
	best := placeOf(dir)
	for _, c := range t.folders() {
		p := placeOf(c.Dir)
		if p.holds(best) && !p.wide() {
			best = p
		}
	}
	return best.String()
}

// mainOfWorktree tells a worktree's origin from the session's worktree-state, or where clients put worktrees.
func (t teller) mainOfWorktree(dir string) (string, bool) {
	if w := t.session.Where.Worktree; w != nil && w.Path != "" && w.Original != "" {
		if placeOf(w.Path).holds(placeOf(dir)) && !placeOf(w.Path).holds(placeOf(w.Original)) {
			return cleanDir(w.Original), true
		}
	}
	p := placeOf(dir)
	for i, name := range p.parts {
		hidden := name == ".worktrees" || name == ".claude" && i+1 < len(p.parts) && p.parts[i+1] == "worktrees"
		if hidden && i > 0 {
			p.parts = p.parts[:i]
			return p.String(), true
		}
	}
	return t.besideWorktrees(p)
}

// besideWorktrees tells app from app-worktrees/fix and app.worktrees/fix, if app is known or a folder.
func (t teller) besideWorktrees(p place) (string, bool) {
	for i := len(p.parts) - 2; i >= 0; i-- {
		name := p.parts[i]
		for _, tail := range []string{"-worktrees", ".worktrees", "_worktrees"} {
			if main, ok := strings.CutSuffix(name, tail); ok && main != "" {
				q := p
				q.parts = append(slices.Clone(p.parts[:i]), main)
				if _, known := t.knownAround(q.String()); known || isFolder(q.String()) {
					return q.String(), true
				}
			}
		}
	}
	return "", false
}

// match is a known root, and which of its folders was matched.
type match struct {
	dir, matched string
}

// knownAround finds the longest root, known, former or merged, that holds dir. Homes count only for themselves.
func (t teller) knownAround(dir string) (match, bool) {
	at := placeOf(dir)
	var best match
	depth := -1
	for _, k := range t.known {
		for _, d := range slices.Concat([]string{k.Dir}, k.Former, k.Merged) {
			p := placeOf(d)
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

// settle answers with the known root where the project told is one.
func (t teller) settle(p Project) Project {
	at := placeOf(p.Root)
	is := func(dir string) bool { return placeOf(dir).equal(at) }
	stands := p.How == "repository" || p.How == "worktree"
	if i := slices.IndexFunc(t.known, func(k Root) bool { return is(k.Dir) }); i >= 0 {
		for _, k := range t.known { // another's that has moved away since, and left its place to this one
			if slices.ContainsFunc(k.Former, is) && t.bornSince(p.Birth) && repositoryStands(k.Dir) {
				return renamed(p, k.Dir)
			}
		}
		return renamed(p, t.known[i].Dir)
	}
	for _, k := range t.known {
		if slices.ContainsFunc(k.Merged, is) || slices.ContainsFunc(k.Former, is) && t.bornSince(p.Birth) &&
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
		p.Was = t.movedFrom(p)
	}
	return p
}

// bornSince reports whether a repository is younger than the session: what ran there was another's.
func (t teller) bornSince(birth string) bool {
	_, at, ok := strings.Cut(birth, "@")
	seconds, err := strconv.ParseInt(at, 10, 64)
	return ok && err == nil && !t.session.End.IsZero() && time.Unix(seconds, 0).After(t.session.End)
}

// movedFrom finds the known root whose folder is gone and whose repository is
// this one: by its birth, or by its remote if only one such root has it.
func (t teller) movedFrom(p Project) string {
	var byRemote []string
	for _, k := range t.known {
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

// ProjectIn is the project of the repository around a directory of this machine; false if there is none.
func ProjectIn(dir string) (Project, bool) {
	r, ok := RepositoryOf(dir)
	if !ok {
		return Project{}, false
	}
	return projectOfRepository(r), true
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
	p := Project{Root: root, How: how, Name: strings.TrimSuffix(placeOf(root).base(), ".git")}
	if p.Name == "" {
		p.Name = root
	}
	return p
}

// renamed is p under a known root's folder.
func renamed(p Project, dir string) Project {
	q := projectAt(dir, p.How)
	q.Remote, q.Birth = p.Remote, p.Birth
	return q
}

// isFolder reports whether a directory is there, on this machine.
func isFolder(dir string) bool {
	return filepath.IsAbs(dir) && IsFolder(dir) // a Windows path on Linux would count as relative
}

// repositoryStands reports whether a directory is the root of a repository now.
func repositoryStands(dir string) bool {
	if !isFolder(dir) {
		return false
	}
	_, ok := repositoryAt(dir)
	return ok
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
