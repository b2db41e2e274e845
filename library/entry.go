package library

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	fastjson "github.com/go-json-experiment/json"

	"recall/ingest"
	"recall/library/disk"
	"recall/library/raw"
	"recall/payload"
)

// An Entry is what session.json says, and where its folder is. Slices in it are shared: don't change them.
type Entry struct {
	ID     ingest.SessionID `json:"id"`
	Source ingest.Source    `json:"source"`
	Root   string           `json:"root"` // it was found under
	Meta
	Named string `json:"named,omitempty"` // title part of the folder's name, set once
	// what edits.jsonl says of the session as a whole
	Marks payload.Marks `json:"marks,omitzero"`
	// SHA-256 over the current version of all its files: payload.Provenance.Input
	Input     string              `json:"input"`
	Distilled *payload.Provenance `json:"distilled,omitempty"` // of the payload that is saved; behind if its Input differs
	Files     []FileState         `json:"files"`               // by name

	Packed string `json:"packed,omitempty"` // Input whose segments are packed; see Pack
	Format int    `json:"format,omitempty"` // of the library when it was last written; 0 is 1
	// SHA-256 of what is rendered, by slash-separated path in the folder
	Sums map[string]string `json:"sums,omitempty"`

	Folder string `json:"-"` // absolute
}

// Meta is what parsing tells of a session; see Place.
type Meta struct {
	Project  string             `json:"project,omitempty"` // Project.ID; "" while it isn't parsed
	Title    string             `json:"title,omitempty"`   // redacted
	Start    time.Time          `json:"start,omitzero"`
	End      time.Time          `json:"end,omitzero"`
	Branch   string             `json:"branch,omitempty"`
	Aliases  []ingest.SessionID `json:"aliases,omitempty"`
	Parent   ingest.SessionID   `json:"parent,omitempty"`
	How      string             `json:"how,omitempty"`   // of Parent
	Heads    []string           `json:"heads,omitempty"` // ingest.Head.Keys
	Turns    int                `json:"turns,omitempty"`
	Plans    []string           `json:"plans,omitempty"` // plan files that it wrote or followed
	Helper   bool               `json:"helper,omitempty"`
	Archived bool               `json:"archived,omitempty"` // hidden by its user in the app

	// Settled says that the session was quiet for a day: its title becomes part of the folder's name, for good.
	Settled bool `json:"-"`
}

// FileState is what the library knows of one file of a session.
type FileState struct {
	Name    string          `json:"name"`
	Role    ingest.FileRole `json:"role"`
	Place   int             `json:"place"`   // in discovery's order, the conversation first
	Version int             `json:"version"` // the current one, from 1
	Size    int64           `json:"size"`
	Sum     string          `json:"sha256"`
	CRC     string          `json:"crc,omitempty"` // CRC-32C of its segment's file, where that is the only one
	Sources []SourceState   `json:"sources"`       // where it was found, by path; usually one
}

// SourceState is one place where a file was found, as it was when its bytes were last taken.
type SourceState struct {
	Path    string    `json:"path"`
	Size    int64     `json:"size"`
	Mod     time.Time `json:"mod"`
	Stamp   string    `json:"stamp,omitempty"` // ingest.Stamp
	Version int       `json:"version"`         // its content: the first Size bytes of this version
	Gone    bool      `json:"gone,omitempty"`  // it was not there any more when last looked for
}

// Versions are those of its files, as its folder has them now.
func (e Entry) Versions() (*raw.Versions, error) {
	path := raw.ListPath(e.Folder)
	text, err := disk.ReadIfThere(path)
	if err != nil {
		return nil, err
	}
	if text == nil {
		text = e.ImpliedList()
	}
	return raw.ParseVersions(path, disk.SplitLines(text)), nil
}

// ImpliedList stands for the list of versions where there is none: by the only segment's name or, if that is gone,
// session.json.
func (e Entry) ImpliedList() []byte {
	segs, crc := raw.In(e.Folder), ""
	if len(e.Files) == 1 {
		if crc = e.Files[0].CRC; crc != "" && len(segs) != 1 {
			segs = []raw.Segment{{Length: e.Files[0].Size, Sum: e.Files[0].Sum}}
		}
	}
	return raw.Implied(segs, crc)
}

// Behind reports whether what is saved, if anything, was made from other bytes than are archived now.
func (e Entry) Behind() bool { return e.Distilled == nil || e.Distilled.Input != e.Input }

