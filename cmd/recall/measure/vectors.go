package measure

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"recall/answer"
	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/hint"
	"recall/library"
	"recall/pipeline"
	"recall/pipeline/vectors"
)

func newVectorsCmd(a *app.App) *cobra.Command {
	var o struct{ Weigh bool }
	return option.Run(a, "vectors", &o, func(ctx context.Context, l *library.Library, _ []string) error {
		if o.Weigh {
			return runCalibrate(ctx, a, l)
		}
		return runEmbed(ctx, a, l)
	})
}

var errNoEmbedder = hint.With(errors.New("no embedding model is configured"),
	"set query.vectors to static or service in config.yaml; recall init tells if Ollama runs here")

func runEmbed(ctx context.Context, a *app.App, l *library.Library) error {
	v, err := vectorsOf(a, l)
	if err == nil {
		err = l.ReadOnly()
	}
	if err != nil {
		return err
	}
	return a.OnIndex(ctx, l, func(*pipeline.Pipeline) error {
		v.Index = a.Index
		bar := terminal.NewProgress(a.Err)
		made, kept, err := v.Make(ctx, bar.Counts("embed"))
		bar.Done()
		if err != nil {
			fmt.Fprintf(a.Err, "recall: %s embedded before that, and kept\n", answer.Count(made, "item"))
			return err
		}
		fmt.Fprintf(a.Out, "%s embedded with %s, %d had a vector\n", answer.Count(made, "item"), v.Model.Model(), kept)
		return nil
	})
}

// vectorsOf are those of the configured model.
func vectorsOf(a *app.App, l *library.Library) (vectors.Vectors, error) {
	v, err := a.Vectors(l)
	if err == nil && v.Model == nil {
		err = errNoEmbedder
	}
	return v, err
}

func runCalibrate(ctx context.Context, a *app.App, l *library.Library) error {
	if err := a.ReadIndex(l); err != nil {
		return hint.With(err, "recall reindex makes the index")
	}
	v, err := vectorsOf(a, l)
	if err != nil {
		return err
	}
	has, err := a.Index.HasVectors(ctx, v.Model.Model())
	if err != nil {
		return err
	}
	if !has {
		return hint.With(fmt.Errorf("no vectors of %s yet", v.Model.Model()), "recall vectors makes them")
	}
	c, err := v.Calibrate(ctx)
	if errors.Is(err, vectors.ErrFew) {
		return fmt.Errorf("%s to ask for, too few to say anything", answer.Count(c.Questions, "item"))
	}
	if err != nil {
		return err
	}
	a.Form("weights", struct {
		vectors.Calibration
		Model string
	}{c, v.Model.Model()})
	return nil
}
