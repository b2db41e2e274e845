package library

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"recall/ingest"
	"recall/library/disk"
)

// A versionLine is a line of raw/versions.jsonl: the file's content is now the
// first Keep segments that the version before it had (the same version for
// growth, otherwise the one named in From), then Add.
type versionLine struct {
	File    string          `json:"file"`
	Role    ingest.FileRole `json:"role"`
	Version int             `json:"version"`        // from 1; growth keeps its number
	From    int             `json:"from,omitempty"` // version that Keep counts in, 0: this one
	Keep    int             `json:"keep"`
	Add     []string        `json:"add"`
	Size    int64           `json:"size"`
	Sum     string          `json:"sha256"`        // of the whole content
	CRC     []string        `json:"crc,omitempty"` // CRC-32C of the files named in Add, as stored; two where one is being stored anew
}

// A version is one content of a file.
type version struct {
	Segs []segment
	Size int64
	Sum  string
}

// versions are all contents of a session's files: number n of a file stands
// at n-1.
type versions struct {
	files map[string][]version
	roles map[string]ingest.FileRole
	crcs  map[string][]string // of each segment's file, as stored now or once
	size  int64               // of versions.jsonl as read, to notice another writer
	lost  []ingest.Problem
}

// readVersions reads raw/versions.jsonl. A line that makes no sense is a
// problem, and its version is lost, not the others.
func readVersions(folder string) (*versions, error) {
	path := filepath.Join(folder, "raw", "versions.jsonl")
	lines, err := disk.WholeLines(path)
	if err != nil {
		return nil, err
	}
	return parseVersions(path, lines), nil
}

func parseVersions(path string, lines [][]byte) *versions {
	v := newVersions()
	for i, text := range lines {
		v.size += int64(len(text)) + 1
		var line versionLine
		err := json.Unmarshal(text, &line)
		if err == nil {
			err = v.apply(line)
		}
		if err != nil {
			v.lost = append(v.lost, ingest.Problem{Path: path, Reason: fmt.Sprintf("line %d: %v", i+1, err)})
		}
	}
	return v
}

func newVersions() *versions {
	return &versions{files: map[string][]version{}, roles: map[string]ingest.FileRole{}, crcs: map[string][]string{}}
}

func (v *versions) apply(line versionLine) error {
	all := v.files[line.File]
	if line.Version < 1 || line.Version > len(all)+1 {
		return fmt.Errorf("version %d of %s has none before it", line.Version, line.File)
	}
	var base []segment
	switch from := line.From; {
	case from == 0 && line.Version <= len(all):
		base = all[line.Version-1].Segs
	case from > 0 && from <= len(all):
		base = all[from-1].Segs
	}
	if line.Keep < 0 || line.Keep > len(base) {
		return fmt.Errorf("keeps %d segments of %d", line.Keep, len(base))
	}
	next := version{Segs: append([]segment(nil), base[:line.Keep]...), Sum: line.Sum}
	for _, s := range next.Segs {
		next.Size += s.Length
	}
	for _, name := range line.Add {
		s, err := parseSegment(name)
		if err != nil {
			return err
		}
		if s.Offset != next.Size {
			return fmt.Errorf("segment %s doesn't follow on byte %d", name, next.Size)
		}
		next.Segs = append(next.Segs, s)
		next.Size += s.Length
	}
	if next.Size != line.Size {
		return fmt.Errorf("size %d, but its segments have %d", line.Size, next.Size)
	}
	if line.Version > len(all) {
		all = append(all, version{})
	}
	all[line.Version-1] = next
	v.files[line.File], v.roles[line.File] = all, line.Role
	for i, name := range line.Add {
		if i >= len(line.CRC) {
			break
		}
		for _, crc := range strings.Fields(line.CRC[i]) {
			if !slices.Contains(v.crcs[name], crc) {
				v.crcs[name] = append(v.crcs[name], crc)
			}
		}
	}
	return nil
}

// find gives the number of the version with this content, 0 if there is none.
func (v *versions) find(file string, size int64, sum string) int {
	for i, have := range v.files[file] {
		if have.Size == size && have.Sum == sum {
			return i + 1
		}
	}
	return 0
}

// at returns a version by number, nil if there is none.
func (v *versions) at(file string, n int) *version {
	if n < 1 || n > len(v.files[file]) {
		return nil
	}
	return &v.files[file][n-1]
}

func encodeLines(lines []versionLine) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for _, line := range lines {
		enc.Encode(line) // into memory, of plain fields: it can't fail
	}
	return b.Bytes()
}
