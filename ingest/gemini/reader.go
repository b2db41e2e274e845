// Package gemini finds and reads the sessions of Google's Gemini CLI.
//
// On disk, below ~/.gemini (GEMINI_CLI_HOME names the folder above):
//
//	tmp/<project>/chats/session-<time>-<id's beginning>.jsonl    a session; .json, one document, until early 2026
//	tmp/<project>/chats/<session>/<agent>.jsonl                  its sub-agents'
//	tmp/<project>/.project_root                                  their folder, whose hash <project> used to be
//
// A line is a message, repeated under its id as it grows; the session's header, which comes first, and changes to it
// ($set); or a note that messages were taken back ($rewindTo). When the client compacts its context it rewrites the
// list of messages; those missing from it were said nevertheless.
//
// A session's files are named as follows, also in the library: "transcript.jsonl", "subagents/<agent>.jsonl",
// "project_root", and "transcripts/session-….jsonl" for its continuations.
package gemini

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"recall/ingest"
)

// Reader finds and parses Gemini CLI's sessions. Its zero value is ready.
type Reader struct{}

var (
	_ ingest.Reader = Reader{}
	_ ingest.Layout = Reader{}
)

// Source is ingest.Gemini.
func (Reader) Source() ingest.Source { return ingest.Gemini }

// Roots lists Gemini CLI's own folders that exist.
func (Reader) Roots() []string {
	home, dir := ingest.Gemini.Client().Home, os.Getenv("GEMINI_CLI_HOME")
	if dir != "" {
		dir = filepath.Join(dir, home)
	}
	return ingest.HomeFolders([]string{dir}, home)
}

// Parse reads a session's files, then its sub-agents'.
func (Reader) Parse(ctx context.Context, f ingest.Found) (*ingest.Session, error) {
	s := &ingest.Session{ID: f.ID, Source: ingest.Gemini}
	p := newParser(s)
	for _, file := range f.FilesOf(ingest.PlaceFile) {
		b, _, err := file.Head(1 << 16)
		if err != nil {
			s.Report.Unread(file, err)
			continue
		}
		p.dir = strings.TrimSpace(strings.ToValidUTF8(string(b), ""))
	}
	if err := f.EachTranscript(ctx, p.readFile); err != nil {
		return nil, err
	}
	p.finish()
	return s, s.AddSubagents(ctx, f, func(file ingest.File) (ingest.Subagent, ingest.Report, error) {
		k := newParser(&ingest.Session{})
		k.dir = p.dir
		err := k.readFile(ctx, file)
		k.finish()
		id := strings.TrimSuffix(path.Base(file.Name), ".jsonl")
		return ingest.Subagent{ID: id, Turns: k.s.Turns}, k.s.Report, err
	})
}

func (p *parser) readFile(ctx context.Context, f ingest.File) error {
	p.file = f.Name
	open := f.Open
	f.Open = func() (io.ReadCloser, error) {
		in, err := open()
		if err != nil {
			return nil, err
		}
		r := bufio.NewReader(in)
		first, _ := r.Peek(8)
		line, _, more := bytes.Cut(first, []byte("\n"))
		return &flat{r, in, more && string(bytes.TrimSpace(line)) == "{"}, nil
	}
	return ingest.EachLine(ctx, f, p.takeLine)
}

// flat is a file being read, with a document of many lines joined into one.
type flat struct {
	*bufio.Reader
	io.Closer
	document bool
}

func (f *flat) Read(b []byte) (int, error) {
	n, err := f.Reader.Read(b)
	for i, c := range b[:n] {
		if c == '\n' && f.document {
			b[i] = ' '
		}
	}
	return n, err
}
