package claudecode

import (
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"time"

	"recall/ingest"
	"recall/text"
)

// configFiles adds a session's files elsewhere in the configuration folder: todos, tasks, plans, file history if
// wanted.
func (f *finder) configFiles() {
	byRoot := map[string][]*group{}
	for _, g := range f.byID {
		for _, t := range g.transcripts {
			if root, ok := configRootOf(t.path); ok {
				byRoot[root] = append(byRoot[root], g)
				break
			}
		}
	}
	for root, groups := range byRoot {
		byID := map[string]*group{}
		for _, g := range groups {
			byID[g.id] = g
		}
		f.todos(filepath.Join(root, "todos"), byID)
		f.perSession(filepath.Join(root, "tasks"), "tasks", ingest.TodoFile, ".json", byID)
		if f.history {
			f.perSession(filepath.Join(root, "file-history"), "file-history", ingest.HistoryFile, "", byID)
		}
		f.plans(filepath.Join(root, "plans"), groups)
	}
}

// configRootOf returns the configuration folder of <root>/projects/<slug>/<file>.
func configRootOf(path string) (string, bool) {
	projects := filepath.Dir(filepath.Dir(path))
	return filepath.Dir(projects), filepath.Base(projects) == "projects"
}

var todoName = text.Pattern(`^(.+?)-agent-(.+)\.json$`)

// todos takes <root>/todos/<session>-agent-<agent>.json; the agent of the
// session's own list is the session, the others are sub-agents'.
func (f *finder) todos(dir string, byID map[string]*group) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return // there needn't be any
	}
	for _, e := range entries {
		m := todoName().FindStringSubmatch(e.Name())
		if m == nil || byID[m[1]] == nil || !e.Type().IsRegular() {
			continue
		}
		role := ingest.TodoFile
		if m[1] != m[2] {
			role = ingest.SideFile
		}
		if info, ok := f.stat(filepath.Join(dir, e.Name()), e); ok && info.Size() > 2 {
			byID[m[1]].add(ingest.FileAt("todos/"+e.Name(), role, filepath.Join(dir, e.Name()), info))
		}
	}
}

// perSession takes <root>/<name>/<session>/<file>, whose names end in ext.
func (f *finder) perSession(dir, name string, role ingest.FileRole, ext string, byID map[string]*group) {
	sessions, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, s := range sessions {
		g := byID[s.Name()]
		if g == nil || !s.IsDir() {
			continue
		}
		f.below(filepath.Join(dir, s.Name()), func(file, path string, info fs.FileInfo) {
			if strings.HasSuffix(file, ext) {
				g.add(ingest.FileAt(name+"/"+file, role, path, info))
			}
		})
	}
}

// plans takes <root>/plans/<words>.md. The words stand on the session's lines: of sessions written to since the plan
// the ends are read, oldest first, until it is found.
func (f *finder) plans(dir string, groups []*group) {
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) == 0 {
		return
	}
	sort.Slice(groups, func(i, j int) bool { return groups[i].mod().Before(groups[j].mod()) })
	slugs := map[*group]string{}
	for _, e := range entries {
		words, ok := strings.CutSuffix(e.Name(), ".md")
		if !ok || !e.Type().IsRegular() {
			continue
		}
		info, ok := f.stat(filepath.Join(dir, e.Name()), e)
		if !ok {
			continue
		}
		for _, g := range groups {
			if g.mod().Before(info.ModTime().Add(-time.Minute)) {
				continue
			}
			slug, known := slugs[g]
			if !known {
				slug = slugAtEnd(g.transcripts[0].path)
				slugs[g] = slug
			}
			if slug == words {
				g.add(ingest.FileAt("plans/"+e.Name(), ingest.PlanFile, filepath.Join(dir, e.Name()), info))
				break
			}
		}
	}
}

func (g *group) mod() time.Time { return g.transcripts[0].info.ModTime() }

var slugField = text.Pattern(`"slug":"([a-z0-9-]+)"`)

// slugAtEnd returns the words that name a session's plan, from its last lines; "" if none.
func slugAtEnd(path string) string {
	const end = 64 << 10
	all := slugField().FindAllStringSubmatch(ingest.End(path, end), -1)
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1][1]
}
