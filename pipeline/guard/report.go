package guard

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"recall/ingest"
)

// A Report says what would be lost with some files and folders: which sessions are there, and whether the library
// has every byte of them.
type Report struct {
	Paths    []Path           `json:"paths"`
	Sessions []Session        `json:"sessions"` // with a file there, those at risk first
	Dangers  []Danger         `json:"dangers"`  // folders that matter beyond their files
	Other    OtherFiles       `json:"other"`    // files that belong to no session
	Problems []ingest.Problem `json:"problems"`

	everywhere bool // no path was given: Paths are all places searched for sessions
}

// Path is one of the paths that were asked about.
type Path struct {
	Path string `json:"path" show:"path"` // absolute
	Real string `json:"real" show:"path"` // where it leads
	Gone bool   `json:"gone"`             // nothing exists there
}

// Session is a session with files there.
type Session struct {
	ID      ingest.SessionID `json:"id"`
	Source  ingest.Source    `json:"source"`
	Title   string           `json:"title,omitempty"` // "" if it isn't in the library
	Files   int              `json:"files"`           // of it, there
	Bytes   int64            `json:"bytes"`
	Outputs int              `json:"outputs"` // of the files: those that the session produced
	AtRisk  []File           `json:"at_risk"` // files that exist only there
	// when Claude Code deletes a transcript at risk in one of its own folders, if known
	Deleted time.Time `json:"deleted,omitzero"`

	found []ingest.Found // as found, usually once
	there []ingest.Found // the same, with only the files there

	strange bool // files of it are where no sync looks
}

// File is a file of a session that the library doesn't have in its current state.
type File struct {
	Path  string          `json:"path" show:"path"`
	Role  ingest.FileRole `json:"role"`
	Size  int64           `json:"bytes"`
	State State           `json:"state"`
	Why   string          `json:"why,omitempty" show:"path"` // in words; for InPart, the rule
}

// State is why a file isn't safe.
type State string

const (
	New        State = "not archived" // not in the library, or not completely
	Damaged    State = "damaged"      // its archived bytes can't be read back
	Unreadable State = "unreadable"   // it can't be compared
	InPart     State = "kept in part" // a rule was added later: what was said since exists only there
	Forgotten  State = "forgotten"    // kept out of the library on purpose; not at risk
)

// Danger is a folder whose removal would cost more than it seems.
type Danger struct {
	Path   string     `json:"path" show:"path"`
	Kind   DangerKind `json:"kind"`
	Blocks bool       `json:"blocks"` // removing it can't be called safe
}

// DangerKind says why a folder is dangerous.
type DangerKind string

const (
	DangerLibrary DangerKind = "library" // this library, with all that it keeps
	DangerOther   DangerKind = "another library"
	DangerVM      DangerKind = "vm"       // disks of virtual machines, which can't be inspected from here
	DangerSource  DangerKind = "sessions" // where a client keeps its sessions
	DangerUnread  DangerKind = "unread"   // it can't be read, so its content is unknown
	DangerLoose   DangerKind = "loose"    // part of a session that recall can't archive
)

// OtherFiles are files that belong neither to a session nor to the library: recall knows and keeps nothing of them.
type OtherFiles struct {
	Count  int         `json:"count"`
	Groups []FileGroup `json:"groups"` // by the first name below a path, largest first
}

// FileGroup is a file or folder and the number of other files in it.
type FileGroup struct {
	Path  string `json:"path" show:"path"`
	Count int    `json:"count"`
}

// Safe reports whether no session would lose anything.
func (g *Report) Safe() bool {
	return len(g.Unsafe()) == 0 && len(g.Blocking()) == 0
}

// Missing reports whether a path that was asked about doesn't exist.
func (g *Report) Missing() bool {
	return !g.everywhere && slices.ContainsFunc(g.Paths, func(at Path) bool { return at.Gone })
}

// Count returns how many sessions there the library keeps, or should. A client's memory doesn't count as one, and
// forgotten sessions aren't kept.
func (g *Report) Count() int {
	n := 0
	for _, s := range g.Sessions {
		if !s.Source.IsMemory() && !s.Forgotten() {
			n++
		}
	}
	return n
}

