package hooks

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"recall/library/disk"
)

// MostOfSettings is how long a settings file may be, in bytes.
const MostOfSettings = 16 << 20

// backupEnd is what the copy of a settings file from before the first install
// is called by.
const backupEnd = ".before-recall"

// A Change is what an install or uninstall does to a settings file.
type Change struct {
	Path          string // as asked for
	Real          string // where that leads
	Before, After []byte
	Existed       bool
	Removes       bool   // the file goes: it was made by the install
	Backup        string // copy of Before, "" if none is made
	Off           bool   // the file says disableAllHooks
	leaves        bool   // what recall put there goes, and its copy from before with it
	Plugin        bool   // recall's plugin is enabled, which brings the same hooks
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
	} else if link, err := os.Readlink(path); err == nil { // to a file that is still to be made
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
	if root, err := spans(text); err == nil {
		if off := root.last("disableAllHooks"); off != nil {
			c.Off = string(text[off.from:off.to]) == "true"
		}
		if plugins := root.last("enabledPlugins"); plugins != nil {
			for _, m := range plugins.members {
				c.Plugin = c.Plugin || strings.HasPrefix(m.key, "recall@") && string(text[m.value.from:m.value.to]) == "true"
			}
		}
	}
	return c, nil
}

// PlanInstall says what installing would do.
func PlanInstall(path string, p Program) (Change, error) { return hooksIn(p).planIn(path) }

// PlanUninstall says what uninstalling would do. A file that is as the install
// left it becomes what it was before, byte for byte, or goes if there was none;
// of one that was changed since only what is ours is taken out.
func PlanUninstall(path string) (Change, error) { return hooksIn(Program{}).planOut(path) }

func hooksIn(p Program) tenant {
	return tenant{
		add:    func(text []byte) ([]byte, error) { return Add(text, p) },
		remove: Remove,
		in: func(text []byte) bool {
			events, _, err := Installed(text)
			return err != nil || len(events) > 0
		},
		made: asInstalled,
	}
}

// asInstalled reports whether a text is what installing made of another one.
func asInstalled(was, now []byte) bool {
	var p Program
	eachOurs(now, func(_ string, h, _ *span) bool {
		var one handler
		json.Unmarshal(now[h.from:h.to], &one)
		if p.Path = one.Command; len(one.Args) > 2 {
			p.Args = one.Args[:len(one.Args)-2]
		}
		return false
	})
	if p.Path == "" {
		return false
	}
	made, err := Add(was, p)
	return err == nil && bytes.Equal(made, now)
}

func named(path string, err error) error {
	var shape *errShape
	if errors.As(err, &shape) {
		return fmt.Errorf("%s:%d: %s; it stays as it is", path, shape.line, shape.what)
	}
	return fmt.Errorf("%s: %w; it stays as it is", path, err)
}

// Do carries a change out: the copy first, then the file, each written beside
// its place and renamed.
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
	// Somebody may have written to it since it was read.
	if now, err := disk.ReadRegular(c.Real, MostOfSettings); err == nil && !bytes.Equal(now, c.Before) ||
		err != nil && c.Existed {
		return fmt.Errorf("%s was changed at this moment; try again", c.Path)
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
