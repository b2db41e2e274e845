package hooks

import (
	"errors"
	"os"
	"strings"
	"time"

	"recall/ingest"
	"recall/library"
)

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
		err = l.Bury([]ingest.SessionID{id})
	} else if err == nil {
		said = "recall: nothing of this session is kept (RECALL_PAUSE)"
		_, unknown := l.Session(id)
		if errors.Is(unknown, library.ErrNoSession) && len(l.Broken()) == 0 {
			err = l.Bury([]ingest.SessionID{id})
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
