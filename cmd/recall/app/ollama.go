package app

import (
	"context"
	"fmt"
	"os"

	"recall/config"
)

// OfferOllama tells of an embedding model that Ollama has on this machine, and
// how to use it. Nothing but the question which models there are is sent, and
// that to this machine only.
func (a *App) OfferOllama(ctx context.Context) {
	if a.Config.Query.Vectors != "off" {
		return
	}
	address := config.OllamaHere(os.Getenv("OLLAMA_HOST"))
	model := OllamaEmbedder(ctx, address)
	if model == "" {
		return
	}
	fmt.Fprintf(a.Out, `
Ollama runs here and has %s. To search by meaning, too, put into config.yaml
  query:
    vectors: service
  embed:
    url: http://%s/v1
    model: %s
and run recall embed, then recall calibrate.
`, model, address, model)
}

// OllamaEmbedder names an embedding model that Ollama has; "" if it has none,
// isn't there or takes too long.
func OllamaEmbedder(ctx context.Context, address string) string {
	for _, m := range config.OllamaModels(ctx, address) {
		if m.Embeds {
			return m.Name
		}
	}
	return ""
}
