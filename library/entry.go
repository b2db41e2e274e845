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
	"recall/library/render"
	"recall/payload"
)

// An Entry is the content of session.json but for the payload in it, and where its folder is. Its slices are shared:
// don't modify them.
type Entry struct {
	ID     ingest.SessionID `json:"id"`
	Source ingest.Source    `json:"source"`
	Root   string           `json:"root"` // the folder it was found under
	Meta
	Named string `json:"named,omitempty"` // title part of the folder's name, set once
	// Marks is what edits.jsonl says about the session as a whole.
	Marks payload.Marks `json:"marks,omitzero"`
	// Input is the SHA-256 over the current versions of all files: payload.Provenance.Input.
	Input     string              `json:"input"`
	Distilled *payload.Provenance `json:"distilled,omitempty"` // of the saved payload; outdated if its Input differs
	Files     []FileState         `json:"files"`               // by name

	Rendered bool `json:"rendered,omitempty"` // it has a transcript.md
	// Sums has the SHA-256 of each output, by slash-separated path in the folder.
	Sums map[string]string `json:"sums,omitempty"`

	Folder string `json:"-"` // absolute
}

// Meta is what parsing finds out about a session; see Place.
type Meta struct {
	Project  string             `json:"project,omitempty"` // Project.ID; "" until it is parsed
	Also     []string           `json:"also,omitempty"`    // other projects that it worked in
	Briefly  []string           `json:"briefly,omitempty"` // those of Also in which it spent few of its turns
	Title    string             `json:"title,omitempty"`   // redacted
	Start    time.Time          `json:"start,omitzero"`
	End      time.Time          `json:"end,omitzero"`
	Branch   string             `json:"branch,omitempty"`
	Aliases  []ingest.SessionID `json:"aliases,omitempty"`
	Parent   ingest.SessionID   `json:"parent,omitempty"`
	How      string             `json:"how,omitempty"`   // how it relates to Parent
	Heads    []string           `json:"heads,omitempty"` // ingest.Head.Keys
	Turns    int                `json:"turns,omitempty"`
	Plans    []string           `json:"plans,omitempty"` // plan files that it wrote or followed
	Helper   bool               `json:"helper,omitempty"`
	Headless bool               `json:"headless,omitempty"` // a program ran the client; see ingest.Session
	Less     bool               `json:"less,omitempty"`     // its source lacks what it had: see ingest.UniteVersions
	Unread   bool               `json:"unread,omitempty"`   // ingest.Report.Partial of it

	// Settled means that the session was quiet for a day, so its title becomes part of the folder's name for good.
	Settled bool `json:"-"`
}

// FileState describes one file of a session.
type FileState struct {
	Name    string          `json:"name"`
	Role    ingest.FileRole `json:"role"`
	Place   int             `json:"place"`   // in discovery order, the conversation first
	Version int             `json:"version"` // the current one, from 1
	Size    int64           `json:"size"`
	Sum     string          `json:"sha256"`
	Fullest int             `json:"fullest,omitempty"` // the longest version, if the current one is shorter
	CRC     string          `json:"crc,omitempty"`     // CRC-32C of its segment's file, if that is the only one
	Sources []SourceState   `json:"sources"`           // where it was found, by path; usually one
}

// SourceState is one place where a file was found, as of when its bytes were last archived.
type SourceState struct {
	Path    string    `json:"path"`
	Size    int64     `json:"size"`
	Mod     time.Time `json:"mod"`
	Stamp   string    `json:"stamp,omitempty"` // ingest.Stamp
	Version int       `json:"version"`         // its content: the first Size bytes of this version
	Gone    bool      `json:"gone,omitempty"`  // it was missing when last looked for
}

// Versions returns the versions of the session's files, as in its folder now.
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

// ImpliedList returns the list of versions of a session that has none on disk, from the name of its only segment or,
// if that is missing, from session.json.
func (e Entry) ImpliedList() []byte {
	segs, crc := raw.In(e.Folder), ""
	if len(e.Files) == 1 {
		if crc = e.Files[0].CRC; crc != "" && (len(segs) != 1 || segs[0].Sum != e.Files[0].Sum) {
			segs = []raw.Segment{{Length: e.Files[0].Size, Sum: e.Files[0].Sum}}
		}
	}
	return raw.Implied(segs, crc)
}

