package terminal

import (
	"errors"
	"fmt"
	"io/fs"
	"time"

	"recall/hint"
)

// NoSuchFile says plainly that a file which was named isn't there.
func NoSuchFile(name string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return hint.With(fmt.Errorf("%s: no such file or folder", name),
			"give the path of a transcript or of a folder with transcripts")
	}
	return fmt.Errorf("%s: %w", name, err)
}

// Size writes bytes as people do.
func Size(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%d KB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}

// Elapsed rounds a time for people.
func Elapsed(d time.Duration) string {
	if d < time.Second {
		return d.Round(time.Millisecond).String()
	}
	return d.Round(100 * time.Millisecond).String()
}
