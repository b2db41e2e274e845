package setup

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"recall/cmd/recall/app"
	"recall/cmd/recall/terminal"
	"recall/internal/hint"
	"recall/internal/schedule"
	"recall/serve/hooks/clients"
)

// parts are what makes recall run by itself: entries in clients' files, and the system's jobs.
type parts struct {
	kinds []clients.Kind
	named []*clients.Client // nil: nobody in particular
	jobs  bool
	at    schedule.Clock // of the nightly job
}

// partsOf returns the parts that a person chose by the flags of recall setup.
func partsOf(only, named []string, at string) (p parts, err error) {
	if p.at, err = schedule.ParseClock(at); err != nil {
		return p, hint.With(err, "for example: recall setup --at 02:30")
	}
	for _, word := range only {
		switch k := clients.Kind(word); {
		case word == "jobs":
			p.jobs = true
		case slices.Contains(clients.Kinds, k):
			p.kinds = append(p.kinds, k)
		default:
			return p, hint.With(fmt.Errorf("%q is no part", word), "--only takes hooks, server, jobs")
		}
	}
	if len(only) == 0 {
		p.kinds, p.jobs = clients.Kinds, len(named) == 0
	}
	for _, word := range named {
		c, ok := clients.Named(word)
		if words := clients.Words(p.kinds...); !ok || !slices.Contains(words, word) {
			return p, hint.With(fmt.Errorf("%q is no client for this", word), "one of: %s", strings.Join(words, ", "))
		}
		p.named = append(p.named, c)
	}
	return p, nil
}

// whole reports whether these are all parts, for all clients.
func (p parts) whole() bool { return p.jobs && len(p.kinds) == len(clients.Kinds) && p.named == nil }

// files lists the files of the clients named, or else of those given, into which the parts belong.
func (p parts) files(usual []*clients.Client) (files []clients.File) {
	if p.named != nil {
		usual = p.named
	}
	for _, c := range usual {
		files = append(files, slices.DeleteFunc(c.Files(), func(f clients.File) bool {
			return !slices.ContainsFunc(p.kinds, f.Has)
		})...)
	}
	return files
}

// change has files start a program by some kinds of entry, or removes those if it is nil, and says so. A failure
// doesn't stop the others.
func change(a *app.App, files []clients.File, p *clients.Program, dryRun bool, kinds []clients.Kind) error {
	var faults []error
	entered := false
	for _, f := range files {
		c, err := f.Plan(p, kinds...)
		if err == nil && !dryRun {
			err = c.Do()
		}
		entered = entered || err == nil && c.Differs() && !dryRun && p != nil
		place := f.Client.Name + ": " + terminal.Line(f.Path)
		switch {
		case errors.Is(err, clients.ErrTaken):
			faults = append(faults, hint.With(err, "rename or remove that server first"))
		case errors.Is(err, fs.ErrPermission):
			faults = append(faults, hint.With(err, "make it writable, or put there yourself what --dry-run shows"))
		case err != nil:
			faults = append(faults, hint.With(err, "correct the file by hand; the client itself can't read it either"))
		case !c.Differs() && p != nil:
			fmt.Fprintf(a.Out, "%s: recall is already in it\n", place)
		case !c.Differs():
			fmt.Fprintf(a.Out, "%s: recall isn't in it\n", place)
		case dryRun:
			fmt.Fprintf(a.Out, "%s would change:\n%s", place, terminal.Visible(c.Lines()))
		case c.Removes:
			fmt.Fprintf(a.Out, "%s: removed: it held nothing else\n", place)
		case c.Backup != "":
			fmt.Fprintf(a.Out, "%s: changed; previous version: %s\n", place, terminal.Line(filepath.Base(c.Backup)))
		default:
			fmt.Fprintf(a.Out, "%s: changed\n", place)
		}
		if c.Off && p != nil && f.Has(clients.Hooks) && slices.Contains(kinds, clients.Hooks) {
			fmt.Fprintf(a.Err, "recall: warning: %s says disableAllHooks: the client runs none\n", c.Path)
		}
	}
	if entered {
		fmt.Fprintln(a.Out, "A running client uses it after a restart.")
	}
	return errors.Join(faults...)
}