// Forgotten describes what is there that is kept out of the library on purpose; "" if nothing is.
func (g *Report) Forgotten() string {
	n, memories := 0, []string{}
	for _, s := range g.Sessions {
		switch {
		case !s.Forgotten():
		case s.Source.IsMemory():
			memories = append(memories, s.Source.MemoryTitle())
		default:
			n++
		}
	}
	return said(n, memories)
}

// said describes n sessions and what clients remember; "" if there are neither.
func said(n int, memories []string) string {
	sessions := fmt.Sprintf("%d sessions", n)
	if n == 1 {
		sessions = "1 session"
	}
	if n > 0 {
		memories = append([]string{sessions}, memories...)
	}
	return strings.Join(memories, " and ")
}

// Memories lists what clients remember there, unless it was forgotten.
func (g *Report) Memories() []Session {
	return slices.DeleteFunc(slices.Clone(g.Sessions), func(s Session) bool {
		return !s.Source.IsMemory() || s.Forgotten()
	})
}

// Forgotten reports whether part of it was forgotten, and so exists nowhere else.
func (s Session) Forgotten() bool {
	return slices.ContainsFunc(s.AtRisk, func(f File) bool { return f.State == Forgotten })
}

// Holds describes what is there of a client and wasn't forgotten: its sessions, and its memory's files by name.
func (g *Report) Holds() string {
	var memories []string
	for _, s := range g.Memories() {
		var names []string
		for _, f := range s.there {
			for _, file := range f.Files {
				names = append(names, filepath.Base(file.Path))
			}
		}
		slices.Sort(names)
		memories = append(memories, s.Source.MemoryTitle()+" ("+strings.Join(Few(names, 5, "and %d more"), ", ")+")")
	}
	return cmp.Or(said(g.Count(), memories), "0 sessions")
}

// Few returns the first of many, and says how many more there are.
func Few(all []string, most int, rest string) []string {
	if more := len(all) - most; more > 0 {
		return append(all[:most:most], fmt.Sprintf(rest, more))
	}
	return all
}

// Name is how the session is shown.
func (s Session) Name() string {
	if s.Source.IsMemory() {
		return s.Source.MemoryTitle()
	}
	return cmp.Or(s.Title, "not in the library")
}

// Unsafe lists the sessions that would lose something.
func (g *Report) Unsafe() []Session {
	return slices.DeleteFunc(slices.Clone(g.Sessions), func(s Session) bool { return !s.unsafe() })
}

// WayOut says how to make the unsafe sessions safe.
func (g *Report) WayOut() string {
	states := map[State]bool{}
	for _, s := range g.Unsafe() {
		for _, f := range s.AtRisk {
			states[f.State] = true
		}
	}
	switch {
	case states[Unreadable]:
		return "make them readable (chmod u+r FILE, as their owner), then recall sync"
	case states[Damaged]:
		return "recall check --repair, then recall sync"
	case states[InPart]:
		return "a config.yaml without the rule, then recall sync; " +
			"recall forget SESSION gives it up"
	}
	if slices.ContainsFunc(g.Unsafe(), func(s Session) bool { return s.strange }) {
		return "no sync looks there by itself: recall sync --from PATH makes them safe"
	}
	return "recall sync makes them safe"
}

func (s Session) unsafe() bool {
	return slices.ContainsFunc(s.AtRisk, func(f File) bool { return f.State != Forgotten })
}

// Blocking lists the dangers that prevent a verdict of safe.
func (g *Report) Blocking() []Danger {
	return slices.DeleteFunc(slices.Clone(g.Dangers), func(d Danger) bool { return !d.Blocks })
}

// String says what would be lost.
func (d Danger) String() string { return goes[d.Kind] }

var goes = map[DangerKind]string{
	DangerLibrary: "recall's own library: everything in it would be lost (recall backup makes a copy elsewhere)",
	DangerOther:   "a library or a backup of one: what it keeps may be nowhere else (recall import copies it)",
	DangerVM: "disks of Cowork's virtual machines: what sessions left on them isn't visible from here (recall " +
		"manifest cleanup --all --to FOLDER writes a script that saves it from inside; --vm then lets it go)",
	DangerSource: "where sessions are kept",
	DangerLoose:  "belongs to a session but can't be archived, so it is nowhere else",
	DangerUnread: "it can't be read, so what is there may be nowhere else",
}
