package hooks

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"recall/library"
	"recall/pipeline"
)

// preCompact archives and distills a session before the client drops most of it. It says nothing: that would enter the
// summary. As the transcript keeps all, another process may do it; one that dies leaves it to whatever looks next.
func (h *Host) preCompact(ctx context.Context, in Input) error {
	mark := h.memoPath(in.Session, ".compacting")
	marked := writeJSON(mark, in.Trigger) == nil
	if h.HandOn != nil && h.HandOn(in) {
		return nil // and that one takes the mark away
	}
	if marked {
		defer os.Remove(mark)
	}
	return h.takeIn(ctx, in)
}

// end takes a session in when it is over and its file complete. Those that a crash ended are archived on the way.
func (h *Host) end(ctx context.Context, in Input) error {
	if err := h.takeIn(ctx, in); err != nil {
		return err
	}
	defer h.tidy()
	if in.Reason == "clear" {
		return nil // the next one is being worked on
	}
	l, err := h.Library(LockWait)
	if err != nil {
		return err
	}
	_, err = h.Archiver(l).Archive(ctx, pipeline.ArchiveOptions{})
	return err
}

// takeIn archives, distills and indexes one session, if its file is there: "claude mcp list" ends with a path of none.
func (h *Host) takeIn(ctx context.Context, in Input) error {
	if in.Transcript == "" {
		return nil
	}
	if fi, err := os.Stat(in.Transcript); errors.Is(err, fs.ErrNotExist) || err == nil && !fi.Mode().IsRegular() {
		return nil
	} else if err != nil {
		return err
	}
	if filepath.Ext(in.Transcript) != ".jsonl" {
		return fmt.Errorf("%s is no transcript", in.Transcript)
	}
	// Nobody waits for this one: where somebody holds a lock, it comes again.
	for wait := 100 * time.Millisecond; ; wait = min(2*wait, 5*time.Second) {
		err := h.sync(ctx, in.Transcript)
		if !errors.Is(err, library.ErrBusy) {
			return err
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return err
		}
	}
}

func (h *Host) sync(ctx context.Context, path string) error {
	l, err := h.Library(LockWait)
	if err != nil {
		return err
	}
	p, err := h.Pipeline(l)
	if err != nil { // the index can't be had: the bytes all the same
		_, other := h.Archiver(l).Archive(ctx, pipeline.ArchiveOptions{From: []string{path}})
		return errors.Join(err, other)
	}
	report, err := p.Sync(ctx, pipeline.Options{From: []string{path}})
	if report.Busy {
		err = errors.Join(err, library.ErrBusy)
	}
	for _, pr := range report.Problems {
		err = errors.Join(err, fmt.Errorf("%s: %s", pr.Path, pr.Reason))
	}
	return err
}
