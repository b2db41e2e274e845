package clients

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/diff"

	"recall/internal/text"
	"recall/library/disk"
	"recall/serve/hooks"
)

// A File is one in which a client says what it calls.
type File struct {
	Client *Client
	Path   string

	there   bool // the client seems to be in use here
	apart   bool // in a folder that need not be there
	entries entries
}

// Has reports whether a kind of entry belongs into the file.
func (f File) Has(k Kind) bool { _, ok := f.entries[k]; return ok }

// A Kind is what an entry has the client start.
type Kind string

const (
	Hooks  Kind = "hooks"
	Server Kind = "server" // the MCP server
)

// Kinds lists both.
var Kinds = []Kind{Hooks, Server}

type entries map[Kind]entry

// An entry is one thing that recall puts into a client's file. It has a text start a program, in place of the one that
// it started before; with nil, none, and whatever becomes empty without it goes: if that is the file, after is nil.
type entry func(text []byte, p *Program) (after []byte, was *Program, err error)

// A Program is what the client starts, with arguments.
type Program struct {
	Path string   // absolute
	Args []string // before "hook EVENT" or "mcp", such as --library DIR
}

// MostOfSettings is the maximum size of a settings file, in bytes.
const MostOfSettings = 16 << 20

// backupEnd is the suffix of the copy of a settings file from before the first install.
const backupEnd = ".before-recall"

// A Change is what an install or uninstall does to a settings file.
type Change struct {
	Path          string // as asked for
	Real          string // where that path leads
	Before, After []byte
	Existed       bool
	Removes       bool   // remove the file: the install created it
	Backup        string // path for a copy of Before, "" for none
	apart         bool   // its folder is made for it
	leaves        bool   // nothing of recall's is left in it: the copy goes, too
}

// Lines returns the removed and added lines.
func (c Change) Lines() string {
	after := c.After
	if c.Removes {
		after = nil
	}
	var b strings.Builder
	lines := strings.Split(string(diff.Diff("", c.Before, "", after)), "\n")
	for _, line := range lines[min(3, len(lines)):] { // three lines name the files
		if line = strings.TrimRight(line, "\r"); len(line) > 1 && (line[0] == '-' || line[0] == '+') {
			fmt.Fprintf(&b, "  %s %s\n", line[:1], text.Clip(line[1:], 160))
		}
	}
	return b.String()
}

// Differs reports whether there is anything to do.
func (c Change) Differs() bool {
	return c.Removes || !bytes.Equal(c.Before, c.After) || !c.Existed && len(c.After) > 0
}

// open reads the settings file behind a path.
func open(path string) (Change, error) {
	c := Change{Path: path, Real: path}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		c.Real = real
	}
	text, err := disk.ReadRegular(c.Real, MostOfSettings)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return c, nil
	case err != nil:
		return c, err
	}
	c.Before, c.Existed = text, true
	return c, nil
}

// Plan returns the change that enters a program by some kinds of entry, those of them that belong into the file; a nil
// program removes them. A file that nobody else changed since is as it was before, byte for byte, but for what stays in
// it; from another only recall's entries are removed.
func (f File) Plan(p *Program, kinds ...Kind) (Change, error) {
	c, err := open(f.Path)
	c.apart = f.apart
	if err != nil || p == nil && !c.Existed {
		c.After = c.Before
		return c, err
	}
	now, err := f.entered(c.Before)
	if err != nil {
		return c, named(f.Path, err)
	}
	then := maps.Clone(now)
	for _, k := range kinds {
		if f.Has(k) {
			then[k] = p
		}
	}
	from, old := c.Before, now
	was, whole := f.before(c, now)
	if whole { // an upgrade starts from the original, too
		from, old = was, map[Kind]*Program{}
	}
	if c.After, err = f.edited(from, old, then); err != nil {
		return c, named(f.Path, err)
	}
	c.leaves = !slices.ContainsFunc(Kinds, func(k Kind) bool { return then[k] != nil })
	c.Removes = c.leaves && c.Existed && c.After == nil
	if c.Existed && c.Differs() && !slices.ContainsFunc(Kinds, func(k Kind) bool { return now[k] != nil }) {
		c.Backup = c.Real + backupEnd
	}
	return c, nil
}

// edited returns a text with its entries changed to others.
func (f File) edited(text []byte, now, then map[Kind]*Program) (_ []byte, err error) {
	for _, k := range Kinds {
		if err == nil && (now[k] != nil || then[k] != nil) {
			text, _, err = f.entries[k](text, then[k])
		}
	}
	return text, err
}

// entered returns the programs that a text of the file starts.
func (f File) entered(text []byte) (map[Kind]*Program, error) {
	all := map[Kind]*Program{}
	for k, e := range f.entries {
		_, p, err := e(text, nil)
		if err != nil {
			return nil, err
		}
		all[k] = p
	}
	return all, nil
}

// before returns what a file was before recall (nil if there was none), provided that nobody else changed it since:
// then the same entries in that give the current file.
func (f File) before(c Change, now map[Kind]*Program) (was []byte, ok bool) {
	was, err := disk.ReadRegular(c.Real+backupEnd, MostOfSettings)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		was = nil
	case err != nil:
		return nil, false
	case was == nil:
		was = []byte{}
	}
	made, err := f.edited(was, nil, now)
	return was, err == nil && c.Existed && bytes.Equal(made, c.Before) && !bytes.Equal(was, c.Before)
}

func named(path string, err error) error {
	return fmt.Errorf("%s: %w; it was left unchanged", path, err)
}

