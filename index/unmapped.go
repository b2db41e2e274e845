package index

import (
	"github.com/ncruces/go-sqlite3/util/vfsutil"
	"github.com/ncruces/go-sqlite3/vfs"
)

// Where pages have checksums, the driver (0.35.6) has no map of the file in memory. It tells SQLite of one all the
// same, and panics when that is to be let go of, which is when another connection has changed the index. So the file
// is opened as one that can't be mapped.
const unmapped = "recall-index"

func init() { vfs.Register(unmapped, unmappedVFS{vfs.Find("")}) }

type unmappedVFS struct{ vfs.VFS }

func (v unmappedVFS) Open(name string, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	return v.OpenFilename(nil, flags) // never called: SQLite prefers OpenFilename
}

func (v unmappedVFS) OpenFilename(name *vfs.Filename, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	f, flags, err := vfsutil.WrapOpenFilename(v.VFS, name, flags)
	if err != nil || flags&vfs.OPEN_MAIN_DB == 0 {
		return f, flags, err
	}
	return unmappedFile{f}, flags, nil
}

type unmappedFile struct{ vfs.File }

func (f unmappedFile) SharedMemory() vfs.SharedMemory { return vfsutil.WrapSharedMemory(f.File) }

func (f unmappedFile) Unwrap() vfs.File { return f.File }
