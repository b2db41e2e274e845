package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"recall/answer"
	"recall/cmd/recall/terminal"
	"recall/hint"
	"recall/index"
	"recall/ingest"
	"recall/library"
	"recall/payload"
	txt "recall/text"
)

// lastAnswer is what a terminal was last shown, so that "recall why 1" and
// "recall show 2" mean something: a file for each terminal in the folder "last"
// of the cache, and the newest of any. Losing it costs nothing.
type lastAnswer struct {
	Question string    `json:"question"`
	Results  []LastHit `json:"results"`
}

// LastHit is one result: where it stands, and the item if it is one.
type LastHit struct {
	Item    payload.ItemID   `json:"item,omitempty"`
	Session ingest.SessionID `json:"session"`
	Turn    string           `json:"turn"` // its own id
	N       int              `json:"n"`
	Said    *index.Placed    `json:"said,omitempty"` // if it is none, or the team's
	Title   string           `json:"title,omitempty"`

	asked string // the question
}

// lastKept is how long a terminal's last answer is kept.
const lastKept = 7 * 24 * time.Hour

func LastDir(l *library.Library) string { return filepath.Join(CacheDir(l), "last") }

// terminalName names the terminal that recall was called in: by what terminals and
// multiplexers set, and by the process that called.
func terminalName() string {
	var parts []string
	for _, name := range []string{"TERM_SESSION_ID", "WT_SESSION", "TMUX_PANE", "STY", "WINDOWID", "SSH_TTY"} {
		parts = append(parts, os.Getenv(name))
	}
	id := strings.Join(parts, "\x00")
	if strings.Trim(id, "\x00") == "" {
		id = strconv.Itoa(os.Getppid())
	}
	return txt.Hash(id, 8)
}

// Hits are the places of results, by their numbers.
func Hits(results []*answer.Result) (hits []LastHit) {
	for _, r := range results {
		hit := HitOf(r.Place, r.Turn, r.TurnID, r.Item)
		if r.Item == nil || r.Author != "" { // no index here has it
			said := r.Placed()
			hit.Said, hit.Title = &said, r.SessionTitle
		}
		hits = append(hits, hit)
	}
	return hits
}

// Remember notes what was shown, by its numbers. That it can't is no reason to bother anybody
// who wanted an answer.
func (a *App) Remember(l *library.Library, question string, hits []LastHit) {
	text, err := json.Marshal(lastAnswer{Question: question, Results: hits})
	dir := LastDir(l)
	if err != nil || os.MkdirAll(dir, 0o700) != nil {
		return
	}
	old, _ := os.ReadDir(dir)
	for _, e := range old {
		if fi, err := e.Info(); err == nil && time.Since(fi.ModTime()) > lastKept {
			os.Remove(filepath.Join(dir, e.Name()))
		}
	}
	for _, name := range []string{terminalName(), newestShown} {
		library.WritePlain(filepath.Join(dir, name+".json"), text)
	}
}

const newestShown = "newest"

// notShown is said of a number that the last answer doesn't have.
type notShown string

func (e notShown) Error() string { return string(e) }

// lastHit finds a result of the last answer by its number: this terminal's, or
// the newest of any where this one was shown none.
func (a *App) lastHit(l *library.Library, n int) (LastHit, error) {
	text, err := library.ReadPlain(filepath.Join(LastDir(l), terminalName()+".json"))
	if errors.Is(err, fs.ErrNotExist) {
		text, err = library.ReadPlain(filepath.Join(LastDir(l), newestShown+".json"))
	}
	var last lastAnswer
	if err == nil {
		err = json.Unmarshal(text, &last)
	}
	to := "" // of a list, no question
	if last.Question != "" {
		to = fmt.Sprintf(", to %q,", txt.Clip(terminal.Line(last.Question), 60))
	}
	switch {
	case err != nil:
		return LastHit{}, hint.With(fmt.Errorf("%d: there is no last answer", n),
			"ask first: recall query \"…\"; or name an item by its id")
	case len(last.Results) == 0:
		return LastHit{}, hint.With(notShown(fmt.Sprintf("%d: the last answer%s showed nothing", n, to)),
			"ask another question, or name an item by its id")
	case n < 1 || n > len(last.Results):
		return LastHit{}, hint.With(notShown(fmt.Sprintf("%d: the last answer%s showed %d", n, to,
			len(last.Results))), "1 is the first; -n 10 shows more")
	}
	h := last.Results[n-1]
	h.asked = last.Question
	return h, nil
}

