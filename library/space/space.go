// Package space measures how much of a disk a library uses.
package space

import (
	"io/fs"

	"recall/library"
	"recall/library/disk"
)

// Disk is the space that a library uses and that is left.
type Disk struct {
	Bytes int64 `json:"bytes"`
	Whole bool  `json:"whole"` // everything was counted; else Bytes is an estimate
	Free  int64 `json:"free"`  // 0 if unknown
}

// sessionsCounted limits the sessions whose files are counted, to keep status fast.
const sessionsCounted = 200

// Of adds up the files of a library in a folder. If there are many sessions it measures a sample spread over
// time, and assumes the same ratio to the sources for the others.
func Of(dir string, entries []library.Entry) Disk {
	n := min(len(entries), sessionsCounted)
	doc := Disk{Whole: n == len(entries), Free: disk.Free(dir)}
	sessions := map[string]bool{}
	var theirs, counted, all int64 // bytes of the sessions counted, of their sources, and of all sources
	for i, e := range entries {
		sessions[e.Folder] = true
		bytes := int64(0)
		for _, f := range e.Files {
			bytes += f.Size
		}
		all += bytes
		if i*n/len(entries) != (i+1)*n/len(entries) {
			counted += bytes
			theirs += filesIn(e.Folder, func(string) bool { return false })
		}
	}
	if counted > 0 {
		theirs = int64(float64(theirs) * (float64(all) / float64(counted)))
	}
	doc.Bytes = theirs + filesIn(dir, func(path string) bool { return sessions[path] })
	return doc
}

// filesIn adds up the files below a folder except those skipped. What can't be read is reported elsewhere.
func filesIn(dir string, skip func(path string) bool) (n int64) {
	_ = disk.Walk(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil
		case d.IsDir() && skip(path):
			return fs.SkipDir
		}
		if fi, err := d.Info(); err == nil && fi.Mode().IsRegular() {
			n += fi.Size()
		}
		return nil
	})
	return n
}
