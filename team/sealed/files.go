package sealed

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"recall/internal/text"
	"recall/library"
)

// Of prepares a session's exact files for team.Sealed: a hash of them and of the keys, and a function to
// encrypt them.
func Of(l *library.Library, e library.Entry, keys []string) (hash string, bytes func() ([]byte, error)) {
	keys = slices.Sorted(slices.Values(keys))
	return text.Hash("sealed 1\x00"+e.Input+"\x00"+strings.Join(keys, "\x00"), 16), func() ([]byte, error) {
		files, err := filesOf(l, e)
		if err != nil {
			return nil, err
		}
		return Seal(files, keys)
	}
}

// maxRaw is the size limit of a session to be sealed, in bytes.
const maxRaw = 1 << 30

func filesOf(l *library.Library, e library.Entry) (files []File, err error) {
	all, err := l.Versions(e.ID)
	if err != nil {
		return nil, err
	}
	size := int64(0)
	for _, f := range all {
		if !f.Current {
			continue
		}
		if size += f.Size; size > maxRaw {
			return nil, fmt.Errorf("session %s: more than %d MB can't be sealed", e.ID, maxRaw>>20)
		}
		r, v, err := l.OpenVersion(e.ID, f.Name, f.Version)
		if err != nil {
			return nil, err
		}
		data, err := io.ReadAll(r)
		if err = errors.Join(err, r.Close()); err != nil {
			return nil, err
		}
		files = append(files, File{v.Name, data})
	}
	return files, nil
}
