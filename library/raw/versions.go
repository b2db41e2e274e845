package raw

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"recall/ingest"
	"recall/library/disk"
)

// A Line is a line of raw/versions.jsonl: the content is now the first Keep segments of an earlier version (the same
// one for growth, else From), followed by Add.
type Line struct {
	File    string          `json:"file"`
	Role    ingest.FileRole `json:"role"`
	Version int             `json:"version"`        // from 1; growth keeps its number
	From    int             `json:"from,omitempty"` // the version whose segments Keep counts, 0 for this one
	Keep    int             `json:"keep"`
	Add     []string        `json:"add"`
	Size    int64           `json:"size"`
	Sum     string          `json:"sha256"` // of the whole content
	// CRC has the CRC-32C of the files in Add, as stored; two while one is being replaced.
	CRC []string `json:"crc,omitempty"`
}

// A Version is one content of a file.
type Version struct {
	Segs []Segment
	Size int64
	Sum  string
}

// Versions holds all contents of a session's files: version n of a file is at index n-1.
type Versions struct {
	Files map[string][]Version
	Roles map[string]ingest.FileRole
	CRCs  map[string][]string // of each segment's file, as stored now or before
	Read  int64               // size of versions.jsonl as read, to notice another writer
	Lost  []ingest.Problem
}

// OnlyFile is the name of the file that a session's only segment is.
const OnlyFile = "transcript.jsonl"

// Implied returns the list for segments that need none, nil if they need one. crc is the segment file's, "" if
// unknown.
func Implied(segs []Segment, crc string) []byte {
	if len(segs) != 1 || segs[0].Offset != 0 || segs[0].Length == 0 {
		return nil
	}
	line := Line{File: OnlyFile, Role: ingest.Transcript, Version: 1, Add: []string{segs[0].String()},
		Size: segs[0].Length, Sum: segs[0].Sum}
	if crc != "" {
		line.CRC = []string{crc}
	}
	return EncodeLines([]Line{line})
}

// ImpliesList reports whether the list can be omitted, as the only segment implies these lines.
func ImpliesList(lines []Line, segs []Staged) bool {
	return len(segs) == 1 && bytes.Equal(EncodeLines(lines), Implied([]Segment{segs[0].Segment}, segs[0].CRC))
}

// MakeList writes the list if there is none, before adding segments that need it. put durably replaces a whole file.
func (v *Versions) MakeList(folder string, put func(path string, data []byte) error) error {
	path := ListPath(folder)
	if disk.Exists(path) || len(v.Files) == 0 {
		return nil
	}
	return put(path, v.encode())
}

// ParseVersions reads the lines of raw/versions.jsonl, at path. A malformed line is a problem, and only its version
// is lost.
func ParseVersions(path string, lines [][]byte) *Versions {
	v := NewVersions()
	for i, text := range lines {
		v.Read += int64(len(text)) + 1
		var line Line
		err := json.Unmarshal(text, &line)
		if err == nil {
			err = v.Apply(line)
		}
		if err != nil {
			v.Lost = append(v.Lost, ingest.Problem{Path: path, Err: fmt.Errorf("line %d: %w", i+1, err)})
		}
	}
	return v
}

// NewVersions returns an empty Versions.
func NewVersions() *Versions {
	return &Versions{Files: map[string][]Version{}, Roles: map[string]ingest.FileRole{}, CRCs: map[string][]string{}}
}

// Apply adds one line; after an error nothing has changed.
func (v *Versions) Apply(line Line) error {
	all := v.Files[line.File]
	if line.Version < 1 || line.Version > len(all)+1 {
		return fmt.Errorf("version %d of %s has none before it", line.Version, line.File)
	}
	var base []Segment
	switch from := line.From; {
	case from == 0 && line.Version <= len(all):
		base = all[line.Version-1].Segs
	case from > 0 && from <= len(all):
		base = all[from-1].Segs
	}
	if line.Keep < 0 || line.Keep > len(base) {
		return fmt.Errorf("keeps %d segments of %d", line.Keep, len(base))
	}
	next := Version{Segs: append([]Segment(nil), base[:line.Keep]...), Sum: line.Sum}
	for _, s := range next.Segs {
		next.Size += s.Length
	}
	for _, name := range line.Add {
		s, err := ParseSegment(name)
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
		all = append(all, Version{})
	}
	all[line.Version-1] = next
	v.Files[line.File], v.Roles[line.File] = all, line.Role
	for i, name := range line.Add {
		if i >= len(line.CRC) {
			break
		}
		for _, crc := range strings.Fields(line.CRC[i]) {
			if !slices.Contains(v.CRCs[name], crc) {
				v.CRCs[name] = append(v.CRCs[name], crc)
			}
		}
	}
	return nil
}

