package merge

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"recall/ingest"
	"recall/library"
	"recall/library/disk"
	"recall/library/raw"
)

// A copied file waits under .tmp to be given its place.
type copied struct {
	name, temp string
	size       int64
	sum        string // of what was read
	bad        bool   // a segment that was damaged there already
}

// stageCopies copies files of another library's session aside, makes them
// durable, reads them again and compares. They are named as in its folder.
func (m *merging) stageCopies(ctx context.Context, src *library.Folder, names []string) ([]copied, error) {
	var all []copied
	fail := func(err error) ([]copied, error) {
		dropCopies(all)
		return nil, err
	}
	var temps []string
	for _, name := range names {
		c, err := m.copyOne(ctx, src, name)
		if err != nil {
			return fail(err)
		}
		all, temps = append(all, c), append(temps, c.temp)
	}
	if err := disk.SyncFiles(temps); err != nil {
		return fail(err)
	}
	for _, c := range all {
		if err := disk.CheckFile(c.temp, c.size, c.sum); err != nil {
			return fail(fmt.Errorf("copy of %s: %w", c.name, err))
		}
		m.count(func(d *Merged) { d.Files++; d.Bytes += c.size })
	}
	return all, nil
}

func (m *merging) copyOne(ctx context.Context, src *library.Folder, name string) (copied, error) {
	c := copied{name: name}
	h := sha256.New()
	var in io.Reader = bytes.NewReader(src.Text[name])
	var crc *disk.CRCWriter
	if _, ok := src.Text[name]; !ok {
		f, err := disk.Open(filepath.Join(src.Entry.Folder, filepath.FromSlash(name)))
		if errors.Is(err, fs.ErrNotExist) {
			return c, library.ErrMoved
		}
		if err != nil {
			return c, raw.AtSource(err)
		}
		defer f.Close()
		in = raw.FromSource(disk.Until(ctx, f))
		crc = &disk.CRCWriter{W: io.Discard}
		in = io.TeeReader(in, crc)
	}
	var err error
	c.temp, err = m.linked(src, name)
	if err == nil && c.temp != "" {
		c.size, err = disk.Copy(h, in)
	} else if err == nil {
		c.temp, err = m.l.Temp(func(w io.Writer) error {
			n, err := disk.Copy(io.MultiWriter(w, h), in)
			c.size = n
			return err
		})
	}
	if err != nil {
		return c, err
	}
	c.sum = hex.EncodeToString(h.Sum(nil))
	if crc != nil {
		c.bad = m.damaged(ctx, src, c, disk.CRCText(crc.Sum))
	}
	return c, nil
}

// An arrival is the first session of this merge that has a segment.
type arrival struct {
	id    ingest.SessionID
	there chan struct{} // closed when the session was brought over, or could not be
}

// arrived lets those go on who wait for a session's segments.
func (m *merging) arrived(id ingest.SessionID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, a := range m.bring[id] {
		close(a.there)
	}
}

// linked gives a segment that another session brought with it a second name, as
// it has there, "" where there is none: a file in several sessions is stored
// once.
func (m *merging) linked(src *library.Folder, name string) (string, error) {
	const worthIt = 64 << 10 // as linkTwin has it
	if seg, err := raw.ParseSegment(strings.TrimPrefix(name, "raw/")); err != nil || seg.Length < worthIt {
		return "", nil
	}
	m.mu.Lock()
	first := m.came[name]
	if first == nil {
		a := &arrival{id: src.Entry.ID, there: make(chan struct{})}
		m.came[name], m.bring[a.id] = a, append(m.bring[a.id], a)
	}
	m.mu.Unlock()
	if first == nil {
		return "", nil
	}
	if first.id != src.Entry.ID {
		// Everybody takes the segments of a session in the order of their names,
		// so that nobody waits for one who waits for him.
		<-first.there
	}
	e, known := m.l.Known(first.id)
	if !known {
		return "", nil
	}
	twin := filepath.Join(e.Folder, filepath.FromSlash(name))
	if fi, err := os.Stat(twin); err != nil || fi.Size() != src.Size[name] {
		return "", nil // it could not be brought over
	}
	temp, err := m.l.TempName()
	if err != nil {
		return "", err
	}
	if disk.Link(twin, temp) != nil {
		return "", nil // a system without links
	}
	return temp, nil
}

func dropCopies(all []copied) {
	for _, c := range all {
		disk.Unlink(c.temp)
	}
}
