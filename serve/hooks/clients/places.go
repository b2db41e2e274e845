package clients

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"recall/library/disk"
	"recall/serve/hooks"
)

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
	Events    []string // that hooks are called at, by the client's names
	Command   []string // with which the client starts it, without the event
	Works     bool     // whether that program exists
	Stale     bool     // not as this program would enter it
	Off       bool     // the file says disableAllHooks
	Fault     string   // why its file can't be read
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
			for _, f := range Having(c.Files(), k) {
				e := f.status(k, p)
				has = has || e.Installed && e.Works && !e.Off
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
	s.Off = c.Off
	if s.Events, _, _ = ourHooks(c.Before); len(s.Events) == 0 {
		for _, e := range f.Client.events {
			s.Events = append(s.Events, e.name)
		}
	}
	plan, err := f.Plan(&p, k)
	s.Stale = err == nil && plan.Differs()
	return s
}
