package measure

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"recall/answer"
	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/distill/offline"
	"recall/eval"
	"recall/hint"
	"recall/ingest"
	"recall/library"
	"recall/payload"
	"recall/pipeline"
	"recall/redact"
	"recall/sink"
)

func newEvalLabelCmd(a *app.App) *cobra.Command {
	var o struct{ Out, Check, From string }
	cmd := option.Do("eval-label", &o, func(ctx context.Context, args []string) error {
		if o.Check != "" {
			return checkLabels(ctx, a, o.Check, o.From)
		}
		return label(ctx, a, args[0], o.Out)
	})
	return option.Refuse(cmd, func(args []string) bool { return len(args) > 1 || (len(args) > 0) == (o.Check != "") }, "",
		"")
}

// label makes a gold file. One that is there is never written over.
func label(ctx context.Context, a *app.App, name, out string) error {
	if out != "" {
		if _, err := os.Stat(out); err == nil {
			return hint.With(fmt.Errorf("%s is there already", out),
				"move it away, or check it: recall eval label --check %s", sink.Shell(out))
		}
	}
	at, err := toLabel(ctx, a, name)
	if err != nil {
		return err
	}
	g, err := eval.Label(at.found, at.session, at.payload)
	if err != nil {
		return err
	}
	data, err := g.Encode()
	if err != nil {
		return err
	}
	if out == "" {
		_, err = a.Out.Write(data)
		return err
	}
	if err := app.WriteWhole(out, data); err != nil {
		return err
	}
	if !strings.HasSuffix(out, ".gold.json") {
		fmt.Fprintf(a.Err, "recall: warning: recall eval reads files named NAME.gold.json only; rename %s when it is "+
			"filled in\n", out)
	}
	fmt.Fprintf(a.Out, "%s: %s proposed\nFill it in, then: recall eval label --check %s\n", out,
		answer.Count(len(g.Items), "item"), sink.Shell(out))
	return nil
}

// labelling is a session that a gold file is about.
type labelling struct {
	found   ingest.Found
	session *ingest.Session
	payload *payload.Payload
}

// toLabel finds the session that a person names: a transcript's file, or one
// of the library.
func toLabel(ctx context.Context, a *app.App, name string) (labelling, error) {
	if info, err := os.Stat(name); err == nil && !info.IsDir() {
		return below(ctx, a, name, "")
	}
	l, err := a.Library(ctx)
	if err != nil {
		return labelling{}, err
	}
	e, err := a.Session(l, name)
	if err != nil {
		return labelling{}, err
	}
	return inLibrary(ctx, a, l, e)
}

// inLibrary is a session as the library has it.
func inLibrary(ctx context.Context, a *app.App, l *library.Library, e library.Entry) (at labelling, err error) {
	if at.payload, err = a.Payload(l, e); err != nil {
		return at, err
	}
	t, err := transcript(l, e)
	if err == nil {
		at.found = t.Found
		at.session, err = t.Reader.Parse(ctx, t.Found)
	}
	return at, err
}

// below is the session of that id below a folder, or the one of a file, with
// the payload that it would get.
func below(ctx context.Context, a *app.App, where string, id ingest.SessionID) (at labelling, err error) {
	if _, err := a.LoadConfig(); err != nil {
		return at, err
	}
	all, _ := eval.Transcripts(ctx, where)
	for _, t := range all {
		if id == "" || t.Found.ID == id {
			return distilled(ctx, a, t)
		}
	}
	if id != "" {
		return at, hint.With(fmt.Errorf("no transcript of session %s below %s", id, where),
			"name the folder of the transcripts with --from")
	}
	return at, app.NoSession(where)
}

func distilled(ctx context.Context, a *app.App, t eval.Transcript) (at labelling, err error) {
	rules := redact.New()
	at.found = t.Found
	if at.session, err = t.Reader.Parse(ctx, t.Found); err != nil {
		return at, err
	}
	ingest.Own([]*ingest.Session{at.session})
	pipeline.Redact(rules, at.session)
	at.payload, err = offline.Distiller{}.Distill(ctx, at.session)
	return at, err
}

func checkLabels(ctx context.Context, a *app.App, file, from string) error {
	g, notices, err := eval.ReadLabelled(file)
	if os.IsNotExist(err) {
		return hint.With(fmt.Errorf("%s: no such file", file), "recall eval label SESSION --out FILE makes one")
	}
	var faults eval.Problems
	if err != nil && (!errors.As(err, &faults) || g == nil) {
		return err
	}
	var todo []eval.Problem
	if g.Session != "" {
		at, err := ofGold(ctx, a, g, from)
		if err != nil {
			return err
		}
		faults = append(faults, g.CheckTranscript(at.found)...)
		todo = g.Unfilled(at.payload)
	}
	for _, n := range notices {
		fmt.Fprintf(a.Err, "recall: %s\n", terminal.Line(n.String()))
	}
	for _, n := range todo {
		fmt.Fprintf(a.Out, "to do: %s\n", terminal.Line(n.String()))
	}
	if len(faults) > 0 {
		return hint.With(faults, "%s",
			"each line names file and item; the quote must stand verbatim in one of the item's turns")
	}
	must := 0
	for _, it := range g.Items {
		if it.Must {
			must++
		}
	}
	if len(todo) > 0 {
		fmt.Fprintln(a.Out, "\nKeep an item only if leaving it out would make the next session do something different, "+
			"and\nsay it in one sentence, with the names as they are in the transcript.")
	}
	fmt.Fprintf(a.Out, "%s: sound; %s, %d must be found, %s to do\n", file, answer.Count(len(g.Items), "item"), must,
		answer.Count(len(todo), "thing"))
	return nil
}

// ofGold finds the session of a gold file, below a folder or in the library.
func ofGold(ctx context.Context, a *app.App, g *eval.Gold, from string) (labelling, error) {
	if from == "" {
		l, err := a.Library(ctx)
		if err != nil {
			return labelling{}, hint.With(err, "name the folder of the transcripts with --from")
		}
		e, err := l.Session(ingest.SessionID(g.Session))
		if err != nil {
			return labelling{}, hint.With(err, "name the folder of its transcript with --from")
		}
		return inLibrary(ctx, a, l, e)
	}
	if stated := filepath.FromSlash(g.Transcript); filepath.IsLocal(stated) {
		if info, err := os.Stat(filepath.Join(from, stated)); err == nil && !info.IsDir() {
			from = filepath.Join(from, stated)
		}
	}
	return below(ctx, a, from, ingest.SessionID(g.Session))
}
