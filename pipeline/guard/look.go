package guard

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"recall/ingest"
)

// Names of folders that a client's data lies in, wherever they are.
const (
	coworkSessions = "local-agent-mode-sessions"
	codeTabRecords = "claude-code-sessions"
)

// vmFolders hold the disks of the app's virtual machines.
var vmFolders = map[string]bool{"claude-code-vm": true, "vm_bundles": true}

// notFiles are folders at the top of a system that hold no files.
var notFiles = map[string]bool{"/proc": true, "/sys": true, "/dev": true}

// look walks through the paths: for sessions outside of the configured places,
// for dangerous folders, and to count what is neither.
func (g *guarding) look(ctx context.Context) error {
	w := &walker{guarding: g, ctx: ctx, until: time.Now().Add(g.options.Limit),
		slots: make(chan struct{}, 4*runtime.GOMAXPROCS(0)), groups: map[string]int{}}
	for _, at := range g.report.Paths {
		if at.Gone {
			continue
		}
		w.above(at.Real)
		if fi, err := os.Stat(at.Real); err == nil && !fi.IsDir() {
			w.note(filepath.Dir(at.Real), at.Real, []string{filepath.Base(at.Real)})
			continue
		}
		w.wg.Add(1)
		w.folder(at.Real, "")
	}
	w.wg.Wait()
	if err := ctx.Err(); err != nil {
		return err
	}
	if w.late {
		for _, at := range g.report.Paths {
			g.danger(Danger{Path: at.Real, Kind: DangerTooMuch, Blocks: true})
		}
	}
	w.findMore()
	w.count()
	return ctx.Err()
}

// walker walks through folders, several at a time.
type walker struct {
	*guarding
	ctx   context.Context
	until time.Time
	slots chan struct{}
	wg    sync.WaitGroup

	mu      sync.Mutex // guards what follows
	late    bool
	loose   []string       // files that may be sessions and aren't known
	anchors []string       // folders that look like a client's
	other   int            // files that aren't known
	groups  map[string]int // the same by group
}

// above notices that a path lies inside a dangerous folder.
func (w *walker) above(path string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for dir := path; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if vmFolders[filepath.Base(dir)] {
			w.danger(Danger{Path: dir, Kind: DangerVM, Blocks: !w.options.VM})
		}
	}
}

// folder walks through one folder; group is what its files are counted for, ""
// at the top. The caller has added it to wg.
func (w *walker) folder(dir, group string) {
	defer w.wg.Done()
	if w.ctx.Err() != nil {
		return
	}
	if time.Now().After(w.until) {
		w.mu.Lock()
		w.late = true
		w.mu.Unlock()
		return
	}
	if dir == w.own && w.own != "" || w.special(dir) {
		return
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return // removed meanwhile
	}
	if err != nil {
		w.mu.Lock()
		w.report.Problems = append(w.report.Problems, ingest.Problem{Path: dir, Reason: err.Error()})
		w.danger(Danger{Path: dir, Kind: DangerUnread, Blocks: true})
		w.mu.Unlock()
		return
	}
	files := map[string][]string{}
	for _, e := range entries {
		path, of := filepath.Join(dir, e.Name()), group
		if of == "" {
			of = path
		}
		if !e.IsDir() {
			files[of] = append(files[of], e.Name())
			continue
		}
		w.wg.Add(1)
		select {
		case w.slots <- struct{}{}:
			go func() { defer func() { <-w.slots }(); w.folder(path, of) }()
		default:
			w.folder(path, of)
		}
	}
	for of, names := range files {
		w.note(dir, of, names)
	}
}

// note counts the files of a folder that aren't known to be a session's.
func (w *walker) note(dir, group string, names []string) {
	var loose []string
	n := 0
	for _, name := range names {
		path := filepath.Join(dir, name)
		if w.known[path] { // nobody writes to it meanwhile
			continue
		}
		n++
		if strings.HasSuffix(name, ".jsonl") || strings.HasPrefix(name, "local_") && strings.HasSuffix(name, ".json") {
			loose = append(loose, path)
		}
	}
	if n == 0 {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.loose = append(w.loose, loose...)
	w.other += n
	w.groups[group] += n
}

// special notices folders that are known by name or by what is in them, and
// reports whether not to go into them.
func (w *walker) special(dir string) bool {
	name := filepath.Base(dir)
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case notFiles[dir]:
		return true
	case vmFolders[name]:
		w.danger(Danger{Path: dir, Kind: DangerVM, Blocks: !w.options.VM})
	case name == coworkSessions || name == codeTabRecords:
		w.danger(Danger{Path: dir, Kind: DangerSource})
		w.anchors = append(w.anchors, dir)
	case name == "projects" && isFile(filepath.Join(filepath.Dir(dir), "settings.json")),
		name == "projects" && filepath.Base(filepath.Dir(dir)) == ".claude":
		w.danger(Danger{Path: dir, Kind: DangerSource})
		w.anchors = append(w.anchors, filepath.Dir(dir))
	case isFile(filepath.Join(dir, "library.toml")):
		w.danger(Danger{Path: dir, Kind: DangerOther, Blocks: true})
		return true
	}
	return false
}

func isFile(path string) bool {
	fi, err := os.Lstat(path)
	return err == nil && fi.Mode().IsRegular()
}

// findMore asks the readers about what isn't known yet: folders that look like
// a client's, and transcripts that lie elsewhere. What they know is taken back
// from the count.
func (w *walker) findMore() {
	before := maps.Clone(w.known)
	slices.Sort(w.anchors)
	for _, dir := range w.anchors {
		for _, reader := range w.Readers {
			w.find(w.ctx, reader, dir)
		}
	}
	for _, path := range w.loose {
		if w.known[path] || w.ctx.Err() != nil {
			continue
		}
		for _, reader := range w.Readers {
			found, _ := reader.Find(w.ctx, path, nil) // what is no session is another file
			for _, s := range found {
				w.take(s)
			}
		}
		if !w.known[path] && filepath.Base(filepath.Dir(path)) == "subagents" &&
			strings.HasPrefix(filepath.Base(path), "agent-") && !w.heldLoose(w.ctx, path) {
			w.danger(Danger{Path: path, Kind: DangerLoose, Blocks: true}) // its session's own file is gone
		}
	}
	for path := range w.known {
		if of := w.groupOf(path); !before[path] && w.groups[of] > 0 {
			w.groups[of]--
			w.other--
		}
	}
}

// groupOf is what a file was counted for: its path's first name below the one
// that was asked about.
func (w *walker) groupOf(path string) string {
	for _, at := range w.report.Paths {
		rel, err := filepath.Rel(at.Real, path)
		if err != nil || !filepath.IsLocal(rel) {
			continue
		}
		first, _, _ := strings.Cut(rel, string(filepath.Separator))
		return filepath.Join(at.Real, first)
	}
	return ""
}

// count lists what nobody knows.
func (w *walker) count() {
	w.report.Other.Count = w.other
	for path, n := range w.groups {
		if n > 0 {
			w.report.Other.Groups = append(w.report.Other.Groups, FileGroup{path, n})
		}
	}
	slices.SortFunc(w.report.Other.Groups, func(a, b FileGroup) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Path, b.Path))
	})
}
