package disk

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
)

// ReadList reads a list from a JSON file of at most so many bytes; it is empty if there is no file.
func ReadList[T any](path string, most int64) (list []T, err error) {
	said, err := ReadRegular(path, most)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		if err = json.Unmarshal(said, &list); err != nil {
			err = fmt.Errorf("%s: %w", path, err)
		}
	}
	return list, err
}

// WriteList replaces the file of a list; an empty one has none.
func WriteList[T any](path string, list []T) error {
	if len(list) == 0 {
		return RemoveIfThere(path)
	}
	said, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		return err
	}
	return Replace(path, append(said, '\n'), 0o600)
}
