package merge

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"

	"recall/ingest"
	"recall/library"
	"recall/library/disk"
)

// Backup makes the library in dir a copy of l, or brings that copy up to date. Only what is new or changed is
// written, then read again and compared. What was forgotten in l is forgotten there too; what merely vanished stays.
// The error is ErrOther if dir holds anything else, ErrInside if one would be inside the other.
func Backup(ctx context.Context, l *library.Library, dir string, progress func(done, total int)) (Merged, error) {
	if err := apart(l.Dir(), dir); err != nil {
		return Merged{}, fmt.Errorf("backup to %s: %w", dir, err)
	}
	to, err := library.Open(dir)
	if errors.Is(err, library.ErrNoLibrary) {
		if err := onlyOurs(dir); err != nil {
			return Merged{}, fmt.Errorf("backup to %s: %w", dir, err)
		}
		to, err = library.CreateAs(dir, l.ID())
	}
	if err != nil {
		return Merged{}, err
	}
	defer to.Close()
	if to.ID() != l.ID() {
		return Merged{}, fmt.Errorf("backup to %s: %w", dir, ErrOther)
	}
	if err := to.Inside().MarkBackup(); err != nil {
		return Merged{}, fmt.Errorf("backup to %s: %w", dir, err)
	}
	return Merge(ctx, to, l, Options{Follow: true, Forget: true, Progress: progress})
}

// onlyOurs rejects a folder that has more in it than a backup leaves when it is interrupted right at the start.
func onlyOurs(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() != "README.md" && e.Name() != ".tmp" && e.Name() != ".locks" {
			return fmt.Errorf("it isn't empty (%s) and is not a library: %w", e.Name(), ErrOther)
		}
	}
	return nil
}

// apart rejects two folders of which one is inside the other.
func apart(a, b string) error {
	absB, err := filepath.Abs(b)
	if err != nil {
		return err
	}
	a, b = disk.RealPath(a), disk.RealPath(absB)
	for _, pair := range [][2]string{{a, b}, {b, a}} {
		if rel, err := filepath.Rel(pair[0], pair[1]); err == nil && filepath.IsLocal(rel) {
			return ErrInside
		}
	}
	return nil
}

// A backup in one file is a zstd-compressed tar whose top folder "Recall" is a library as on disk, except .tmp and
// .locks. Its last file, SHA256SUMS, has the sums of the others in the format of sha256sum -c.

const (
	tarTop  = "Recall/"
	sumsTop = "SHA256SUMS"
)

// BackupFile writes the whole library to one file, reads it back, and compares every sum before it renames the file
// into place. The error is fs.ErrExist if path exists, unless replace is set.
func BackupFile(ctx context.Context, l *library.Library, path string, replace bool) (Merged, error) {
	fail := func(err error) (Merged, error) { return Merged{}, fmt.Errorf("backup to %s: %w", path, err) }
	if err := apart(l.Dir(), path); err != nil {
		return fail(err)
	}
	if disk.Exists(path) && !replace {
		return fail(fs.ErrExist)
	}
	w := &tarring{l: l.Inside(), ctx: ctx, sums: map[string]string{}}
	part, err := disk.Beside(path, w.write)
	if err != nil {
		return fail(err)
	}
	defer os.Remove(part)
	whole := func(_ string, r io.Reader) error { _, err := io.Copy(io.Discard, r); return err }
	if err := eachInTar(ctx, part, whole); err != nil {
		return fail(err)
	}
	if err := disk.Rename(part, path); err != nil {
		return fail(err)
	}
	if err := disk.SyncDir(filepath.Dir(path)); err != nil {
		return fail(err)
	}
	return w.done, nil
}

// tarring is one call of BackupFile in progress.
type tarring struct {
	l    library.Inside
	ctx  context.Context
	tar  *tar.Writer
	sums map[string]string // by name
	done Merged
}

func (w *tarring) write(out io.Writer) error {
	pack, err := zstd.NewWriter(out, zstd.WithEncoderLevel(zstd.SpeedFastest)) // most of it is compressed already
	if err != nil {
		return err
	}
	w.tar = tar.NewWriter(pack)
	if err := errors.Join(w.top(), w.sessions()); err != nil {
		return err
	}
	var sums bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(w.sums)) {
		fmt.Fprintf(&sums, "%s  %s\n", w.sums[name], tarTop+name)
	}
	if err := w.add(sumsTop, int64(sums.Len()), &sums); err != nil {
		return err
	}
	delete(w.sums, sumsTop)
	return errors.Join(w.tar.Close(), pack.Close())
}

