package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"recall/answer/last"
	"recall/hint"
	"recall/index"
	"recall/library"
	"recall/payload"
)

// LastDir is where lies what terminals were last shown: see package last.
func LastDir(l *library.Library) string { return filepath.Join(CacheDir(l), "last") }

// Remember notes what was shown, by its numbers.
func (a *App) Remember(l *library.Library, question string, hits []last.Hit) {
	last.Remember(LastDir(l), question, hits)
}

// Hit is the place that a person names: by a number of the last answer, as a session, perhaps with a turn's number
// behind it, or by an item's id. That of a session alone has no turn.
func (a *App) Hit(ctx context.Context, l *library.Library, arg string) (last.Hit, error) {
	n, ok := last.Number(arg)
	if ok {
		if h, err := last.Find(LastDir(l), n); err == nil || errors.As(err, new(last.NotShown)) {
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
		return last.Hit{Session: e.ID, N: at}, nil
	}
	if ok {
		_, err = last.Find(LastDir(l), n)
	}
	if !errors.Is(err, library.ErrNoSession) {
		return last.Hit{}, err
	}
	p, itemErr := a.Item(ctx, l, arg)
	if errors.Is(itemErr, index.ErrNoItem) {
		return last.Hit{}, err
	}
	return last.Of(p.Place, p.Turn, "", &p.Item), itemErr
}

// Item finds the item that a person means by its id, the beginning of it, or a
// number of the last answer. A passage is the item that quotes it; where there is none,
// a lead without an id.
func (a *App) Item(ctx context.Context, l *library.Library, arg string) (index.Placed, error) {
	if err := a.Indexed(ctx, l); err != nil {
		return index.Placed{}, err
	}
	id := payload.ItemID(strings.ToLower(strings.TrimSpace(arg)))
	if n, ok := last.Number(arg); ok {
		h, err := last.Find(LastDir(l), n)
		if err != nil {
			return index.Placed{}, err
		}
		switch {
		case h.Said != nil && h.Said.Author != "":
			h.Said.Source, h.Said.SessionTitle = index.Handed, h.Title
			return *h.Said, nil
		case h.Said != nil:
			return h.Quoted(ctx, a.Index)
		}
		if id = h.Item; id == "" {
			return index.Placed{}, hint.With(fmt.Errorf("%d is a place in a transcript, not an item", n),
				"recall show %d shows it", n)
		}
	}
	p, err := a.Index.ItemByID(ctx, id)
	if errors.Is(err, index.ErrNoItem) {
		p.Item.ID = id
		err = hint.With(err, "items are named by the number of the last answer (1, 2, …) or by their id: "+
			"recall query --json, recall show --json")
	}
	return p, err
}

// Shown is Item, but a passage that was shown is itself: an item without an id.
func (a *App) Shown(ctx context.Context, l *library.Library, arg string) (index.Placed, error) {
	if n, ok := last.Number(arg); ok {
		if h, err := last.Find(LastDir(l), n); err != nil || h.Said != nil {
			return *cmp.Or(h.Said, &index.Placed{}), err
		}
	}
	return a.Item(ctx, l, arg)
}
