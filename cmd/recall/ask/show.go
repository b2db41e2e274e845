package ask

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"html"
	"strings"

	"github.com/spf13/cobra"

	"recall/answer"
	"recall/answer/history"
	"recall/answer/last"
	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/index"
	"recall/ingest"
	"recall/ingest/trace"
	"recall/internal/hint"
	txt "recall/internal/text"
	"recall/library"
	"recall/library/disk"
	"recall/library/manifest"
	"recall/library/render"
	"recall/payload"
	"recall/pipeline"
	"recall/pipeline/notes"
	"recall/team"
)

type showOptions struct {
	Variant                          string
	Transcript, Actions, Print, JSON bool
	Script                           bool
	Around                           int
}

func newShowCmd(a *app.App) *cobra.Command {
	var o showOptions
	return option.Run(a, "show", func(fs *option.Flags) {
		fs.BoolVar(&o.Actions, "actions", false, "list the tool calls and their results")
		fs.Number(&o.Around, "context", "C", 0, "also show so many turns before and after that place")
		fs.BoolVar(&o.JSON, "json", false, "print the payload, with all evidence; with --actions, inputs and results")
		fs.BoolVar(&o.Print, "print", false, "print that place as PATH:LINE")
		fs.BoolVar(&o.Script, "script", false, "print a shell script that does its tool calls again")
		fs.BoolVarP(&o.Transcript, "transcript", "t", false, "print the readable transcript")
		fs.OneOf(&o.Variant, "variant", "",
			"form of the payload: coding, debug, handoff (payload.variant)", "coding", "debug", "handoff")
		fs.Apart("transcript", "actions", "script", "variant")
		fs.Apart("print", "actions", "script")
		fs.Apart("json", "script")
		fs.Apart("transcript", "json", "variant")
		fs.Apart("print", "json")
	}, func(ctx context.Context, args []string) error {
		h, to, err := a.Hit(ctx, args[0])
		var e library.Entry
		if err == nil {
			e, err = a.Lib.Session(h.Session)
		}
		if errors.Is(err, library.ErrNoSession) {
			if strings.HasPrefix(string(h.Session), index.HandedID("")) {
				return showHanded(a, h)
			}
			h.Session = cmp.Or(h.Session, ingest.SessionID(args[0]))
			return showShared(ctx, a, h, o, err)
		}
		if err != nil {
			return err
		}
		whole := o.Transcript || o.Actions || o.Script || o.JSON || o.Variant != ""
		place := o.Print || (h.Turn != "" || h.N > 0) && !whole
		switch {
		case place && o.Print:
			path, line, err := placeOf(a.Lib, h)
			if err != nil {
				return err
			}
			return a.Print(fmt.Sprintf("%s:%d\n", path, line))
		case place && h.N > 0 && (to > h.N || o.Around > 0):
			to = max(h.N, to) + o.Around
			return showTurns(a, e, last.Hit{Session: e.ID, N: max(1, h.N-o.Around)}, to)
		case place:
			return showTurns(a, e, h, 0)
		}
		return runShow(ctx, a, e, o)
	})
}

// showHanded shows a note of a client's own memory, which is indexed as if it had been handed over.
func showHanded(a *app.App, h last.Hit) error {
	all, err := a.Pipeline().Remembered()
	for _, n := range all {
		if n.Session() == string(h.Session) {
			return a.Print(fmt.Sprintf("%s, %s\n\n%s\n", n.Title, answer.Day(n.At), terminal.Visible(n.Text)))
		}
	}
	_, _, none := placeOf(a.Lib, h)
	return cmp.Or(err, none)
}

// showShared shows a session that somebody else shares with the team: its transcript, or the given turn, if that is
// shared, else its items. If nobody shares it, it returns none.
func showShared(ctx context.Context, a *app.App, h last.Hit, o showOptions, none error) error {
	of, err := a.SharedSession(ctx, string(h.Session))
	itemsAlone := err == nil && of.Transcript == "" && of.Without == ""
	if itemsAlone && o.Transcript && !o.JSON {
		err = hint.With(team.ErrNotShared, "%s shares only what was decided in it: recall show %s", terminal.Line(of.Author),
			of.Session)
	}
	switch {
	case err == library.ErrNoSession:
		return none
	case err != nil:
		return err
	case o.JSON:
		return printPayload(a, of.Payload)
	}
	text := of.Transcript
	switch {
	case text == "":
		text = payload.WithoutMarkers(payload.Render(of.Payload, payload.Options{Variant: payload.Variant(cmp.Or(o.Variant,
			a.Config.Payload.Variant)), Budget: -1}).Text)
	case !o.Transcript && h.Turn != "":
		if before, _, ok := strings.Cut(text, `<a id="`+html.EscapeString(h.Turn)+`">`); ok {
			for _, text = range render.TurnsFrom(text, 1+strings.Count(before, "\n")) {
				break
			}
		}
	}
	fmt.Fprintf(a.Err, "recall: %s shares this session, from %s\n", terminal.Line(of.Author), terminal.Line(of.Machine))
	if of.Without != "" {
		fmt.Fprintf(a.Err, "recall: %s\n", terminal.Line(of.Without))
	}
	return a.Print(terminal.Visible(text))
}

