//go:build !linux && !darwin

package ingest

import "io/fs"

// changedAt fails: here the ctime can't be had without opening the file.
func changedAt(fs.FileInfo) (int64, bool) { return 0, false }
