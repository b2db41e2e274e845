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
	found, proposal, err := toLabel(ctx, a, name)
	if err != nil {
		return err
	}
	g := eval.Label(found, proposal)
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

// toLabel finds the transcript that a person names, by its file or as a session of the
// library, with the payload that it has or would get.
func toLabel(ctx context.Context, a *app.App, name string) (found ingest.Found, p *payload.Payload, err error) {
	if info, err := os.Stat(name); err == nil && !info.IsDir() {
		return ofFile(ctx, a, name)
	}
	l, err := a.Library(ctx)
	if err != nil {
		return found, nil, err
	}
	e, err := a.Session(l, name)
	if err != nil {
		return found, nil, err
	}
	if p, err = a.Payload(l, e); err != nil {
		return found, nil, err
	}
	t, err := transcript(l, e)
	return t.Found, p, err
}

func ofFile(ctx context.Context, a *app.App, file string) (found ingest.Found, p *payload.Payload, err error) {
	if _, err := a.LoadConfig(); err != nil {
		return found, nil, err
	}
	all, _ := eval.Transcripts(ctx, file)
	if len(all) == 0 {
		return found, nil, app.NoSession(file)
	}
	s, err := all[0].Reader.Parse(ctx, all[0].Found)
	if err != nil {
		return found, nil, err
	}
	ingest.Own([]*ingest.Session{s})
	pipeline.Redact(redact.New(), s)
	p, err = offline.Distiller{}.Distill(ctx, s)
	return all[0].Found, p, err
}
