// Package last remembers what a terminal was last shown, for "recall why 1" and "recall show 2": one file for each
// terminal, and the newest of any. Losing it does no harm.
package last

import (
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
	"recall/index"
	"recall/ingest"
	"recall/internal/escape"
	"recall/internal/hint"
	txt "recall/internal/text"
	"recall/library/disk"
	"recall/payload"
)

// shown is what a terminal was shown.
type shown struct {
	Question string `json:"question"`
	Results  []Hit  `json:"results"`
}

// Hit is one result: its place, and the item if it is one.
type Hit struct {
	Item    payload.ItemID   `json:"item,omitempty"`
	Session ingest.SessionID `json:"session"`
	Turn    string           `json:"turn"` // the turn's id
	N       int              `json:"n"`
	Said    *index.Placed    `json:"said,omitempty"` // if it isn't an item
	Title   string           `json:"title,omitempty"`

	asked string // the question
}

// kept is how long a terminal's last answer is kept.
const kept = 7 * 24 * time.Hour

// terminalName identifies the terminal that recall runs in, by variables that terminals and multiplexers set, or by
// the parent process.
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

// Hits returns the places of results, in the order of their numbers.
func Hits(results []*answer.Result) (hits []Hit) {
	for _, r := range results {
		hit := Of(r.Place, r.Turn, r.TurnID, r.Item)
		if r.Item == nil {
			said := r.Placed()
			hit.Said, hit.Title = &said, r.SessionTitle
		}
		hits = append(hits, hit)
	}
	return hits
}

// Remember stores in dir what was shown. Failing to is no reason to bother a person who wanted an answer, so errors
// are ignored.
func Remember(dir, question string, hits []Hit) {
	text, err := json.Marshal(shown{Question: question, Results: hits})
	if err != nil || os.MkdirAll(dir, 0o700) != nil {
		return
	}
	old, _ := os.ReadDir(dir)
	for _, e := range old {
		if fi, err := e.Info(); err == nil && time.Since(fi.ModTime()) > kept {
			os.Remove(filepath.Join(dir, e.Name()))
		}
	}
	for _, name := range []string{terminalName(), newest} {
		_ = disk.ReplaceCache(filepath.Join(dir, name+".json"), text)
	}
}

const newest = "newest"

// NotShown is the error for a number that the last answer doesn't have.
type NotShown string

func (e NotShown) Error() string { return string(e) }

// Find finds a result of the last answer by its number: this terminal's last answer, or any terminal's if this one
// has none.
func Find(dir string, n int) (Hit, error) {
	text, err := disk.ReadPlain(filepath.Join(dir, terminalName()+".json"))
	if errors.Is(err, fs.ErrNotExist) {
		text, err = disk.ReadPlain(filepath.Join(dir, newest+".json"))
	}
	var last shown
	if err == nil {
		err = json.Unmarshal(text, &last)
	}
	to := "" // for a list, which has no question
	if last.Question != "" {
		to = fmt.Sprintf(", to %q,", txt.Clip(escape.Line(last.Question, escape.Terminal), 60))
	}
	switch {
	case err != nil:
		return Hit{}, hint.With(fmt.Errorf("%d: there is no last answer", n),
			"ask first: recall query \"…\"; or name an item by its id")
	case len(last.Results) == 0:
		return Hit{}, hint.With(NotShown(fmt.Sprintf("%d: the last answer%s showed nothing", n, to)),
			"ask another question, or name an item by its id")
	case n < 1 || n > len(last.Results):
		return Hit{}, hint.With(NotShown(fmt.Sprintf("%d: the last answer%s showed %d", n, to,
			len(last.Results))), "1 is the first; -n has a question show more")
	}
	h := last.Results[n-1]
	h.asked = last.Question
	return h, nil
}

// Number parses the number of a result.
func Number(arg string) (n int, ok bool) {
	n, err := strconv.Atoi(arg)
	return n, err == nil && len(arg) < 4
}

// Of returns a result's place: an item's is that of its first evidence, if it has any.
func Of(at index.Place, n int, turn string, it *payload.Item) Hit {
	h := Hit{Session: ingest.SessionID(at.Session), Turn: turn, N: n}
	if it != nil {
		h.Item = it.ID
		for _, e := range it.Evidence[:min(1, len(it.Evidence))] {
			h.Turn = e.Turn
		}
	}
	return h
}

// Quoted returns the item with evidence in the passage that was shown: the one that covers most of the question, and
// of equals the most certain.
func (h Hit) Quoted(ctx context.Context, x *index.Index) (index.Placed, error) {
	best, most := *h.Said, -1.0
	best.SessionTitle = h.Title
	passage, asked := txt.OneLine(best.Item.Text), txt.Words(h.asked)
	items, err := x.ItemsAmong(ctx, []string{string(h.Session)})
	for _, one := range items {
		it := one.Item
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
