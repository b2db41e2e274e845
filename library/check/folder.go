package check

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"recall/ingest"
	"recall/internal/text"
	"recall/library"
	"recall/library/disk"
	"recall/library/raw"
	"recall/library/render"
	"recall/payload"
)

// folderCheck checks one session's folder.
type folderCheck struct {
	c       *checking
	entry   library.Entry
	lines   []byte // versions.jsonl
	noLines error
	v       *raw.Versions
	segs    []raw.Stored // needed by versions

	findings []Finding
}

// folder checks one session's folder.
func (c *checking) folder(e library.Entry) []Finding {
	f := &folderCheck{c: c, entry: e, v: raw.NewVersions()}
	f.lines, f.noLines = c.read(f.at("raw/versions.jsonl"))
	if implied := e.ImpliedList(); errors.Is(f.noLines, fs.ErrNotExist) && implied != nil {
		f.lines, f.noLines = implied, nil
	}
	if f.noLines == nil {
		f.v = raw.ParseVersions(f.at("raw/versions.jsonl"), disk.SplitLines(f.lines))
		f.segs = f.v.Stored()
	}
	for _, s := range f.segs {
		if c.ctx.Err() == nil {
			f.checkSegment(s)
		}
	}
	f.session()
	f.versions()
	for _, name := range []string{"edits.jsonl", "notes.jsonl"} {
		if what, state, mend := c.lines(f.at(name)); what != "" {
			f.found(name, state, mend, "%s", what)
		}
	}
	f.others()
	f.markdown(library.PayloadIn(e.Folder))
	f.rendered()
	return f.findings
}

func (f *folderCheck) at(name string) string {
	return filepath.Join(f.entry.Folder, filepath.FromSlash(name))
}

func (f *folderCheck) found(name string, state FindingState, mend Mend, format string, args ...any) {
	f.findings = append(f.findings, Finding{
		Path: f.c.l.Rel(f.at(name)), Session: f.entry.ID, State: state, What: fmt.Sprintf(format, args...), Mend: mend,
	})
}

func (f *folderCheck) session() {
	text, err := f.c.read(filepath.Join(f.entry.Folder, "session.json"))
	if err != nil {
		f.found("session.json", Damaged, MendRender, "%v", err)
		return
	}
	if disk.SealOfJSON(text) != disk.SealGood {
		f.found("session.json", Damaged, MendRender, badSeal)
	} else if p := library.PayloadIn(f.entry.Folder); p == nil && f.entry.Distilled != nil {
		f.found("session.json", Damaged, MendRender, "its payload can't be read")
	}
}

// versions checks versions.jsonl, and that it has what session.json says.
func (f *folderCheck) versions() {
	const name = "raw/versions.jsonl"
	if f.noLines != nil {
		if len(f.entry.Files) > 0 {
			f.found(name, Damaged, MendSource, "%v", f.noLines)
		}
		return
	}
	behind := ""
	for _, state := range f.entry.Files {
		if ver := f.v.At(state.Name, state.Version); ver == nil || ver.Size < state.Size ||
			ver.Size == state.Size && ver.Sum != state.Sum {
			behind = state.Name
		}
	}
	what, state := checkLines(f.lines)
	switch {
	case what != "" && state == Damaged:
		f.found(name, Damaged, MendSource, "%s", what)
	case behind != "":
		f.found(name, Damaged, MendSource, "it lacks the content of %s that session.json names", behind)
	case what != "":
		f.found(name, state, "", "%s", what)
	case len(f.v.Lost) > 0:
		f.found(name, Damaged, MendSource, "%s", f.v.Lost[0].Reason())
	}
}

// checkSegment reads one segment's file.
func (f *folderCheck) checkSegment(s raw.Stored) {
	name := "raw/" + s.String()
	stored, source, err := checkSegment(f.at(name), s)
	f.c.files.Add(1)
	f.c.bytes.Add(stored)
	f.c.source.Add(source)
	if err == nil {
		return
	}
	mend := MendNone
	if state := f.entry.File(s.File); state != nil {
		for _, src := range state.Sources {
			if now, err := ingest.FileNow(s.File, state.Role, src.Path); err == nil && now.Size >= s.Offset+s.Length {
				mend = MendSource
			}
		}
	}
	if errors.Is(err, errStoredDifferently) {
		mend = MendRender
	}
	f.found(name, Damaged, mend, "%v, of %s", err, s.File)
	f.findings[len(f.findings)-1].segment = s.Segment
}

// unread reports a file that can't be read. A missing one is damage only if it is expected.
func (f *folderCheck) unread(name string, err error, expected bool) {
	if !errors.Is(err, fs.ErrNotExist) {
		f.found(name, Damaged, MendRender, "%v", err)
	} else if expected {
		f.found(name, Damaged, MendRender, "it is gone")
	}
}

// markdown compares payload.md with what was written: any other content is a person's edit.
func (f *folderCheck) markdown(p *payload.Payload) {
	text, err := f.c.read(f.at("payload.md"))
	switch {
	case errors.Is(err, fs.ErrNotExist) && p != nil:
		f.found("payload.md", Unfinished, "", "it is gone; the next sync writes it again")
	case err != nil:
		f.unread("payload.md", err, false)
	case p != nil && library.Flipped(f.entry.Folder, []byte(p.Written), text):
		f.found("payload.md", Damaged, MendRender,
			"a few bits of it differ, and nobody has written to it since")
	case p != nil && p.Written != string(text):
		f.found("payload.md", Edited, "", "by hand since it was written; the next sync records the edit")
	}
}

