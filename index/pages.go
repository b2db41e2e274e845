package index

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"os"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/util/vfsutil"
	"github.com/ncruces/go-sqlite3/vfs"
)

// SQLite keeps no checksums of pages: one that stands in another's place, or has a
// bit flipped, may hide rows without a word. So the last bytes of each page, which
// SQLite leaves alone, hold a checksum of the rest and of the page's number, written
// and looked at on the way to and from the file. A page that doesn't fit is an
// SQLITE_CORRUPT. (SQLite's own way, https://sqlite.org/cksumvfs.html, doesn't notice
// a page in another's place.) Pages in the write-ahead log have checksums of SQLite's.

const (
	pageSize = 4096
	pageSum  = 4 // bytes at the end of each page; the file's header says so too

	checkedFiles = "recall-index" // the name by which SQLite finds them
)

func init() { vfs.Register(checkedFiles, checkedVFS{vfs.Find("")}) }

// reservePageSums has a new file leave room for the checksums.
func reservePageSums(c *sqlite3.Conn) error {
	_, err := c.FileControl("main", sqlite3.FCNTL_RESERVE_BYTES, pageSum)
	return err
}

type checkedVFS struct{ vfs.VFS }

func (v checkedVFS) Open(name string, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	return v.OpenFilename(nil, flags) // never called: SQLite prefers OpenFilename
}

func (v checkedVFS) OpenFilename(name *vfs.Filename, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	if flags&vfs.OPEN_WAL != 0 { // SQLite would create both with the umask's rights
		for _, path := range []string{name.String(), name.Database() + "-shm"} {
			if f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600); err == nil {
				f.Close()
			}
		}
	}
	f, flags, err := vfsutil.WrapOpenFilename(v.VFS, name, flags)
	if err != nil || flags&vfs.OPEN_MAIN_DB == 0 {
		return f, flags, err
	}
	return &checkedFile{f}, flags, nil
}

type checkedFile struct{ vfs.File }

func (f *checkedFile) ReadAt(p []byte, offset int64) (int, error) {
	n, err := f.File.ReadAt(p, offset)
	if len(p) == pageSize && (n < pageSize || !sound(p, offset)) { // SQLite takes what is cut off for zeros
		return 0, sqlite3.CORRUPT
	}
	return n, err
}

func (f *checkedFile) WriteAt(p []byte, offset int64) (int, error) {
	if len(p) == pageSize {
		binary.LittleEndian.PutUint32(p[pageSize-pageSum:], sumOfPage(p, offset))
	}
	return f.File.WriteAt(p, offset)
}

// DeviceCharacteristics are the file's, but for pages that are read in part: those
// would be without their checksum.
func (f *checkedFile) DeviceCharacteristics() vfs.DeviceCharacteristic {
	return f.File.DeviceCharacteristics() &^ vfs.IOCAP_SUBPAGE_READ
}

func (f *checkedFile) SharedMemory() vfs.SharedMemory {
	if f, ok := f.File.(vfs.FileSharedMemory); ok {
		return f.SharedMemory()
	}
	return nil
}

func (f *checkedFile) Unwrap() vfs.File { return f.File }

func sumOfPage(b []byte, offset int64) uint32 {
	var number [8]byte
	binary.LittleEndian.PutUint64(number[:], uint64(offset/pageSize))
	return crc32.Update(crc32.Checksum(number[:], castagnoli), castagnoli, b[:pageSize-pageSum])
}

// sound reports whether a page is what was written. One that was never written, which
// may be among those that are free, is all zeros.
func sound(b []byte, offset int64) bool {
	if sum := binary.LittleEndian.Uint32(b[pageSize-pageSum:]); sum != 0 {
		return sum == sumOfPage(b, offset)
	}
	return len(bytes.Trim(b, "\x00")) == 0 || sumOfPage(b, offset) == 0
}
