package pipeline

import (
	"hash/maphash"
	"io"
	"io/fs"
	"os"
	"sync"
	"sync/atomic"

	"recall/ingest"
)

// sources remembers what this run archived, so that it is parsed from where it
// still lies: to unpack and hash what was hashed and packed a moment ago takes
// as long as to parse it. What is parsed is what was archived all the same: a
// source that isn't any more is noticed, and the library's bytes are parsed.
type sources struct {
	seed maphash.Seed
	mu   sync.Mutex
	read map[sourceFile]content
}

// sourceFile is a file of a session at its source.
type sourceFile struct {
	session    ingest.SessionID
	name, path string
}

// content stands for bytes, within this run.
type content struct {
	size int64
	sum  uint64
}

func newSources() *sources {
	return &sources{seed: maphash.MakeSeed(), read: map[sourceFile]content{}}
}

// watched is f with files that note what is read of them from beginning to end.
func (s *sources) watched(f ingest.Found) ingest.Found {
	files := make([]ingest.File, len(f.Files))
	for i, file := range f.Files {
		files[i] = file
		if file.Open == nil || file.Role == ingest.UploadFile || file.Role == ingest.OutputFile { // no parser asks for them
			continue
		}
		files[i].Open = func() (io.ReadCloser, error) {
			in, err := file.Open()
			disk, ok := in.(*os.File)
			if err != nil || !ok {
				return in, err
			}
			w := &watchedFile{disk: disk, from: s, key: sourceFile{f.ID, file.Name, file.Path}}
			w.hash.SetSeed(s.seed)
			s.note(w.key, content{size: -1}) // what an earlier reading found doesn't count
			return w, nil
		}
	}
	f.Files = files
	return f
}

func (s *sources) note(key sourceFile, c content) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.read[key] = c
}

// watchedFile is a source that is being archived.
type watchedFile struct {
	disk *os.File
	from *sources
	key  sourceFile
	hash maphash.Hash
	size int64
	part bool // read from the middle
}

func (w *watchedFile) Stat() (fs.FileInfo, error) { return w.disk.Stat() }

func (w *watchedFile) Seek(offset int64, whence int) (int64, error) {
	w.part = true
	return w.disk.Seek(offset, whence)
}

func (w *watchedFile) Read(b []byte) (int, error) {
	n, err := w.disk.Read(b)
	w.hash.Write(b[:n])
	w.size += int64(n)
	return n, err
}

func (w *watchedFile) Close() error {
	if !w.part {
		w.from.note(w.key, content{w.size, w.hash.Sum64()})
	}
	return w.disk.Close()
}

// still is an archived session with those of its files opened at the source
// that were archived from there in this run. When they have been closed,
// changed reports whether one had other bytes by then: nothing that came of it
// may be used.
func (s *sources) still(archived ingest.Found) (f ingest.Found, changed func() bool) {
	other := new(atomic.Bool)
	f = archived
	f.Files = make([]ingest.File, len(archived.Files))
	for i, file := range archived.Files {
		f.Files[i] = file
		s.mu.Lock()
		c, ok := s.read[sourceFile{archived.ID, file.Name, file.Path}]
		s.mu.Unlock()
		if !ok || c.size != file.Size {
			continue
		}
		f.Files[i].Open = func() (io.ReadCloser, error) {
			fi, err := os.Lstat(file.Path)
			if err != nil || !fi.Mode().IsRegular() || fi.Size() < c.size { // to open a pipe is to wait for its writer
				return file.Open()
			}
			disk, err := os.Open(file.Path)
			if err != nil {
				return file.Open()
			}
			r := &readAgain{disk: disk, left: c.size, sum: c.sum, other: other}
			r.hash.SetSeed(s.seed)
			return r, nil
		}
	}
	return f, other.Load
}

// readAgain is a source that was archived, read once more.
type readAgain struct {
	disk  *os.File
	hash  maphash.Hash
	left  int64 // bytes of what was archived
	sum   uint64
	other *atomic.Bool // set if it isn't what was archived
}

func (r *readAgain) Read(b []byte) (int, error) {
	if r.left == 0 {
		if r.hash.Sum64() != r.sum {
			r.other.Store(true)
		}
		return 0, io.EOF
	}
	n, err := r.disk.Read(b[:min(int64(len(b)), r.left)])
	r.hash.Write(b[:n])
	if r.left -= int64(n); r.left > 0 && err != nil {
		r.other.Store(true)
	}
	if r.left == 0 && err == io.EOF {
		err = nil // at the next call, which compares
	}
	return n, err
}

// Close reads what a parser had no need of: all of it has to be as it was.
func (r *readAgain) Close() error {
	if _, err := io.Copy(io.Discard, struct{ io.Reader }{r}); err != nil {
		r.other.Store(true)
	}
	return r.disk.Close()
}