// Lacks returns the first segment of the current contents whose file is gone or empty, nil if all are there.
func (e Entry) Lacks() error {
	if len(e.Files) == 1 && e.Files[0].CRC != "" { // one file in one segment
		only := raw.Segment{Length: e.Files[0].Size, Sum: e.Files[0].Sum}
		if disk.HasBytes(raw.Path(e.Folder, only)) {
			return nil
		}
	}
	v, err := e.Versions()
	if err != nil {
		return err
	}
	for _, f := range e.Files {
		ver := v.At(f.Name, f.Version)
		if ver == nil {
			return fmt.Errorf("%s: %w: version %d is not in versions.jsonl", f.Name, ErrDamaged, f.Version)
		}
		for _, s := range ver.Segs {
			if !disk.HasBytes(raw.Path(e.Folder, s)) {
				return fmt.Errorf("%s: %w: %s is gone or empty", f.Name, ErrDamaged, s)
			}
		}
	}
	return nil
}

// Behind reports whether there is no payload, or one made from other bytes than are archived now.
func (e Entry) Behind() bool { return e.Distilled == nil || e.Distilled.Input != e.Input }

// Made returns when the payload was last written, zero if there is none.
func (e Entry) Made() time.Time {
	fi, err := os.Stat(filepath.Join(e.Folder, render.TranscriptName))
	if err != nil {
		return time.Time{}
	}
	return fi.ModTime()
}

// Shorter reports whether the source of a conversation is shorter now than it was, or lacks what it had.
func (e Entry) Shorter() bool {
	return e.Less || slices.ContainsFunc(e.Files, func(f FileState) bool {
		said := f.Role == ingest.Transcript || f.Role == ingest.SubagentFile
		return said && (f.Fullest > 0 || f.shorterThere())
	})
}

// shorterThere reports whether the source with most is gone, and only copies that have less are left.
func (f FileState) shorterThere() bool {
	as := func(s SourceState) bool { return !s.Gone && s.Path != "" && s.Size >= f.Size }
	return !f.gone() && !slices.ContainsFunc(f.Sources, as)
}

// Quiet returns for how long nothing was said: since the last time in the session or, if there is none or it lies in
// the future, since its newest file was written.
func (e Entry) Quiet(now time.Time) time.Duration {
	last := e.End
	if last.IsZero() || last.After(now) {
		last = e.Written()
	}
	return now.Sub(last)
}

// Written returns when its newest source file was last written.
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

// File returns the state of a file of the session, or nil.
func (e *Entry) File(name string) *FileState {
	for i := range e.Files {
		if e.Files[i].Name == name {
			return &e.Files[i]
		}
	}
	return nil
}

// fileOf is like File but adds the file if it is missing.
func (e *Entry) fileOf(name string) *FileState {
	if f := e.File(name); f != nil {
		return f
	}
	e.Files = append(e.Files, FileState{Name: name})
	return &e.Files[len(e.Files)-1]
}

// SourceAt returns what is known of a source by its path, nil if it isn't one of them.
func (f *FileState) SourceAt(path string) *SourceState {
	for i := range f.Sources {
		if f.Sources[i].Path == path {
			return &f.Sources[i]
		}
	}
	return nil
}

// choose picks the current version: that of the longest source, at equal length one that still exists, then the first
// by path, so that the order in which copies arrived doesn't matter.
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
		f.Size, f.Sum, f.Fullest = ver.Size, ver.Sum, 0
		longest := ver.Size
		for i, other := range v.Files[f.Name] {
			if other.Size > longest {
				f.Fullest, longest = i+1, other.Size
			}
		}
	}
}

// settle chooses each file's current version and finishes the entry.
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

// Clone copies what a change may modify.
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

// The payload is the last field of session.json. Lists of sessions don't read it.
var (
	endOfObject = []byte("\n}\n")
	payloadKey  = []byte(",\n  \"payload\": ")
	payloadEnd  = []byte("\n  }")
)

// encode returns the content of session.json. saved is the payload as encoded, nil for none.
func (e Entry) encode(saved []byte) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(e)
	text := b.Bytes()
	if saved != nil {
		inner := bytes.ReplaceAll(bytes.TrimSuffix(saved, endOfObject), []byte("\n"), []byte("\n  "))
		text = slices.Concat(bytes.TrimSuffix(text, endOfObject), payloadKey, inner, payloadEnd, endOfObject)
	}
	return disk.SealJSON(text), err
}

// payloadOf returns the payload in the text of a session.json as it was encoded, or nil.
func payloadOf(text []byte) []byte {
	_, inner, found := bytes.Cut(text, payloadKey)
	end := bytes.LastIndex(inner, payloadEnd)
	if !found || end < 0 {
		return nil
	}
	return append(bytes.ReplaceAll(inner[:end], []byte("\n  "), []byte("\n")), endOfObject...)
}

// DecodeEntry decodes session.json. With an error it also returns what could be read.
func DecodeEntry(text []byte, folder string) (Entry, error) {
	var e Entry
	if own, _, found := bytes.Cut(text, payloadKey); found {
		text = append(slices.Clip(own), endOfObject...)
	}
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
