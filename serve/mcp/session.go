package mcp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"recall/answer"
	"recall/index"
	"recall/internal/escape"
	"recall/library"
	"recall/library/render"
	"recall/payload"
)

// Limits of an answer about a transcript.
const (
	mostTurns   = 40    // turns
	mostTurn    = 1_500 // characters of each turn among several
	mostOneTurn = 9_000 // characters of a single turn
	mostListed  = 20    // sessions
	turnsAround = 2     // before and after the turn asked for
)

type sessionIn struct {
	Session string `json:"session,omitempty"`
	Project string `json:"project,omitempty"`
	Find    string `json:"find,omitempty"`
}

func (s *Server) session(ctx context.Context, m *Memory, in sessionIn) (string, error) {
	if strings.TrimSpace(in.Session) == "" {
		return s.latest(m, in.Project)
	}
	name, from, to := payload.CutTurns(in.Session)
	e, err := m.Library.Lookup(in.Session)
	switch {
	case errors.Is(err, library.ErrNoSession):
		e, err = m.Library.Lookup(name)
	case err == nil: // a title that ends like a place
		from, to = 0, 0
	}
	if errors.Is(err, library.ErrNoSession) {
		return s.shared(ctx, m, name)
	}
	if err != nil {
		return "", err
	}
	text, err := m.Library.Transcript(e)
	if err != nil {
		return "", err
	}
	from, to, err = span(e.Turns, from, to)
	if err != nil {
		return "", err
	}
	next := 0
	sh := newSheet()
	sh.linef("Session %s %q, %s, %s; You: the user. %s", payload.ShortID(e.ID), payload.Data(e.Title, 120),
		answer.Day(e.Start), answer.Count(e.Turns, "turn"), asData)
	shown, size := 0, mostTurn
	if from == to {
		size = mostOneTurn
	}
	find := strings.ToLower(strings.TrimSpace(in.Find))
	for n, turn := range render.TurnsFrom(string(text), 1) {
		if n < from || n > to || !strings.Contains(strings.ToLower(turn), find) {
			continue
		}
		if shown == mostTurns || !sh.add(quotedLines(turn, size)) {
			next = n
			break
		}
		shown++
	}
	if shown == 0 {
		sh.linef("No turn from %d to %d contains %q.", from, to, payload.Data(in.Find, 80))
	}
	if next == 0 && to < e.Turns && find == "" {
		next = to + 1
	}
	sh.cut = 0
	if next > 0 {
		sh.most += 200
		sh.linef("Read on with session %s:%d-%d.", payload.ShortID(e.ID), next, next+mostTurns-1)
	}
	return sh.text(""), nil
}

// shared tells what somebody else shares of a session.
func (s *Server) shared(ctx context.Context, m *Memory, id string) (string, error) {
	of, err := m.Shared(ctx, id)
	if err != nil {
		return "", err
	}
	sh := newSheet()
	sh.linef("Session %q of %s, from %s. %s", payload.Data(of.Title, 120), payload.Data(of.Author, 80),
		payload.Data(of.Machine, 80), asData)
	at, items := index.Place{Session: of.Session, Author: of.Author, Machine: of.Machine}, []listed(nil)
	for _, it := range of.Payload.Items {
		items = append(items, listed{it, payload.Doubt{}, at, it.First().N})
	}
	sh.lines(m.Words.Form("state/items", items), items)
	if of.Transcript != "" {
		sh.add(quotedLines(of.Transcript, mostOneTurn))
	}
	if of.Without != "" {
		sh.linef("%s", payload.Data(of.Without, 200))
	}
	return sh.text("The rest is read with recall show in a terminal."), nil
}

// span returns the range of turns asked for, of as many as there are: all for 0, or those around a single one.
func span(turns, from, to int) (int, int, error) {
	switch {
	case from > turns:
		return 0, 0, wrong("recall: there is no turn %d: that session has turns 1 to %d.", from, turns)
	case from == 0:
		return 1, turns, nil
	case from == to:
		return max(1, from-turnsAround), min(turns, from+turnsAround), nil
	}
	return from, min(to, turns), nil
}

// quotedLines returns the beginning and the end of a text, each line of it as a quote.
func quotedLines(said string, size int) string {
	text := strings.TrimSpace(escape.Text(said, escape.Model))
	if r := []rune(text); len(r) > size {
		tail := size / 4
		text = string(r[:size-tail]) + fmt.Sprintf(" … %d characters … ", len(r)-size) + string(r[len(r)-tail:])
	}
	return "> " + strings.ReplaceAll(text, "\n", "\n> ") + "\n"
}

// latest lists the latest sessions, newest first.
func (s *Server) latest(m *Memory, project string) (string, error) {
	catalog, err := m.Library.Catalog()
	if err != nil {
		return "", err
	}
	only, err := projectName(m, project)
	if err != nil {
		return "", err
	}
	told := 0
	sh := newSheet()
	sh.linef("The latest sessions. %s", asData)
	for _, e := range slices.Backward(library.Spoken(catalog.Entries)) {
		name := catalog.Of(e).Name
		hidden := e.Helper || e.Marks.Archived
		if hidden || only != "" && !catalog.WorkedIn(e, only) || told == mostListed {
			continue
		}
		if sh.linef("%s · %s · %s · %s · %s", payload.ShortID(e.ID), answer.Day(e.Start), payload.Data(name, 80),
			answer.Count(e.Turns, "turn"), payload.Data(e.Title, 120)) {
			told++
		}
	}
	return sh.text(""), nil
}
