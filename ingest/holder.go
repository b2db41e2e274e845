package ingest

import (
	"os"
	"path/filepath"
)

// A Holder returns a session's file that is not a file of the file system but is made from a database. Its path extends
// the database's. The error is fs.ErrNotExist if there is no such file, or no database.
type Holder func(path string) (File, error)

var holders = map[string]Holder{} // by the extension of the databases' names

// RegisterHolder registers the Holder for files inside databases with an extension. Call it before searching.
func RegisterHolder(extension string, h Holder) { holders[extension] = h }

// OnDisk returns the file that a path names or leads into.
func OnDisk(path string) string {
	if up := filepath.Dir(path); holders[filepath.Ext(up)] != nil && !IsFolder(up) {
		return up
	}
	return path
}

// FileNow returns a session's file as it now is at its source. The error is fs.ErrNotExist if it is gone.
func FileNow(name string, role FileRole, path string) (File, error) {
	if on := OnDisk(path); on != path {
		f, err := holders[filepath.Ext(on)](path)
		f.Name, f.Role = name, role
		return f, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return File{}, err
	}
	return FileAt(name, role, path, info), nil
}
