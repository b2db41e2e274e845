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

// SQLite keeps no checksums of pages, so a misplaced page or a flipped bit may hide rows without any error.
// Therefore the last bytes of each page, which SQLite reserves, hold a checksum of the rest and of the page's
// number, written and verified on the way to and from the file. A page that doesn't match is an SQLITE_CORRUPT.
// (SQLite's own extension, https://sqlite.org/cksumvfs.html, doesn't detect a misplaced page.) Pages in the
// write-ahead log have checksums of SQLite's.

const (
	pageSize = 4096
	pageSum  = 4 // bytes at the end of each page, also stated in the file's header

	checkedFiles = "recall-index" // the name of the VFS
)

func init() { vfs.Register(checkedFiles, checkedVFS{vfs.Find("")}) }

// reservePageSums makes a new file reserve room for the checksums.
func reservePageSums(c *sqlite3.Conn) error {
	_, err := c.FileControl("main", sqlite3.FCNTL_RESERVE_BYTES, pageSum)
	return err
}

type checkedVFS struct{ vfs.VFS }

func (v checkedVFS) Open(name string, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	return v.OpenFilename(nil, flags) // never called: SQLite prefers OpenFilename
}

func (v checkedVFS) OpenFilename(name *vfs.Filename, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	if flags&vfs.OPEN_WAL != 0 { // SQLite would create both with the umask's permissions
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
	if len(p) == pageSize && (n < pageSize || !intact(p, offset)) { // SQLite would read zeros for missing bytes
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

// DeviceCharacteristics are the file's, without partial reads of pages, which would bypass the checksum.
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

// intact reports whether a page is as it was written. A free page that was never written is all zeros.
func intact(b []byte, offset int64) bool {
	if sum := binary.LittleEndian.Uint32(b[pageSize-pageSum:]); sum != 0 {
		return sum == sumOfPage(b, offset)
	}
	return len(bytes.Trim(b, "\x00")) == 0 || sumOfPage(b, offset) == 0
}
