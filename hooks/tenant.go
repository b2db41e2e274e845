package hooks

import (
	"errors"
	"io/fs"

	"recall/library/disk"
)

// tenant is what recall puts into somebody else's file.
type tenant struct {
	add    func(text []byte) ([]byte, error)
	remove func(text []byte) ([]byte, error)
	in     func(text []byte) bool     // it is there, or nobody can tell
	made   func(was, now []byte) bool // now is what putting it into was gave
}

func (t tenant) planIn(path string) (Change, error) {
	c, err := open(path)
	if err != nil {
		return c, err
	}
	from := c.Before
	if was, ok := t.before(c); ok { // an upgrade begins where the first install did
		from = was
	}
	if c.After, err = t.add(from); err != nil {
		return c, named(path, err)
	}
	if !t.in(c.Before) && c.Existed && c.Differs() {
		c.Backup = c.Real + backupEnd
	}
	return c, nil
}

func (t tenant) planOut(path string) (Change, error) {
	c, err := open(path)
	if err != nil || !c.Existed {
		c.After = c.Before
		return c, err
	}
	if c.After, err = t.remove(c.Before); err != nil {
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

// before is what a file was before the install, if nobody has changed it since;
// nil if there was none.
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
	return was, t.made(was, c.Before)
}