// Find returns the number of the version with this content, 0 if there is none.
func (v *Versions) Find(file string, size int64, sum string) int {
	return 1 + slices.IndexFunc(v.Files[file], func(have Version) bool { return have.Size == size && have.Sum == sum })
}

// At returns a version by number, nil if there is none.
func (v *Versions) At(file string, n int) *Version {
	if n < 1 || n > len(v.Files[file]) {
		return nil
	}
	return &v.Files[file][n-1]
}

// EncodeLines returns lines in the form of the list, each with its checksum.
func EncodeLines(lines []Line) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for _, line := range lines {
		enc.Encode(line) // encoding plain fields into memory can't fail
	}
	return disk.SealLines(b.Bytes())
}

// A Stored is a segment with what is known about its file.
type Stored struct {
	Segment
	CRCs []string // its checksum is one of these, if any are known
	File string   // a file that has it
}

// Needed returns the segments that versions need.
func (v *Versions) Needed() map[Segment]bool {
	needed := map[Segment]bool{}
	for _, s := range v.Stored() {
		needed[s.Segment] = true
	}
	return needed
}

// Stored lists every segment that versions need, once.
func (v *Versions) Stored() []Stored {
	var all []Stored
	seen := map[string]bool{}
	for file, list := range v.Files {
		for _, ver := range list {
			for _, s := range ver.Segs {
				if name := s.String(); !seen[name] {
					seen[name] = true
					all = append(all, Stored{s, v.CRCs[name], file})
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b Stored) int { return strings.Compare(a.String(), b.String()) })
	return all
}

// Replace stores a segment of the list again, in place of the file of the same name. put durably replaces a whole file.
func (v *Versions) Replace(folder string, st Staged, put func(path string, data []byte) error) error {
	if len(v.Lost) > 0 {
		return fmt.Errorf("%w: %w", v.Lost[0], disk.ErrDamaged)
	}
	raw := filepath.Join(folder, "raw")
	if err := disk.MakeDirs(raw); err != nil { // it may be gone with all in it
		return err
	}
	// Its checksum is listed first, beside the one that it had.
	name := st.String()
	v.CRCs[name] = append(v.CRCs[name], st.CRC)
	if err := put(ListPath(folder), v.encode()); err != nil {
		return err
	}
	if err := disk.Rename(st.Temp, Path(folder, st.Segment)); err != nil {
		return err
	}
	return disk.SyncDir(raw)
}

// encode returns the list of versions in its shortest form: one line for each.
func (v *Versions) encode() []byte {
	var lines []Line
	for _, file := range slices.Sorted(maps.Keys(v.Files)) {
		for n, ver := range v.Files[file] {
			line := Line{File: file, Role: v.Roles[file], Version: n + 1, Add: []string{}, Size: ver.Size,
				Sum: ver.Sum}
			for _, s := range ver.Segs {
				name := s.String()
				line.Add, line.CRC = append(line.Add, name), append(line.CRC, strings.Join(v.CRCs[name], " "))
			}
			lines = append(lines, line)
		}
	}
	return EncodeLines(lines)
}

// DropMerged removes segments that the lines made unnecessary: small ones, stored again together.
func (v *Versions) DropMerged(folder string, lines []Line) error {
	before := v.Needed()
	for _, line := range lines {
		if err := v.Apply(line); err != nil {
			return nil // an earlier line could not be read, so nothing is certain
		}
	}
	needed := v.Needed()
	for s := range before {
		if !needed[s] && len(v.Lost) == 0 {
			if err := disk.RemoveIfThere(Path(folder, s)); err != nil {
				return err
			}
		}
	}
	return nil
}

// Covers reports, after reading them, whether some version holds the bytes of a segment.
func (v *Versions) Covers(ctx context.Context, folder string, s Segment) bool {
	for _, list := range v.Files {
		for _, ver := range list {
			if ver.Size < s.Offset+s.Length {
				continue
			}
			in := Read(folder, ver.Segs...)
			in.At = s.Offset
			sum, err := disk.Sum(io.LimitReader(disk.Until(ctx, in), s.Length))
			in.Close()
			if err == nil && sum.Size == s.Length && sum.SHA256 == s.Sum {
				return true
			}
		}
	}
	return false
}
