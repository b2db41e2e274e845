package hooks

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"recall/ingest"
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

// notThis is what a person types in a session of which nothing is to be kept.
const notThis = "recall: not this one"

// buryWait is how long a session that isn't to be kept waits for a lock: there is nobody to try again.
const buryWait = time.Second

// out reports whether nothing of a session is to be kept, and what is said of that: its folder is excluded, recall is
// paused, its environment or the person says so. Then no memo or log is kept, nothing put before it and nothing taken
// in. Only the first two may end: they leave nothing behind.
func (h *Host) out(e Event, in Input) (out bool, said Answer) {
	rule := ""
	if h.Sources.Exclusion != nil {
		rule = h.Sources.Exclusion().Now(in.Cwd, h.now())
	}
	var m memo
	asked := Asked(e, in)
	readJSON(h.memoPath(in.Session, ".json"), &m)
	switch {
	case asked || h.Pause && !m.Out:
		return true, h.leave(in, asked)
	case m.Out:
		return true, Answer{}
	case rule == "" && e == UserPromptSubmit && strings.HasPrefix(wordOf(in), notThis): // perhaps a one-liner
		return true, Answer{Tell: "recall: this session is NOT left out: for that the prompt says " +
			`"` + notThis + `" and nothing else`}
	case rule != "" && e == SessionStart:
		said.Tell = "recall: nothing of this session is kept (" + rule + ")"
	}
	return rule != "", said
}

// Asked reports whether the person asks in a session that nothing of it be kept.
func Asked(e Event, in Input) bool { return e == UserPromptSubmit && wordOf(in) == notThis }

func wordOf(in Input) string {
	return strings.ToLower(strings.TrimRight(strings.TrimSpace(in.Prompt), ".!"))
}

// NotOut says that a session isn't left out, and why: the prompt that asked for it goes no further.
func NotOut(in Input, asked bool, why error) Answer {
	return Answer{Block: asked, Tell: "recall: this session is NOT left out: " + why.Error() +
		"; once that is mended, recall forget " + in.Session + " does it"}
}

// leave has nothing more of a session taken in. Where its person asks for that in it, what is there already goes.
func (h *Host) leave(in Input, asked bool) Answer {
	id := ingest.SessionID(in.Session)
	l, err := h.Library(buryWait)
	if errors.Is(err, library.ErrNoLibrary) && !asked {
		return Answer{}
	}
	said := "recall: nothing of this session is kept, and what was is being removed; its transcript stays the " +
		"client's, and prompts of it that were archived from history.jsonl stay in the library"
	if err == nil && asked {
		err = l.MarkForgotten([]ingest.SessionID{id})
	} else if err == nil {
		said = "recall: nothing of this session is kept (RECALL_PAUSE)"
		_, unknown := l.Session(id)
		if errors.Is(unknown, library.ErrNoSession) && len(l.Broken()) == 0 {
			err = l.MarkForgotten([]ingest.SessionID{id})
		} else { // what can't be read may be what was before
			err = l.Freeze(id)
			said = "recall: nothing more of this session is kept (RECALL_PAUSE); what was before stays"
		}
	}
	if err == nil {
		for _, end := range []string{".json", ".compacting"} {
			os.Remove(h.memoPath(in.Session, end))
		}
		if path := h.progressPath(in); path != "" {
			os.Remove(path)
		}
		err = writeJSON(h.memoPath(in.Session, ".json"), memo{Out: true, Known: true})
	}
	if err != nil {
		return NotOut(in, asked, err)
	}
	if asked && h.Forget != nil && !h.Forget(in.Session) {
		said = "recall: nothing more of this session is kept, but what was could NOT be removed now: recall forget " +
			in.Session + " does it"
	}
	return Answer{Tell: said, Block: asked}
}
