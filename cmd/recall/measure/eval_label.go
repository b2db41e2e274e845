package measure

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"recall/answer"
	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
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
	var o struct{ Out string }
	return option.Do("eval-label", &o, func(ctx context.Context, args []string) error {
		return label(ctx, a, args[0], o.Out)
	})
}

// label makes a gold file. One that is there is never written over.
func label(ctx context.Context, a *app.App, name, out string) error {
	if out != "" {
		if _, err := os.Stat(out); err == nil {
			return hint.With(fmt.Errorf("%s is there already", out), "move it away, or name another file")
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
	fmt.Fprintf(a.Out, "%s: %s proposed\nFill it in, then: recall eval payloads --gold %s\n", out,
		answer.Count(len(g.Items), "item"), sink.Shell(filepath.Dir(out)))
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
		return ofFile(ctx, a, name)
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

// ofFile is the session of a transcript's file, with the payload that it would get.
func ofFile(ctx context.Context, a *app.App, file string) (at labelling, err error) {
	if _, err := a.LoadConfig(); err != nil {
		return at, err
	}
	all, _ := eval.Transcripts(ctx, file)
	if len(all) == 0 {
		return at, app.NoSession(file)
	}
	at.found = all[0].Found
	if at.session, err = all[0].Reader.Parse(ctx, at.found); err != nil {
		return at, err
	}
	ingest.Own([]*ingest.Session{at.session})
	pipeline.Redact(redact.New(), at.session)
	at.payload, err = offline.Distiller{}.Distill(ctx, at.session)
	return at, err
}
