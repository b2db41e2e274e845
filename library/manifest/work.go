package manifest

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"recall/ingest"
	"recall/ingest/cowork"
	"recall/ingest/trace"
)

// work follows a session's files from call to call.
type work struct {
	session  *ingest.Session
	machine  Machine
	mounts   cowork.Mounts
	archived map[string]Archived // by name
	written  map[string]string   // what each call of a file tool wrote, by id
	files    map[string]*file
	order    []*file // in order of first appearance

	unfollowed []string // commands that moved files with names only the shell knew
}

// file is what is known about one path so far.
type file struct {
	path    string
	there   bool // it existed before the session
	first   int  // turn that read it first
	made    bool // the session made or changed it
	how     trace.How
	turn    int
	gone    bool // deleted, or renamed away
	shown   bool // given to the person as a deliverable
	recipe  recipe
	judged  bool // stops cycles of files made from one another
	rebuilt bool
	reason  string
}

// recipe says how a file got its content.
type recipe struct {
	calls   []string // a file tool's writes and edits, giving all of its content
	inline  bool     // the command line holds its content
	command string
	dir     string
	from    []string
	why     string // why it can't be made again, as far as known
}

func newWork(s *ingest.Session, archived []Archived) *work {
	w := &work{session: s, machine: Host, archived: map[string]Archived{}, written: map[string]string{},
		files: map[string]*file{}}
	if s.Source == ingest.Cowork {
		w.mounts = cowork.NewMounts([]string{s.Where.Process}, s.Where.Storage, s.Where.Folders)
		first := slices.IndexFunc(s.Turns, func(t ingest.Turn) bool { return t.Dir != "" })
		onHost := first >= 0 && !strings.HasPrefix(s.Turns[first].Dir, "/sessions/")
		if s.Where.Process != "" && !onHost {
			w.machine = VM
		}
	}
	for _, a := range archived {
		w.archived[a.Name] = a
	}
	return w
}

