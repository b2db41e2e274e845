package hooks

import (
	"cmp"
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

// preCompact archives and distills a session before the client drops most of it. It says nothing, since that would
// enter the summary. As the transcript remains complete, another process may do it; if that dies, whatever runs next
// does it.
func (h *Host) preCompact(ctx context.Context, in Input) error {
	mark := h.memoPath(in.Session, ".compacting")
	marked := writeJSON(mark, in.Trigger) == nil
	if h.HandOn != nil && h.HandOn(in) {
		return nil // that process removes the mark
	}
	if marked {
		defer os.Remove(mark)
	}
	return h.process(ctx, in)
}

// end processes a session when it is over and its file complete. It also archives those that ended in a crash.
func (h *Host) end(ctx context.Context, in Input) error {
	if err := h.process(ctx, in); err != nil {
		return err
	}
	defer h.tidy()
	if in.Reason == "clear" || in.Reason == "idle" {
		return nil // the user goes on working, there or in the next one
	}
	l, err := h.Library(LockWait)
	if err != nil {
		return err
	}
	_, err = h.Archiver(l).Archive(ctx, nil)
	return err
}

// process archives, distills and indexes one session, if its file exists: "claude mcp list" ends with the path of a
// file that doesn't.
func (h *Host) process(ctx context.Context, in Input) error {
	if in.Transcript == "" {
		return nil
	}
	fi, err := os.Stat(in.Transcript)
	switch {
	case errors.Is(err, fs.ErrNotExist) || err == nil && fi.Mode()&^fs.ModePerm&^fs.ModeDir != 0:
		return nil
	case err != nil:
		return err
	case !fi.IsDir() && !strings.HasPrefix(filepath.Ext(in.Transcript), ".json"): // a folder holds a client's database
		return fmt.Errorf("%s isn't a transcript", in.Transcript)
	}
	// Nobody waits for this, so retry while another process holds a lock.
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
	if err != nil { // without an index, archive the bytes at least
		_, other := h.Archiver(l).Archive(ctx, []string{path})
		return errors.Join(err, other)
	}
	report, err := p.Sync(ctx, pipeline.Options{From: []string{path}})
	if report.Busy {
		err = errors.Join(err, library.ErrBusy)
	}
	for _, pr := range report.Problems {
		err = errors.Join(err, pr)
	}
	return err
}

// notThis is what a person types to have nothing of the session kept.
const notThis = "recall: not this one"

// buryWait is how long excluding a session waits for a lock: nobody would retry.
const buryWait = time.Second

// out reports whether nothing of a session is to be kept, and what to say about that: its folder is excluded, or
// its environment or the person says so. Then it gets no memo, log, or context, and isn't archived. Only the first
// reason can end: it leaves nothing behind.
func (h *Host) out(e Event, in Input) (out bool, said Answer) {
	rule := ""
	if h.Sources.Exclusion != nil {
		rule = h.Sources.Exclusion().Folder(in.Cwd)
	}
	var m memo
	asked := Asked(e, in)
	readJSON(h.memoPath(in.Session, ".json"), &m)
	switch {
	case asked || h.Pause && !m.Out:
		return true, h.leave(in, asked)
	case m.Out:
		return true, Answer{}
	case rule == "" && e == UserPromptSubmit && strings.HasPrefix(wordOf(in), notThis):
		return true, Answer{Tell: "recall: this session is NOT left out: for that the prompt must say " +
			`"` + notThis + `" and nothing else`}
	case rule != "" && e == SessionStart:
		said.Tell = "recall: nothing of this session is kept (" + rule + ")"
	}
	return rule != "", said
}

// Asked reports whether the prompt asks that nothing of the session be kept.
func Asked(e Event, in Input) bool { return e == UserPromptSubmit && wordOf(in) == notThis }

func wordOf(in Input) string {
	return strings.ToLower(strings.TrimRight(strings.TrimSpace(in.Prompt), ".!"))
}

// NotOut says that a session isn't left out, and why; the prompt that asked for it is blocked.
func NotOut(in Input, asked bool, why error) Answer {
	return Answer{Block: asked, Tell: "recall: this session is NOT left out: " + why.Error() +
		"; once that is fixed, recall forget " + in.Session + " does it"}
}

// leave stops recall from keeping anything more of a session. If the person asks for it in a prompt, what is already
// kept is removed.
func (h *Host) leave(in Input, asked bool) Answer {
	id := ingest.SessionID(in.Session)
	l, err := h.Library(buryWait)
	if errors.Is(err, library.ErrNoLibrary) && !asked {
		return Answer{}
	}
	said := "recall: nothing of this session is kept, and what was kept is being removed; its transcript stays with " +
		"the client, and prompts of it that were archived from history.jsonl stay in the library"
	if err == nil && asked {
		err = l.MarkForgotten([]ingest.SessionID{id})
	} else if err == nil {
		said = "recall: nothing of this session is kept (RECALL_PAUSE)"
		_, unknown := l.Session(id)
		if errors.Is(unknown, library.ErrNoSession) && len(l.Broken()) == 0 {
			err = l.MarkForgotten([]ingest.SessionID{id})
		} else { // something was kept before, or can't be read and so may have been
			err = l.Freeze(id)
			said = "recall: nothing more of this session is kept (RECALL_PAUSE); what was kept before stays"
		}
	}
	if err == nil {
		for _, end := range []string{".json", ".compacting"} {
			os.Remove(h.memoPath(in.Session, end))
		}
		err = cmp.Or(h.Logs.Forget(id), writeJSON(h.memoPath(in.Session, ".json"), memo{Out: true}))
	}
	if err != nil {
		return NotOut(in, asked, err)
	}
	if asked && h.Forget != nil && !h.Forget(in.Session) {
		said = "recall: nothing more of this session is kept, but what was kept could NOT be removed now: recall forget " +
			in.Session + " does it"
	}
	return Answer{Tell: said, Block: asked}
}
