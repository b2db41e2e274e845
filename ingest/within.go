package ingest

import (
	"os"
	"path/filepath"
)

// A Holder tells of a session's file that is no file of the file system: it is made of what a database holds. Its path
// goes on below the database's. The error is fs.ErrNotExist where there is no such file, or no database.
type Holder func(path string) (File, error)

var holders = map[string]Holder{} // by the ending of the databases' names

// Hold has a Holder asked for what lies in files whose names end so. It is called before anything is looked for.
func Hold(ending string, h Holder) { holders[ending] = h }

// OnDisk is the file that a path leads to or into.
func OnDisk(path string) string {
	if up := filepath.Dir(path); holders[filepath.Ext(up)] != nil && !IsFolder(up) {
		return up
	}
	return path
}

// FileNow is a file of a session as it is at its source now. The error is fs.ErrNotExist if it is gone.
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
