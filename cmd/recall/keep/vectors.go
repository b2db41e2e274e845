package keep

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"recall/answer"
	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/internal/hint"
	"recall/pipeline"
)

func newVectorsCmd(a *app.App) *cobra.Command {
	return option.Run(a, "vectors", nil, func(ctx context.Context, _ []string) error {
		v, err := a.Vectors()
		switch {
		case err != nil:
			return err
		case v.Model == nil:
			return errNoEmbedder
		case a.Lib.ReadOnly() != nil:
			return a.Lib.ReadOnly()
		}
		return a.OnIndex(ctx, func(*pipeline.Pipeline) error {
			v.Index = a.Index
			bar := terminal.NewProgress(a.Err)
			made, kept, err := v.Make(ctx, bar.Counts("embed"))
			bar.Done()
			if err != nil {
				fmt.Fprintf(a.Err, "recall: %s embedded before that are kept\n", answer.Count(made, "item"))
				return err
			}
			fmt.Fprintf(a.Out, "%s embedded with %s, %d had a vector\n", answer.Count(made, "item"), v.Model.Model(), kept)
			return nil
		})
	})
}

var errNoEmbedder = hint.With(errors.New("no embedding model is configured"),
	"set query.vectors to static or service in config.yaml")