// Do carries out a change: first the copy, then the file, each replaced atomically.
func (c Change) Do() error {
	if !c.Differs() {
		return c.dropBackup() // one that an interrupted install or uninstall left
	}
	mode := fs.FileMode(0o600)
	if fi, err := os.Stat(c.Real); err == nil {
		if mode = fi.Mode().Perm(); mode&0o200 == 0 {
			return fmt.Errorf("%s: %w: it is read-only", c.Path, fs.ErrPermission)
		}
	}
	// It may have been written to since it was read.
	if now, err := disk.ReadRegular(c.Real, MostOfSettings); err == nil && !bytes.Equal(now, c.Before) ||
		err != nil && c.Existed {
		return fmt.Errorf("%s was changed just now; try again", c.Path)
	}
	if c.Removes {
		if err := os.Remove(c.Real); err != nil {
			return err
		}
		if c.apart {
			os.Remove(filepath.Dir(c.Real)) // if it has nothing else
		}
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(c.Real), 0o700); err != nil {
		return err
	}
	if c.Backup != "" {
		if err := disk.Replace(c.Backup, c.Before, 0o600); err != nil {
			return err
		}
	}
	if err := disk.Replace(c.Real, c.After, mode); err != nil {
		return err
	}
	return c.dropBackup()
}

// dropBackup removes the copy if nothing of recall's is left in the file, which is as the change wanted it.
func (c Change) dropBackup() error {
	if !c.leaves || !c.Existed {
		return nil
	}
	if now, err := disk.ReadRegular(c.Real, MostOfSettings); err != nil || !bytes.Equal(now, c.After) {
		return err
	}
	if err := os.Remove(c.Real + backupEnd); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Heard records that a client called at an event; it is best effort.
func (c *Client) Heard(dir string) {
	path := filepath.Join(dir, heard+c.Word)
	if now := time.Now(); os.Chtimes(path, now, now) != nil && os.MkdirAll(dir, 0o700) == nil {
		if f, err := disk.OpenPlain(path, os.O_WRONLY|os.O_CREATE, 0o600); err == nil {
			f.Close()
		}
	}
}

const heard = "heard-" // begins the name of a file whose time says when

// Status says how a client's file has it start recall.
type Status struct {
	Client    string
	Kind      Kind
	Path      string
	Installed bool
	Command   []string // with which the client starts it, without the event
	Works     bool     // whether that program exists
	Stale     bool     // not as this program would enter it
	Fault     string   // why its file can't be read, or why the client calls no hooks
}

// Starts returns the program that the client starts, "" if none.
func (s Status) Starts() string {
	if len(s.Command) == 0 {
		return ""
	}
	return s.Command[0]
}

// Serving says how a client that is in use here is served.
type Serving struct {
	Client string     `json:"client"`
	Has    []Kind     `json:"has,omitempty"`   // entries that are there and work
	Lacks  []Kind     `json:"lacks,omitempty"` // others that it could have
	Heard  *time.Time `json:"heard,omitempty"` // when it last called a hook

	Word    string   `json:"-"`
	Asks    string   `json:"-"` // what it asks its user about hooks
	Entries []Status `json:"-"`
}

// Served words what is there.
func (s Serving) Served() string {
	switch {
	case len(s.Has) == 0:
		return "not served; run recall setup"
	case len(s.Lacks) > 0:
		return fmt.Sprintf("%s, but no %s; run recall setup", s.Has[0], s.Lacks[0])
	}
	words := []string{}
	for _, k := range s.Has {
		words = append(words, string(k))
	}
	return strings.Join(words, " and ")
}

// Here lists the clients named, or else those in use; p is what an install would enter.
func Here(p Program, named ...*Client) (all []Serving) {
	for _, c := range All {
		if len(named) == 0 && !c.Found() || len(named) > 0 && !slices.Contains(named, c) {
			continue
		}
		s := Serving{Client: c.Name, Word: c.Word, Asks: c.asks}
		if fi, err := os.Stat(filepath.Join(hooks.Dir(), heard+c.Word)); err == nil {
			at := fi.ModTime().UTC()
			s.Heard = &at
		}
		for _, k := range Kinds {
			has := false
			for _, f := range slices.DeleteFunc(c.Files(), func(f File) bool { return !f.Has(k) }) {
				e := f.status(k, p)
				has = has || e.Installed && e.Works && e.Fault == ""
				s.Entries = append(s.Entries, e)
			}
			switch {
			case has:
				s.Has = append(s.Has, k)
			case k == Server || len(c.events) > 0:
				s.Lacks = append(s.Lacks, k)
			}
		}
		all = append(all, s)
	}
	return all
}

func (f File) status(k Kind, p Program) Status {
	s := Status{Client: f.Client.Name, Kind: k, Path: f.Path}
	c, err := open(f.Path)
	var now map[Kind]*Program
	if err == nil {
		now, err = f.entered(c.Before)
	}
	if err != nil {
		s.Fault = named(f.Path, err).Error()
		return s
	}
	if s.Installed = now[k] != nil; !s.Installed {
		return s
	}
	s.Command = append([]string{now[k].Path}, now[k].Args...)
	_, missing := exec.LookPath(s.Starts())
	s.Works = missing == nil
	if k == Server {
		s.Command = now[k].server()
		return s
	}
	plan, err := f.Plan(&p, k)
	s.Stale = err == nil && plan.Differs()
	if d, err := parse(c.Before); err == nil {
		if off := member(&d.root, "disableAllHooks"); off != nil && string(raw(*off)) == "true" {
			s.Fault = "the file says disableAllHooks: the client runs none"
		}
	}
	return s
}
