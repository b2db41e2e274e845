package llm

import (
	"encoding/json"
	"os"
	"path/filepath"
)

// Put writes a value as JSON that people can read into a file of the user's own, whole
// or not at all.
func Put(name string, v any) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".writing-*") // 0600
	if err != nil {
		return err
	}
	e := json.NewEncoder(f)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err = e.Encode(v)
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