// top adds the files outside sessions' folders, library.toml first, because it says what all this is.
func (w *tarring) top() error {
	first := filepath.Join(w.l.Dir(), "library.toml")
	if err := w.file("library.toml", first); err != nil {
		return err
	}
	broken := map[string]bool{} // not usable as sessions, so copied as files
	if _, err := w.l.AllEntries(); err != nil {
		return err
	}
	for _, b := range w.l.Broken() {
		broken[b.Path] = true
	}
	return filepath.WalkDir(w.l.Dir(), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := w.l.Rel(path)
		switch {
		case d.IsDir() && (name == ".tmp" || name == ".locks"),
			d.IsDir() && disk.Exists(filepath.Join(path, "session.json")) && !broken[path]:
			return fs.SkipDir // sessions are added separately
		case d.Type().IsRegular() && path != first && name != sumsTop: // sumsTop: of a backup unpacked by hand
			return w.file(name, path)
		}
		return nil
	})
}

// sessions adds each session as it is at one moment.
func (w *tarring) sessions() error {
	entries, err := w.l.AllEntries()
	if err != nil {
		return err
	}
	w.done.Sessions, w.done.New = sessions(entries), sessions(entries)
	for _, e := range entries {
		before := len(w.sums)
		for try := 0; ; try++ {
			v, err := w.l.View(e.ID)
			if err == nil {
				err = w.session(v)
			}
			if errors.Is(err, library.ErrMoved) && try < 5 && len(w.sums) == before {
				w.l.Reload()
				continue
			}
			if err != nil {
				return fmt.Errorf("session %s: %w", e.ID, err)
			}
			break
		}
	}
	w.done.Problems = append(w.done.Problems, w.l.Broken()...)
	return nil
}

func (w *tarring) session(v *library.Folder) error {
	at := w.l.Rel(v.Entry.Folder) + "/"
	var open []*os.File // opened before anything is written: what is open can't be packed away
	defer func() {
		for _, f := range open {
			f.Close()
		}
	}()
	names := slices.Sorted(maps.Keys(v.Size))
	for _, name := range names {
		f, err := disk.Open(filepath.Join(v.Entry.Folder, filepath.FromSlash(name)))
		if errors.Is(err, fs.ErrNotExist) {
			return library.ErrMoved
		}
		if err != nil {
			return err
		}
		open = append(open, f)
	}
	for _, name := range v.Names() {
		text, ok := v.Text[name]
		if !ok {
			continue
		}
		if err := w.add(at+name, int64(len(text)), bytes.NewReader(text)); err != nil {
			return err
		}
	}
	for i, name := range names {
		sum := crc32.New(disk.Castagnoli)
		if err := w.add(at+name, v.Size[name], io.TeeReader(open[i], sum)); err != nil {
			return err
		}
		if want := v.Versions.CRCs[strings.TrimPrefix(name, "raw/")]; len(want) > 0 &&
			!slices.Contains(want, disk.CRCText(sum.Sum32())) {
			w.done.Problems = append(w.done.Problems, ingest.Problem{Path: open[i].Name(), Err: errDamagedThere})
		}
	}
	return nil
}

// file adds a file that may be written to meanwhile, with the size that it has now.
func (w *tarring) file(name, path string) error {
	f, err := disk.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // renamed meanwhile, like events that were folded
	}
	if err != nil {
		return err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return err
	}
	return w.add(name, fi.Size(), io.LimitReader(f, fi.Size()))
}

func (w *tarring) add(name string, size int64, r io.Reader) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	if _, twice := w.sums[name]; twice {
		return nil
	}
	full := tarTop + name
	if err := w.tar.WriteHeader(&tar.Header{Name: full, Mode: 0o600, Size: size, Typeflag: tar.TypeReg,
		Format: tar.FormatPAX}); err != nil {
		return err
	}
	h := sha256.New()
	n, err := io.Copy(io.MultiWriter(w.tar, h), io.LimitReader(r, size))
	if err == nil && n != size {
		err = fmt.Errorf("%s: it has become shorter", name)
	}
	if err != nil {
		return err
	}
	w.sums[name] = hex.EncodeToString(h.Sum(nil))
	w.done.Files++
	w.done.Bytes += size
	return nil
}