// showTurns shows the turns of a session from a place on, up to the turn of a number.
func showTurns(a *app.App, e library.Entry, h last.Hit, to int) error {
	path, line, err := placeOf(a.Lib, h)
	for to = min(to, e.Turns); h.N < to && errors.Is(err, library.ErrNoTurn); h.N++ { // not all are in the transcript
		path, line, err = a.Lib.TurnPlace(e.ID, "", h.N+1)
	}
	if err != nil {
		return err
	}
	data, err := disk.ReadPlain(path)
	if err != nil {
		return err
	}
	text := string(disk.Markdown.Text(data))
	if err := tellWhich(a, e, text, line); err != nil {
		return err
	}
	shown := 0
	for n, turn := range render.TurnsFrom(text, line) {
		if shown++; shown > 1 && n > to {
			break
		} else if shown > 1 {
			turn = "\n" + turn
		}
		if err := a.Print(terminal.Visible(turn)); err != nil {
			return err
		}
	}
	return nil
}

// tellWhich says which session shown turns are from, and of which day, since a turn has only a time.
func tellWhich(a *app.App, e library.Entry, text string, line int) error {
	catalog, err := a.Lib.Catalog()
	if err != nil {
		return err
	}
	day := ""
	for above := range strings.Lines(text) {
		if line--; line < 0 {
			break
		}
		if heading, ok := strings.CutPrefix(above, "## "); ok {
			day = strings.TrimSpace(heading)
		}
	}
	a.Tell("%s, %s UTC", app.Listed(catalog, e), terminal.Line(day))
	return nil
}

func runShow(ctx context.Context, a *app.App, e library.Entry, o showOptions) error {
	switch {
	case o.Transcript:
		text, err := a.Lib.Transcript(e)
		if err != nil {
			return err
		}
		return a.Print(terminal.Visible(string(text)))
	case o.Actions, o.Script:
		s, err := a.Pipeline().Read(ctx, e.ID)
		if err != nil {
			return err
		}
		if o.Script {
			return a.Print(terminal.Visible(manifest.Replay(s, trace.Actions(s))))
		}
		did := history.ActionsOf(s)
		if o.JSON {
			return a.PrintJSON(did)
		}
		a.Form("actions", did)
		return nil
	}
	p, err := a.Payload(e)
	if err != nil {
		return err
	}
	p.Doubted, err = pipeline.Doubts(ctx, a.Lib, a.IndexIfThere(), map[string]*payload.Payload{}, p.Items)
	if err != nil {
		return err
	}
	if o.JSON {
		return printPayload(a, p)
	}
	form := payload.Options{Variant: payload.Variant(cmp.Or(o.Variant, a.Config.Payload.Variant)), Budget: -1}
	text := payload.Render(p, form).Text
	if terminal.IsTerminal(a.Out) { // without the markers, which are for pasting
		text = payload.WithoutMarkers(text)
	}
	if err := a.Print(text); err != nil {
		return err
	}
	return printNotes(ctx, a, e)
}

// placeOf returns the file and line of a hit.
func placeOf(l *library.Library, h last.Hit) (path string, line int, err error) {
	if strings.HasPrefix(string(h.Session), index.HandedID("")) {
		return "", 0, hint.With(errors.New("somebody handed this over; its transcript is in their library"),
			"recall why %s shows its quotes", h.Item)
	}
	path, line, err = l.TurnPlace(h.Session, h.Turn, h.N)
	switch {
	case !errors.Is(err, library.ErrNoTurn):
	case h.Turn == "":
		err = hint.With(err, "recall show %s --transcript shows all turns", payload.ShortID(h.Session))
	default:
		err = hint.With(err, "recall sync renders it again")
	}
	return path, line, err
}

// printNotes prints an agent's notes that the transcript doesn't support: they become no items, but aren't lost.
func printNotes(ctx context.Context, a *app.App, e library.Entry) error {
	lines, err := a.Lib.Notes(e.ID)
	if err != nil {
		return err
	}
	noted := payload.DecodeNotes(lines)
	if len(noted) == 0 {
		return nil
	}
	s, err := a.Pipeline().Read(ctx, e.ID)
	if err != nil {
		return err
	}
	for _, n := range notes.GroundNotes(s, noted) {
		if n.Item == nil {
			fmt.Fprintf(a.Err, "recall: the agent noted, ungrounded (%s): %s: %s\n", n.Why, n.Note.Kind,
				txt.Clip(terminal.Line(n.Note.Text), 200))
		}
	}
	return nil
}