// Made is when its payload was last written, zero if there is none.
func (e Entry) Made() time.Time {
	fi, err := os.Stat(filepath.Join(e.Folder, "payload.json"))
	if err != nil {
		return time.Time{}
	}
	return fi.ModTime()
}

// Holding is the file that a path is a source of, nil if none is.
func (e *Entry) Holding(path string) *FileState {
	for i := range e.Files {
		if e.Files[i].source(path) != nil {
			return &e.Files[i]
		}
	}
	return nil
}

// Gone reports whether none of the session's sources exists any more, as far as the library was told.
func (e Entry) Gone() bool {
	for _, f := range e.Files {
		if !f.gone() {
			return false
		}
	}
	return true
}

// Quiet is how long nothing was said: since the last time stated in the session, else, or if that is still to come,
// since its newest file was written.
func (e Entry) Quiet(now time.Time) time.Duration {
	last := e.End
	if last.IsZero() || last.After(now) {
		last = e.Written()
	}
	return now.Sub(last)
}

// Written is when its newest file was last written to, at its source.
func (e Entry) Written() time.Time {
	var last time.Time
	for _, f := range e.Files {
		for _, s := range f.Sources {
			if s.Mod.After(last) {
				last = s.Mod
			}
		}
	}
	return last
}

func (f FileState) gone() bool {
	return !slices.ContainsFunc(f.Sources, func(s SourceState) bool { return !s.Gone && s.Path != "" })
}

// File is the state of a file of the session, nil of one that it hasn't.
func (e *Entry) File(name string) *FileState {
	for i := range e.Files {
		if e.Files[i].Name == name {
			return &e.Files[i]
		}
	}
	return nil
}

// fileOf is File, of a new one if there is none.
func (e *Entry) fileOf(name string) *FileState {
	if f := e.File(name); f != nil {
		return f
	}
	e.Files = append(e.Files, FileState{Name: name})
	return &e.Files[len(e.Files)-1]
}

func (f *FileState) source(path string) *SourceState {
	for i := range f.Sources {
		if f.Sources[i].Path == path {
			return &f.Sources[i]
		}
	}
	return nil
}

// choose sets the current version from the sources: the longest, then one that is there before one that is gone, then
// the first by path, in whatever order copies arrived.
func (f *FileState) choose(v *raw.Versions) {
	slices.SortFunc(f.Sources, func(a, b SourceState) int { return strings.Compare(a.Path, b.Path) })
	if len(f.Sources) == 0 {
		return
	}
	f.Version = slices.MaxFunc(f.Sources, func(a, b SourceState) int {
		if a.Size == b.Size && a.Gone != b.Gone {
			return map[bool]int{true: -1, false: 1}[a.Gone]
		}
		return cmp.Compare(a.Size, b.Size)
	}).Version
	if ver := v.At(f.Name, f.Version); ver != nil {
		f.Size, f.Sum = ver.Size, ver.Sum
	}
}

// settle chooses each file's current version, and finishes the entry.
func (e *Entry) settle(v *raw.Versions) {
	for i := range e.Files {
		e.Files[i].choose(v)
	}
	e.finish()
}

// finish sorts the files and computes Input.
func (e *Entry) finish() {
	slices.SortFunc(e.Files, func(a, b FileState) int { return strings.Compare(a.Name, b.Name) })
	var all bytes.Buffer
	for _, f := range e.Files {
		fmt.Fprintf(&all, "%d:%s %d %s\n", len(f.Name), f.Name, f.Size, f.Sum)
	}
	e.Input = disk.HexSum(all.Bytes())
}

// Clone copies what a change may write to.
func (e Entry) Clone() Entry {
	e.Files = slices.Clone(e.Files)
	for i := range e.Files {
		e.Files[i].Sources = slices.Clone(e.Files[i].Sources)
	}
	if e.Sums = maps.Clone(e.Sums); e.Sums == nil {
		e.Sums = map[string]string{}
	}
	return e
}

// encode is the content of session.json.
func (e Entry) encode() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(e)
	return disk.SealJSON(b.Bytes()), err
}

// DecodeEntry reads what session.json says; what can be read of it comes beside an error, too.
func DecodeEntry(text []byte, folder string) (Entry, error) {
	var e Entry
	if err := fastjson.Unmarshal(text, &e); err != nil {
		return e, err
	}
	if !ValidID(e.ID) {
		return e, fmt.Errorf("no usable id: %q", e.ID)
	}
	e.Folder = folder
	return e, nil
}

func sessionFile(folder string) string { return folder + string(filepath.Separator) + "session.json" }