// rendered checks the transcript, and the files whose sums are in session.json.
func (f *folderCheck) rendered() {
	if f.entry.Rendered {
		text, err := f.c.read(f.at(render.TranscriptName))
		switch {
		case err != nil:
			f.unread(render.TranscriptName, err, true)
		case disk.Markdown.SealOf(text) != disk.SealGood:
			f.found(render.TranscriptName, Damaged, MendRender, badSeal)
		}
	}
	for name, want := range f.entry.Sums {
		sum, err := disk.SumFile(f.at(name))
		f.c.files.Add(1)
		switch {
		case err != nil:
			f.unread(name, err, true)
		case sum.SHA256 != want:
			f.found(name, Damaged, MendRender, "its content doesn't match the checksum in session.json")
		}
	}
}

// others reports files that nothing else has covered.
func (f *folderCheck) others() {
	needed := map[string]bool{"session.json": true, "raw/versions.jsonl": true,
		"payload.md": true, "edits.jsonl": true, "notes.jsonl": true}
	for _, s := range f.segs {
		needed["raw/"+s.String()] = true
	}
	for name := range f.entry.Sums {
		needed[name] = true
	}
	needed[render.TranscriptName] = f.entry.Rendered
	_ = disk.Walk(f.entry.Folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				f.found(f.name(path), Damaged, "", "%v", err)
			}
			return nil
		}
		name := f.name(path)
		switch _, err := raw.ParseSegment(strings.TrimPrefix(name, "raw/")); {
		case needed[name]:
		case strings.HasPrefix(name, "raw/") && err == nil:
			f.found(name, Leftover, "", "no version needs it")
		case name == render.TranscriptName:
			f.found(name, Unfinished, "", "of a save that was interrupted")
		default:
			f.found(name, Unknown, "", "%s", stray(name))
		}
		return nil
	})
}

// stray says what a file is that doesn't belong in a library.
func stray(name string) string {
	if text.AnyOf(name, strings.Contains, "payload before repair", beforeRepair+"/", ".damaged") {
		return "set aside by recall check --repair; delete it once you have looked at it"
	}
	return "not a file of recall's"
}

func (f *folderCheck) name(path string) string {
	rel, err := filepath.Rel(f.entry.Folder, path)
	if err != nil {
		return path
	}
	return filepath.ToSlash(rel)
}

// checkLines says what is wrong with the lines of an append-only file, or "". A torn last line is no damage: its write
// was interrupted.
func checkLines(text []byte) (what string, state FindingState) {
	var bad []int
	n, end := 0, bytes.LastIndexByte(text, '\n')+1
	for line := range bytes.Lines(text[:end]) {
		n++
		if line = line[:len(line)-1]; len(line) > 0 && !lineIsGood(line) {
			bad = append(bad, n)
		}
	}
	return faultOf(bad, n, text[end:])
}

// faultOf describes the fault if the given ones of n lines are damaged and tail follows the last line end.
func faultOf(bad []int, n int, tail []byte) (what string, state FindingState) {
	whole := disk.Unended(tail)
	switch {
	case len(bad) == 1:
		return fmt.Sprintf("line %d is damaged", bad[0]), Damaged
	case len(bad) > 1:
		return fmt.Sprintf("%d lines are damaged, the first is line %d", len(bad), bad[0]), Damaged
	case whole != nil && len(whole) < len(tail):
		return fmt.Sprintf("the end of line %d is damaged", n+1), Damaged
	case len(tail) > 0 && whole == nil:
		return fmt.Sprintf("line %d was cut off while being written", n+1), Unfinished
	}
	return "", ""
}

func lineIsGood(line []byte) bool {
	s := disk.SealOf(line) // only objects have a seal
	return s == disk.SealGood || s == disk.SealNone && line[0] != '{' && json.Valid(line)
}

// errStoredDifferently is the error for a segment whose content is right.
var errStoredDifferently = errors.New("the file differs from what was stored, but its content is right")

// checkSegment reads a segment's file. It returns the bytes read, the bytes they decompressed to, and what is wrong.
func checkSegment(path string, s raw.Stored) (stored, source int64, err error) {
	f, err := disk.Open(path)
	if err != nil {
		return 0, 0, ingest.WithoutPath(err)
	}
	defer f.Close()
	crc := &disk.CRCWriter{W: io.Discard}
	in := io.TeeReader(f, crc)
	sum, err := unpack(in, s.Length)
	if source = sum.Size; err == nil && (source != s.Length || sum.SHA256 != s.Sum) {
		err = errors.New("its content doesn't match its name")
	}
	if err == nil {
		_, err = io.Copy(io.Discard, in) // what follows the frame
	}
	switch stored = crc.Size; {
	case err != nil:
		return stored, source, err
	case len(s.CRCs) == 0 || slices.Contains(s.CRCs, disk.CRCText(crc.Sum)):
		return stored, source, nil
	}
	return stored, source, errStoredDifferently
}

// unpack sums the decompressed bytes, up to a little more than want.
func unpack(in io.Reader, want int64) (disk.Sums, error) {
	out, done, err := raw.Unpacked(in)
	if err != nil {
		return disk.Sums{}, err
	}
	defer done()
	return disk.Sum(io.LimitReader(out, want+1))
}
