package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"recall/cmd/recall/compose"
	"recall/index"
	"recall/library"
	"recall/mcpserver"
)

// mcpMind is the configured model as recall query has it, for an agent's question.
// No agent waits for minutes: it gets query.model_timeout, also where a person at a
// terminal would give it more.
func (a *app) mcpMind(cmd *cobra.Command, l *library.Library) func(context.Context, bool) *mcpserver.Mind {
	return func(_ context.Context, paragraph bool) *mcpserver.Mind {
		var told []string
		tell := func(format string, args ...any) { told = append(told, fmt.Sprintf(format, args...)) }
		mind := a.secondMind(cmd, l, paragraph, tell)
		said := func() []string { return told }
		if mind == nil {
			if len(told) == 0 {
				return nil
			}
			return &mcpserver.Mind{Look: func(context.Context, string, *index.Answer) {},
				Paragraph: func(context.Context, string, []index.Result) []mcpserver.Sentence { return nil }, Told: said}
		}
		mind.within = min(mind.within, a.cfg.Query.Patience)
		return &mcpserver.Mind{Most: compose.Looked, Look: mind.look, Told: said,
			Paragraph: func(ctx context.Context, question string, found []index.Result) (out []mcpserver.Sentence) {
				for _, c := range mind.paragraph(ctx, question, found) {
					out = append(out, mcpserver.Sentence{Text: c.text, Items: c.items})
				}
				return out
			}}
	}
}
