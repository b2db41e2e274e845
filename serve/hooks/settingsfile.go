package hooks

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"recall/internal/text"
	"recall/library/disk"
)

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
	Off           bool   // the file says disableAllHooks
	leaves        bool   // an uninstall, which removes the copy too
	Plugin        bool   // recall's plugin, which has the same hooks, is enabled
}

// Lines returns the removed and added lines, without the unchanged beginning and end.
func (c Change) Lines() string {
	before, after := strings.SplitAfter(string(c.Before), "\n"), strings.SplitAfter(string(c.After), "\n")
	if c.Removes {
		after = nil
	}
	for len(before) > 0 && len(after) > 0 && before[0] == after[0] {
		before, after = before[1:], after[1:]
	}
	for len(before) > 0 && len(after) > 0 && before[len(before)-1] == after[len(after)-1] {
		before, after = before[:len(before)-1], after[:len(after)-1]
	}
	var b strings.Builder
	for _, part := range []struct {
		sign  string
		lines []string
	}{{"-", before}, {"+", after}} {
		for _, line := range part.lines {
			if line = strings.TrimRight(line, "\r\n"); line != "" {
				fmt.Fprintf(&b, "  %s %s\n", part.sign, text.Clip(line, 160))
			}
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
	} else if link, err := os.Readlink(path); err == nil { // a link to a file that doesn't exist yet
		if !filepath.IsAbs(link) {
			link = filepath.Join(filepath.Dir(path), link)
		}
		c.Real = link
	}
	text, err := disk.ReadRegular(c.Real, MostOfSettings)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return c, nil
	case err != nil:
		return c, err
	}
	c.Before, c.Existed = text, true
	if d, err := parse(text); err == nil {
		isTrue := func(v *hujson.Value) bool { return v != nil && string(raw(*v)) == "true" }
		c.Off = isTrue(member(&d.root, "disableAllHooks"))
		if _, plugins, err := d.section("", "enabledPlugins", false); err == nil && plugins != nil {
			c.Plugin = slices.ContainsFunc(plugins.Members, func(m hujson.ObjectMember) bool {
				return strings.HasPrefix(nameOf(m), "recall@") && isTrue(&m.Value)
			})
		}
	}
	return c, nil
}

// tenant manages what recall puts into another program's file.
type tenant struct {
	add    func(*document, Program) error
	remove func(*document) error                   // and whatever becomes empty without it
	in     func(*document) (p *Program, err error) // as installed, nil if it isn't
}

// planIn returns the change that installs it.
func (t tenant) planIn(path string, p Program) (Change, error) {
	c, err := open(path)
	if err != nil {
		return c, err
	}
	from := c.Before
	if was, ok := t.before(c); ok { // an upgrade starts from the original, too
		from = was
	}
	if c.After, err = edited(from, func(d *document) error { return t.add(d, p) }); err != nil {
		return c, named(path, err)
	}
	if there, err := t.installed(c.Before); err == nil && there == nil && c.Existed && c.Differs() {
		c.Backup = c.Real + backupEnd
	}
	return c, nil
}

// planOut returns the change that removes it.
func (t tenant) planOut(path string) (Change, error) {
	c, err := open(path)
	if err != nil || !c.Existed {
		c.After = c.Before
		return c, err
	}
	if c.After, err = edited(c.Before, t.remove); err != nil {
		return c, named(path, err)
	}
	if !c.Differs() {
		return c, nil
	}
	c.leaves = true
	if was, ok := t.before(c); ok {
		c.After, c.Removes = was, was == nil
	}
	return c, nil
}

func (t tenant) installed(text []byte) (*Program, error) {
	d, err := parse(text)
	if err != nil {
		return nil, err
	}
	return t.in(d)
}

// before returns what a file was before the install (nil if there was none), provided that nobody changed it since:
// then installing the same program into that gives the current file.
func (t tenant) before(c Change) (was []byte, ok bool) {
	was, err := disk.ReadRegular(c.Real+backupEnd, MostOfSettings)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		was = nil
	case err != nil:
		return nil, false
	case was == nil:
		was = []byte{}
	}
	p, err := t.installed(c.Before)
	if err != nil || p == nil {
		return nil, false
	}
	made, err := edited(was, func(d *document) error { return t.add(d, *p) })
	return was, err == nil && bytes.Equal(made, c.Before)
}

func named(path string, err error) error {
	return fmt.Errorf("%s: %w; it was left unchanged", path, err)
}

// Do carries out a change: first the copy, then the file, each replaced atomically.
func (c Change) Do() error {
	if !c.Differs() {
		return nil
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
		return os.Remove(c.Real)
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
	if now, err := disk.ReadRegular(c.Real, MostOfSettings); !c.leaves || err != nil || !bytes.Equal(now, c.After) {
		return err
	}
	if err := os.Remove(c.Real + backupEnd); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