func numbered(arg string) (n int, ok bool) {
	n, err := strconv.Atoi(arg)
	return n, err == nil && len(arg) < 4
}

// Hit is the place that a person names: by a number of the last answer, as a session, perhaps with a turn's number
// behind it, or by an item's id. That of a session alone has no turn.
func (a *App) Hit(ctx context.Context, l *library.Library, arg string) (LastHit, error) {
	n, ok := numbered(arg)
	if ok {
		if h, err := a.lastHit(l, n); err == nil || errors.As(err, new(notShown)) {
			return h, err
		}
	}
	name, turn, _ := strings.Cut(arg, ":") // billing#4:12, as grep has it
	at, turnErr := strconv.Atoi(turn)
	if turnErr != nil || !strings.Contains(name, "#") {
		name, at = arg, 0
	}
	e, err := a.Session(l, name)
	if err == nil {
		return LastHit{Session: e.ID, N: at}, nil
	}
	if ok {
		_, err = a.lastHit(l, n)
	}
	if !errors.Is(err, library.ErrNoSession) {
		return LastHit{}, err
	}
	p, itemErr := a.Item(ctx, l, arg)
	if errors.Is(itemErr, index.ErrNoItem) {
		return LastHit{}, err
	}
	return HitOf(p.Place, p.Turn, "", &p.Item), itemErr
}

// HitOf is where a result stands: an item where its first evidence does, if it has any.
func HitOf(at index.Place, n int, turn string, it *payload.Item) LastHit {
	h := LastHit{Session: ingest.SessionID(at.Session), Turn: turn, N: n}
	if it != nil {
		h.Item = it.ID
		for _, e := range it.Evidence[:min(1, len(it.Evidence))] {
			h.Turn = e.Turn
		}
	}
	return h
}

// Item finds the item that a person means by its id, the beginning of it, or a
// number of the last answer. A passage is the item that quotes it; where there is none,
// a lead without an id.
func (a *App) Item(ctx context.Context, l *library.Library, arg string) (index.Placed, error) {
	if err := a.Indexed(ctx, l); err != nil {
		return index.Placed{}, err
	}
	id := payload.ItemID(strings.ToLower(strings.TrimSpace(arg)))
	if n, ok := numbered(arg); ok {
		h, err := a.lastHit(l, n)
		if err != nil {
			return index.Placed{}, err
		}
		switch {
		case h.Said != nil && h.Said.Author != "":
			h.Said.Source, h.Said.SessionTitle = index.Handed, h.Title
			return *h.Said, nil
		case h.Said != nil:
			return a.quoting(ctx, h)
		}
		if id = h.Item; id == "" {
			return index.Placed{}, hint.With(fmt.Errorf("%d is a place in a transcript, not an item", n),
				"recall show %d shows it", n)
		}
	}
	p, err := a.Index.ItemByID(ctx, id)
	if errors.Is(err, index.ErrNoItem) {
		p.Item.ID = id
		err = hint.With(err, "items are named by the number of the last answer (1, 2, …) or by their id: recall query "+
			"--json, recall show --json")
	}
	return p, err
}

// Shown is Item, but a passage that was shown is itself: an item without an id.
func (a *App) Shown(ctx context.Context, l *library.Library, arg string) (index.Placed, error) {
	if n, ok := numbered(arg); ok {
		if h, err := a.lastHit(l, n); err != nil || h.Said != nil {
			return *cmp.Or(h.Said, &index.Placed{}), err
		}
	}
	return a.Item(ctx, l, arg)
}

// quoting is the item whose evidence stands in a passage: of several the one that says
// most of what was asked, and of like ones the surest.
func (a *App) quoting(ctx context.Context, h LastHit) (index.Placed, error) {
	best, most := *h.Said, -1.0
	best.SessionTitle = h.Title
	passage, asked := txt.OneLine(best.Item.Text), txt.Words(h.asked)
	items, err := a.Index.ItemsOf(ctx, []string{string(h.Session)})
	for _, it := range items[string(h.Session)] {
		if len(it.Evidence) == 0 || it.Evidence[0].Turn != h.Turn ||
			!strings.Contains(passage, txt.OneLine(it.Evidence[0].Quote)) {
			continue
		}
		if says := asked.In(txt.Words(it.Text)) + it.Confidence/100; says > most {
			best.Item, most = it, says
		}
	}
	return best, err
}
