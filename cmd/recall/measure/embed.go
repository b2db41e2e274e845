package measure

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"recall/answer"
	"recall/cmd/recall/app"
	"recall/cmd/recall/terminal"
	"recall/index"
	"recall/library"
	"recall/llm"
	"recall/payload"
	"recall/pipeline"
)

func newEmbedCmd(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:     "embed",
		Short:   "Make the vectors of new items with the configured model",
		GroupID: "keep",
		Long: `Embeds the items that have no vector of the configured model yet (query.vectors:
static or service) and keeps the vectors in the library, a session's beside its
payload. Cut off, it goes on where it was. Vectors of different models are kept
apart; after a change of model questions are answered by words alone until this
has run.`,
		Example: "  recall embed",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			l, err := a.Library(cmd.Context())
			if err != nil {
				return err
			}
			return runEmbed(cmd.Context(), a, l)
		},
	}
}

var errNoEmbedder = terminal.WithHint(errors.New("no embedding model is configured"),
	"set query.vectors to static or service in config.yaml; recall init tells if Ollama runs here")

func runEmbed(ctx context.Context, a *app.App, l *library.Library) error {
	e, err := a.Config.Embedder()
	if err != nil {
		return err
	}
	if e == nil {
		return errNoEmbedder
	}
	if err := l.ReadOnly(); err != nil {
		return err
	}
	return a.OnIndex(ctx, l, func(*pipeline.Pipeline) error { return embedAll(ctx, a, l, e) })
}

func embedAll(ctx context.Context, a *app.App, l *library.Library, e llm.Embedder) error {
	entries, err := l.Sessions()
	if err != nil {
		return err
	}
	bar := terminal.NewProgress(a.Err)
	defer bar.Done()
	var made, kept int
	length := lengthOf(ctx, e)
	for i, entry := range entries {
		bar.Show(pipeline.Progress{Stage: "embed", Done: i, Total: len(entries)})
		m, k, err := embedSession(ctx, a, l, entry, e, length)
		made, kept = made+m, kept+k
		if err != nil {
			bar.Done()
			fmt.Fprintf(a.Err, "recall: %s embedded before that, and kept\n", answer.Count(made, "item"))
			return err
		}
	}
	bar.Done()
	fmt.Fprintf(a.Out, "%s embedded with %s, %d had a vector\n", answer.Count(made, "item"), e.Model(), kept)
	return nil
}

// lengthOf is how long the model's vectors are now; 0 if it doesn't say. A service
// may have got another model by the same name.
func lengthOf(ctx context.Context, e llm.Embedder) int {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if vs, err := e.Embed(ctx, []string{"length"}); err == nil && len(vs) == 1 {
		return len(vs[0])
	}
	return 0
}

// embedSession embeds what of a session has no vector of the present text, or one
// of another length than the model's. What was made before an error is kept.
func embedSession(ctx context.Context, a *app.App, l *library.Library, entry library.Entry, e llm.Embedder,
	length int) (made, kept int, err error) {
	p, err := l.Payload(entry.ID)
	if errors.Is(err, library.ErrNoPayload) {
		return 0, 0, nil
	}
	if err != nil {
		return 0, 0, err
	}
	old, err := a.KeptVectors(l, entry, e.Model())
	if err != nil {
		fmt.Fprintf(a.Err, "recall: warning: %v; made again\n", err)
	}
	have := map[string]index.Embedded{}
	for _, o := range old {
		if length > 0 && len(o.V) > 0 && len(o.V) != length {
			continue
		}
		have[string(o.Item)+o.Text] = o
	}
	var all []index.Embedded
	var missing []payload.Item
	var texts []string
	for _, it := range p.Items {
		if o, ok := have[string(it.ID)+index.TextHash(it)]; ok {
			all = append(all, o)
			continue
		}
		missing, texts = append(missing, it), append(texts, index.TextToEmbed(it))
	}
	kept = len(all)
	var failed error
	if len(missing) > 0 {
		var vs [][]float32
		vs, failed = e.Embed(ctx, texts)
		for i, v := range vs {
			if index.CheckVector(v) == nil { // a text that the model knows no word of has none
				all = append(all, index.Embedded{Item: missing[i].ID, Text: index.TextHash(missing[i]), V: v})
				made++
			}
		}
	}
	if made > 0 || len(all) != len(old) {
		b, err := index.EncodeVectors(e.Model(), all)
		if err == nil {
			err = l.SaveVectors(entry.ID, e.Model(), b)
		}
		if err != nil {
			return made, kept, err
		}
	}
	return made, kept, errors.Join(failed, a.Index.PutVectors(ctx, e.Model(), app.VectorsOf(all)))
}
