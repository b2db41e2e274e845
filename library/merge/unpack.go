package merge

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"

	"recall/library"
	"recall/library/disk"
)

// Import merges a backup into a library: a folder that is a library, or a file made by BackupFile. A file is first
// unpacked to .tmp and checked completely; one that is truncated, changed or malicious is refused
// (library.ErrDamaged, ErrSuspect). An empty library gets the backup's id, so that the backup can follow it.
func Import(ctx context.Context, l *library.Library, path string, o Options) (Merged, error) {
	fail := func(err error) (Merged, error) { return Merged{}, fmt.Errorf("import %s: %w", path, err) }
	if err := l.ReadOnly(); err != nil {
		return fail(err)
	}
	from, done, err := OpenBackup(ctx, l, path)
	if err != nil {
		return fail(err)
	}
	defer done()
	all, err := l.AllEntries()
	if gone, err2 := l.Tombstones(); err != nil || err2 != nil {
		return fail(errors.Join(err, err2))
	} else if len(all)+len(gone) == 0 { // made for this, maybe by an interrupted import
		if err := l.Inside().TakeID(from.ID()); err != nil {
			return fail(err)
		}
	}
	return Merge(ctx, l, from, o)
}

// OpenBackup opens a backup for reading: a folder, or a file that is first unpacked and checked. done closes it.
func OpenBackup(ctx context.Context, l *library.Library, path string) (from *library.Library, done func(), err error) {
	fi, err := os.Stat(path)
	if err != nil {
		return nil, nil, err
	}
	dir, aside := path, ""
	if fi.IsDir() {
		err = apart(l.Dir(), dir)
	} else if aside, err = l.Inside().TempName(); err == nil {
		dir, err = unpackTar(ctx, path, aside)
	}
	if err == nil {
		from, err = library.Open(dir)
	}
	if err == nil {
		err = from.ReadOnly()
	}
	done = func() {
		if from != nil {
			from.Close()
		}
		if aside != "" {
			os.RemoveAll(aside)
		}
	}
	if err != nil {
		done()
		return nil, nil, err
	}
	return from, done, nil
}

// unpackTar unpacks a backup file into a new folder and returns where the library in it is.
func unpackTar(ctx context.Context, file, dir string) (in string, err error) {
	err = eachInTar(ctx, file, func(name string, r io.Reader) error {
		at := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			return err
		}
		f, err := os.OpenFile(at, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("%s is in it twice: %w", name, ErrSuspect)
		}
		if err != nil {
			return err
		}
		_, err = io.Copy(f, r)
		return errors.Join(err, f.Close())
	})
	if err != nil {
		return "", err
	}
	for _, at := range []string{dir, filepath.Join(dir, strings.TrimSuffix(tarTop, "/"))} {
		if disk.Exists(filepath.Join(at, "library.toml")) {
			return at, nil
		}
	}
	return "", library.ErrNoLibrary
}

// A backup may become at most unpackMost times as large as its file, beyond the first unpackFree bytes.
const (
	unpackMost = 400
	unpackFree = 64 << 20
)

// eachInTar calls do, which must read to the end, for each regular file of a packed tar. It rejects anything that
// isn't a regular file, a path that leads out, a wrong sum, and far more data than a library ever has.
func eachInTar(ctx context.Context, file string, do func(name string, r io.Reader) error) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return err
	}
	un, err := zstd.NewReader(f, zstd.WithDecoderMaxWindow(128<<20))
	if err != nil {
		return err
	}
	defer un.Close()
	in := &io.LimitedReader{R: disk.Until(ctx, un), N: unpackFree + fi.Size()*unpackMost}
	notWhole := func(err error) error {
		if in.N <= 0 {
			return fmt.Errorf("it unpacks to far more than a library does: %w", ErrSuspect)
		}
		return notWhole(err)
	}
	t := tar.NewReader(in)
	got, told := map[string]string{}, map[string]string{}
	for files := 0; ; files++ {
		h, err := t.Next()
		if err == io.EOF && files > 0 {
			if _, err = io.Copy(io.Discard, in); err != nil { // to the end, so that zstd verifies it
				return notWhole(err)
			}
			return compareSums(got, told)
		}
		if err == io.EOF {
			return fmt.Errorf("it is empty: %w", library.ErrDamaged)
		}
		if err != nil {
			return notWhole(err)
		}
		switch h.Typeflag {
		case tar.TypeDir, tar.TypeXGlobalHeader:
			continue
		case tar.TypeReg:
		default:
			return fmt.Errorf("%q is a link or a device: %w", h.Name, ErrSuspect)
		}
		name := path.Clean(h.Name)
		if !filepath.IsLocal(filepath.FromSlash(name)) || strings.ContainsAny(h.Name, "\\\x00") ||
			strings.HasPrefix(h.Name, "/") || strings.Contains("/"+h.Name+"/", "/../") {
			return fmt.Errorf("%q leads out of the folder: %w", h.Name, ErrSuspect)
		}
		if path.Base(name) == sumsTop && strings.Count(name, "/") <= 1 {
			var text []byte
			text, err = io.ReadAll(t)
			for line := range strings.Lines(string(text)) {
				if sum, of, ok := strings.Cut(strings.TrimSpace(line), "  "); ok {
					told[of] = sum
				}
			}
		} else {
			h := sha256.New()
			err = do(name, io.TeeReader(t, h))
			got[name] = hex.EncodeToString(h.Sum(nil))
		}
		if err != nil {
			return notWhole(err)
		}
	}
}

// compareSums compares the sums of files with those in SHA256SUMS.
func compareSums(got, told map[string]string) error {
	for name, sum := range told {
		if got[name] != sum {
			return fmt.Errorf("%s doesn't match its checksum: %w", name, library.ErrDamaged)
		}
	}
	if len(told) > 0 && len(told) != len(got) {
		return fmt.Errorf("%d more files than its checksums list: %w", len(got)-len(told), ErrSuspect)
	}
	return nil
}

// notWhole describes a reader's error for a file that isn't a backup, or not a complete one.
func notWhole(err error) error {
	switch {
	case err == nil, errors.Is(err, ErrSuspect), errors.Is(err, context.Canceled), errors.As(err, new(*fs.PathError)):
		return err
	case errors.Is(err, zstd.ErrMagicMismatch):
		return fmt.Errorf("not a backup made by recall: %w", ErrSuspect)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("it ends in the middle: %w", library.ErrDamaged)
	}
	return fmt.Errorf("%w: %v", library.ErrDamaged, err)
}
