package library

import (
	"io"
	"runtime"
	"time"

	"recall/library/disk"
)

// replaceShared puts text in the place of a file that anybody may append to without a lock, made of its first read
// bytes. What was appended since, to the file that goes, is appended to the new one as keep leaves it (nil for all).
func (l *Library) replaceShared(path string, read int64, text []byte, keep func(line []byte) bool) error {
	if runtime.GOOS == "windows" { // it refuses to replace an open file
		return l.put(path, text)
	}
	old, err := disk.Open(path)
	if err != nil {
		return err
	}
	defer old.Close()
	if err := l.put(path, text); err != nil {
		return err
	}
	// Who had opened it before it went writes at once; so one more look a little
	// later. Who is slower than that finds the new file by itself (appendShared).
	for range 2 {
		late, err := io.ReadAll(io.NewSectionReader(old, read, 1<<40))
		if err != nil {
			return err
		}
		read += int64(len(late))
		var lines []byte
		for _, line := range disk.SplitLines(late) {
			if keep == nil || keep(line) {
				lines = append(append(lines, line...), '\n')
			}
		}
		if len(lines) > 0 {
			if err := disk.AppendShared(path, lines); err != nil {
				return err
			}
		}
		time.Sleep(disk.AMoment / 2)
	}
	return nil
}
