package index

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"sync"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// SQLite keeps no checksums of pages: one that stands in another's place, or has a
// bit flipped, may hide rows and tell nothing. So it reads and writes the index's
// file through a layer of ours over its own (a VFS, https://sqlite.org/vfs.html; it
// ships one that does much the same, https://sqlite.org/cksumvfs.html, which the
// driver lacks). The last bytes of each page, which SQLite leaves alone, hold a
// checksum of the rest and of the page's number. One that doesn't fit is an
// SQLITE_CORRUPT. Pages in the write-ahead log have checksums of SQLite's.

const (
	pageSize = 4096
	pageSum  = 4 // bytes at the end of each page; the file's header says so too

	smallestPage = 512 // that SQLite knows; of a file's header it reads less

	vfsName = "recall-index"
)

// checkedFiles registers the layer, once in a process.
var checkedFiles = sync.OnceValue(func() error {
	tls := libc.NewTLS()
	defer tls.Close()
	from := sqlite3.Xsqlite3_vfs_find(tls, 0)
	if from == 0 {
		return errors.New("SQLite has no way to files")
	}
	name, err := libc.CString(vfsName)
	if err != nil {
		return err
	}
	vfs := at[sqlite3.Tsqlite3_vfs](libc.Xmalloc(tls, libc.Tsize_t(unsafe.Sizeof(sqlite3.Tsqlite3_vfs{}))))
	*vfs = *at[sqlite3.Tsqlite3_vfs](from)
	vfs.FpNext, vfs.FzName, vfs.FxOpen = 0, name, pointerTo(openChecked)
	plainVFS = from
	if code := sqlite3.Xsqlite3_vfs_register(tls, uintptr(unsafe.Pointer(vfs)), 0); code != sqlite3.SQLITE_OK {
		return errors.New("SQLite takes no layer over its files")
	}
	return nil
})

// plainVFS is SQLite's own way to files.
var plainVFS uintptr

// at is what stands at an address that SQLite gives: it isn't Go's memory.
func at[T any](address uintptr) *T { return *(**T)(unsafe.Pointer(&address)) }

// pointerTo makes of a function what SQLite, translated to Go, takes for a pointer to
// one; call is the way back.
func pointerTo[F any](f F) uintptr { return *(*uintptr)(unsafe.Pointer(&f)) }

func call[F any](pointer uintptr) F { return *(*F)(unsafe.Pointer(&pointer)) }

type (
	opening = func(tls *libc.TLS, vfs, name, file uintptr, flags int32, flagsOut uintptr) int32
	telling = func(tls *libc.TLS, file uintptr) int32
	moving  = func(tls *libc.TLS, file, buffer uintptr, size int32, offset sqlite3.Tsqlite3_int64) int32
)

// checked are the methods of a file that is checked, and those that they take the place of.
type checked struct {
	sqlite3.Tsqlite3_io_methods
	plain *sqlite3.Tsqlite3_io_methods
}

// methods are the checked ones by the address of the plain; SQLite has a few kinds of files.
var methods = struct {
	sync.Mutex
	of map[uintptr]uintptr
}{of: map[uintptr]uintptr{}}

// openChecked opens a file; one that is a database is checked from then on.
var openChecked opening = func(tls *libc.TLS, _, name, file uintptr, flags int32, flagsOut uintptr) int32 {
	code := call[opening](at[sqlite3.Tsqlite3_vfs](plainVFS).FxOpen)(tls, plainVFS, name, file, flags, flagsOut)
	if f := at[sqlite3.Tsqlite3_file](file); code == sqlite3.SQLITE_OK && flags&sqlite3.SQLITE_OPEN_MAIN_DB != 0 {
		f.FpMethods = checkedMethods(tls, f.FpMethods)
	}
	return code
}

func checkedMethods(tls *libc.TLS, plain uintptr) uintptr {
	methods.Lock()
	defer methods.Unlock()
	if methods.of[plain] == 0 {
		m := at[checked](libc.Xmalloc(tls, libc.Tsize_t(unsafe.Sizeof(checked{}))))
		m.plain = at[sqlite3.Tsqlite3_io_methods](plain)
		m.Tsqlite3_io_methods = *m.plain
		m.FxRead, m.FxWrite, m.FxDeviceCharacteristics = pointerTo(readChecked), pointerTo(writeChecked), pointerTo(abilities)
		m.FiVersion = min(m.FiVersion, 2) // no reading past these
		methods.of[plain] = uintptr(unsafe.Pointer(m))
	}
	return methods.of[plain]
}

func methodsOf(file uintptr) *checked { return at[checked](at[sqlite3.Tsqlite3_file](file).FpMethods) }

var readChecked moving = func(tls *libc.TLS, file, buffer uintptr, size int32, offset sqlite3.Tsqlite3_int64) int32 {
	code := call[moving](methodsOf(file).plain.FxRead)(tls, file, buffer, size, offset)
	b := unsafe.Slice(at[byte](buffer), size)
	switch {
	case size < smallestPage && offset == 0 && code == sqlite3.SQLITE_IOERR_SHORT_READ && len(bytes.Trim(b, "\x00")) == 0:
		headerOf(b)
	case size < smallestPage || code != sqlite3.SQLITE_OK && code != sqlite3.SQLITE_IOERR_SHORT_READ:
	case size != pageSize || !sound(b, int64(offset)):
		return sqlite3.SQLITE_CORRUPT
	}
	return code
}

// headerOf gives a file that is empty the header by which SQLite lays out a new one:
// the size of pages and what stays free of each. There is no other way to say so.
func headerOf(b []byte) {
	if len(b) >= 100 {
		binary.BigEndian.PutUint16(b[16:], pageSize)
		b[20] = pageSum
	}
}

var writeChecked moving = func(tls *libc.TLS, file, buffer uintptr, size int32, offset sqlite3.Tsqlite3_int64) int32 {
	if size == pageSize {
		b := unsafe.Slice(at[byte](buffer), size)
		binary.LittleEndian.PutUint32(b[pageSize-pageSum:], sumOfPage(b, int64(offset)))
	}
	return call[moving](methodsOf(file).plain.FxWrite)(tls, file, buffer, size, offset)
}

// abilities are a file's; that parts of pages are read without the rest is none of ours.
var abilities telling = func(tls *libc.TLS, file uintptr) int32 {
	return call[telling](methodsOf(file).plain.FxDeviceCharacteristics)(tls, file) &^ sqlite3.SQLITE_IOCAP_SUBPAGE_READ
}

func sumOfPage(b []byte, offset int64) uint32 {
	var number [8]byte
	binary.LittleEndian.PutUint64(number[:], uint64(offset/pageSize))
	return crc32.Update(crc32.Checksum(number[:], castagnoli), castagnoli, b[:pageSize-pageSum])
}

// sound tells whether a page is what was written. One that was never written, which
// may be among those that are free, is all zeros.
func sound(b []byte, offset int64) bool {
	if sum := binary.LittleEndian.Uint32(b[pageSize-pageSum:]); sum != 0 {
		return sum == sumOfPage(b, offset)
	}
	return len(bytes.Trim(b, "\x00")) == 0 || sumOfPage(b, offset) == 0
}