// host returns a path on the host; false for what is lost with the machine.
func (w *work) host(p string) (string, bool) {
	if w.machine == Host {
		return p, true
	}
	if h, ok := w.mounts.Host(p); ok {
		return h, true
	}
	return "", !strings.HasPrefix(p, "/") && strings.Contains(p, `:\`)
}

// place returns the machine that a path is on, and its path on the host if that differs.
func (w *work) place(p string) (string, Machine) {
	switch host, ok := w.host(p); {
	case !ok:
		return "", VM
	case host == p:
		return "", Host
	default:
		return host, Host
	}
}

// archivedAt returns the library's copy of a file among the session's uploads or outputs.
func (w *work) archivedAt(p string) (Archived, bool) {
	if w.session.Source != ingest.Cowork {
		return Archived{}, false
	}
	host, ok := w.host(p)
	if !ok {
		return Archived{}, false
	}
	name, _ := w.ownName(host)
	a, ok := w.archived[name]
	return a, ok
}

// ownName returns the name of a file within the session's storage on the host; false for other files.
func (w *work) ownName(host string) (string, bool) {
	storage := strings.TrimRight(strings.ReplaceAll(w.session.Where.Storage, `\`, "/"), "/")
	name, ok := strings.CutPrefix(strings.ReplaceAll(host, `\`, "/"), storage+"/")
	return name, ok && storage != ""
}

func (w *work) file(p string) *file {
	f := w.files[p]
	if f == nil {
		f = &file{path: p}
		w.files[p] = f
		w.order = append(w.order, f)
	}
	return f
}

// action follows one call.
func (w *work) action(a *trace.Action) {
	if !a.Call.Ran() {
		return
	}
	for _, p := range trace.Shown(a.Call) {
		w.file(p).shown = true
	}
	steps := a.Steps
	if len(steps) == 0 {
		for _, t := range a.Touches {
			w.tool(a, t)
		}
		return
	}
	for i := range steps {
		w.step(a, steps, i)
	}
}

// tool follows a file tool's call, whose written content is in the transcript.
func (w *work) tool(a *trace.Action, t trace.Touch) {
	f := w.file(t.Path)
	w.written[a.Call.ID] = a.Call.Input["content"]
	switch t.How {
	case trace.Read:
		w.read(f, a)
	case trace.Create:
		w.make(f, a.N, recipe{calls: []string{a.Call.ID}})
	case trace.Edit:
		was := f.recipe
		if !f.made || f.gone {
			was = recipe{why: "it existed before; its content then isn't known"}
		}
		if len(was.calls) > 0 {
			was.calls = append(slices.Clone(was.calls), a.Call.ID)
		} else if was.why == "" {
			was.why = "made by a command, then edited by hand"
		}
		w.edit(f, a.N, was)
	case trace.Delete:
		f.gone = true
	}
}

// read records that a call read a file. What is in the session's own part of its machine, which was empty before, some
// program made unseen.
func (w *work) read(f *file, a *trace.Action) {
	_, on := w.place(f.path)
	home := "/sessions/" + w.session.Where.Process + "/"
	own := on == VM && (strings.HasPrefix(f.path, home) || strings.HasPrefix(f.path, "/tmp/"))
	known := f.gone || f.made || f.there
	switch {
	case known, own && a.Call.Failed:
	case own:
		w.make(f, 0, recipe{why: unseen})
	default:
		f.there, f.first = true, a.N
	}
}

// make records a file that is new or was overwritten as a whole.
func (w *work) make(f *file, n int, r recipe) {
	if !f.made && !f.there {
		f.how = trace.Create
	}
	f.made, f.gone, f.turn, f.recipe = true, false, n, r
	f.how = cmp.Or(f.how, trace.Edit)
}

func (w *work) edit(f *file, n int, r recipe) {
	if !f.made {
		f.there, f.how = true, trace.Edit
	}
	w.make(f, n, r)
}

// unseen is the reason for a file that no known call made.
const unseen = "no known call made it"

// fill writes the result to the manifest.
func (w *work) fill(m *Manifest) {
	listed := map[string]bool{}
	for _, f := range w.order {
		if f.path == "" {
			continue
		}
		if f.shown && !f.made { // a program made it unseen
			w.make(f, 0, recipe{why: unseen})
			f.there = false
		}
		host, machine := w.place(f.path)
		a, _ := w.archivedAt(f.path)
		listed[a.Name] = true
		if f.there && (!f.made || f.how == trace.Edit) && f.first > 0 {
			in := Input{Path: f.path, Host: host, Machine: machine, Turn: f.first}
			if !f.made {
				in.SHA256, in.Size = a.SHA256, a.Size
			}
			m.Inputs = append(m.Inputs, in)
		}
		if !f.made || f.gone {
			continue
		}
		ok, reason := w.rebuildable(f)
		made := Made{Path: f.path, Host: host, Machine: machine, How: f.how, Rebuildable: ok, Reason: reason,
			Command: f.recipe.command, Dir: f.recipe.dir,
			From: f.recipe.from, SHA256: a.SHA256, Size: a.Size, Turn: f.turn, Calls: f.recipe.calls}
		if w.isIntermediate(f, machine == Host) {
			m.Intermediate = append(m.Intermediate, made)
		} else {
			m.Outputs = append(m.Outputs, made)
		}
	}
	w.fillArchived(m, listed)
	m.Unfollowed = w.unfollowed
}

// isIntermediate separates intermediate files from outputs. What is kept on the host or was shown to the person is an
// output; what is temporary or lost with the machine is not.
func (w *work) isIntermediate(f *file, onHost bool) bool {
	switch {
	case f.shown:
		return false
	case w.machine == VM:
		return !onHost
	}
	return strings.HasPrefix(f.path, "/tmp/") || strings.HasPrefix(f.path, "/private/tmp/") ||
		strings.HasPrefix(f.path, "/var/folders/")
}

// fillArchived adds uploads and outputs that no known call touched.
func (w *work) fillArchived(m *Manifest, listed map[string]bool) {
	for _, name := range slices.Sorted(maps.Keys(w.archived)) {
		if listed[name] {
			continue
		}
		a := w.archived[name]
		p := path.Join(strings.ReplaceAll(w.session.Where.Storage, `\`, "/"), name)
		if w.machine == VM {
			p = "/sessions/" + w.session.Where.Process + "/mnt/" + name
		}
		host, _ := w.place(p)
		if strings.HasPrefix(name, "uploads/") {
			m.Inputs = append(m.Inputs, Input{Path: p, Host: host, Machine: Host, SHA256: a.SHA256, Size: a.Size})
		} else {
			m.Outputs = append(m.Outputs, Made{Path: p, Host: host, Machine: Host, How: trace.Create,
				Reason: unseen, SHA256: a.SHA256, Size: a.Size})
		}
	}
}
