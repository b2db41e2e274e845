package samples

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"
)

// scripts tell the sample sessions in short; what makes transcripts of them
// stands in the tests beside this one.
const scripts = "testdata/scripts"

// The samples are what the scripts tell: -update packs them again.
func TestSamplesAreTheScripts(t *testing.T) {
	files, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(packed, pack(t, files), 0o644); err != nil {
			t.Fatal(err)
		}
		t.Skip("samples.zip is written anew")
	}
	all, err := zip.OpenReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := len(all.File), len(files); got != want {
		t.Errorf("%d files are packed, and the scripts make %d", got, want)
	}
	for name, want := range files {
		if got, err := fs.ReadFile(all, name); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s isn't what the scripts make (%v): go test ./eval/samples -update", name, err)
		}
	}
}

func pack(t *testing.T, files map[string][]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range sortedKeys(files) {
		f, err := w.Create(name)
		if err == nil {
			_, err = f.Write(files[name])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// generate turns all scripts into files by slash-separated path.
func generate() (map[string][]byte, error) {
	all, err := load()
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, name := range sortedKeys(all) {
		s, err := tell(all[name], all)
		if err != nil {
			return nil, err
		}
		if all[name].head["source"] == "cowork" {
			err = writeCowork(s, files)
		} else {
			err = writeClaude(s, files)
		}
		if err != nil {
			return nil, fmt.Errorf("demo %s: %w", name, err)
		}
	}
	files[coworkBase+"/spaces.json"] = spaces(all)
	return files, nil
}

// load parses every script, by name without extension.
func load() (map[string]*script, error) {
	entries, err := os.ReadDir(scripts)
	if err != nil {
		return nil, err
	}
	all := map[string]*script{}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(scripts, e.Name()))
		if err != nil {
			return nil, err
		}
		name := strings.TrimSuffix(e.Name(), ".txt")
		if all[name], err = parse(name, string(text)); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
