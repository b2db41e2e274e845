// Package codex finds and reads the sessions of OpenAI's Codex, written by its command line, editor extensions and app.
//
// On disk, below CODEX_HOME (~/.codex):
//
//	sessions/<year>/<month>/<day>/rollout-<time>-<thread>.jsonl    a thread; ….jsonl.zst once compressed
//	archived_sessions/…                                            archived threads
//
// A line is an envelope: a time, a type, a payload. Both what the model saw (response_item) and what the screen showed
// (event_msg) are there, so most is said twice. The conversation is read from the former; the latter tell what the
// person typed from what the client put under their name. A forked thread begins with a copy of the other's lines,
// under new times. Sub-agents' threads have files of their own.
//
// A session's files are named as follows, also in the library: "transcript.jsonl" (".zst"), "subagents/<thread>.jsonl",
// and "transcripts/rollout-….jsonl" for the continuation of a thread after a rewind.
package codex

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"

	"recall/ingest"
)

// Reader finds and parses Codex's sessions. Its zero value is ready.
type Reader struct{}

var _ ingest.Reader = Reader{}

// Source is ingest.Codex.
func (Reader) Source() ingest.Source { return ingest.Codex }

// Roots lists Codex's own folders that exist.
func (Reader) Roots() []string {
	client := ingest.Codex.Client()
	return ingest.HomeFolders([]string{os.Getenv(client.Env)}, client.Home)
}

// Parse reads a session's rollouts, then its sub-agents'. It doesn't detect forks: see ingest.Own.
func (Reader) Parse(ctx context.Context, f ingest.Found) (*ingest.Session, error) {
	s := &ingest.Session{ID: f.ID, Source: ingest.Codex}
	p := newParser(s)
	p.many = len(f.FilesOf(ingest.Transcript)) > 1
	if err := f.EachTranscript(ctx, p.readFile); err != nil {
		return nil, err
	}
	s.Helper = p.own.helper
	p.finish()
	had := map[string]bool{}
	for i := range s.Turns {
		for _, key := range s.Turns[i].Keys {
			had[key] = true
		}
	}
	given := func(t ingest.Turn) bool { // part of its parent's conversation, not its own
		return slices.ContainsFunc(t.Keys, func(key string) bool { return had[key] })
	}
	return s, s.AddSubagents(ctx, f, func(file ingest.File) (ingest.Subagent, ingest.Report, error) {
		k := newParser(&ingest.Session{})
		err := k.readFile(ctx, file)
		k.finish()
		turns := slices.DeleteFunc(k.s.Turns, given)
		for i := range turns {
			turns[i].N = i + 1
		}
		return ingest.Subagent{ID: k.own.id, Type: k.own.role, Description: k.own.nickname, Call: p.spawned[k.own.id],
			Turns: turns}, k.s.Report, err
	})
}

func (p *parser) readFile(ctx context.Context, f ingest.File) error {
	p.file, p.metas, p.here = f.Name, 0, nil
	err := ingest.EachLine(ctx, plain(f), p.takeLine)
	for _, h := range p.here {
		p.before[h] = true
	}
	return err
}

// How much larger than its file a compressed file may become, beyond the first unpackFree bytes.
const (
	unpackMost = 400
	unpackFree = 64 << 20
)

// plain returns a file decompressed.
func plain(f ingest.File) ingest.File {
	if !strings.HasSuffix(f.Name, ".zst") {
		return f
	}
	packed := f.Open
	f.Open = func() (io.ReadCloser, error) {
		in, err := packed()
		if err != nil {
			return nil, err
		}
		d, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(128<<20))
		if err != nil {
			in.Close()
			return nil, err
		}
		return &unpacking{d, in, f.Size*unpackMost + unpackFree, cmp.Or(f.Path, f.Name)}, nil
	}
	return f
}

// unpacking is a compressed file being read.
type unpacking struct {
	plain *zstd.Decoder
	in    io.Closer
	left  int64
	path  string
}

func (u *unpacking) Read(b []byte) (int, error) {
	n, err := u.plain.Read(b)
	if u.left -= int64(n); u.left < 0 {
		return 0, fmt.Errorf("%s unpacks to more than %d times its size, which no session does", u.path, unpackMost)
	}
	return n, err
}

func (u *unpacking) Close() error {
	u.plain.Close()
	return u.in.Close()
}
