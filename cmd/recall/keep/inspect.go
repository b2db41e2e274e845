package keep

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/ingest"
	"recall/internal/redact"
	"recall/pipeline"
)

func newInspectCmd(a *app.App) *cobra.Command {
	var o struct{ JSON bool }
	return option.Do("inspect", func(fs *option.Flags) {
		fs.BoolVar(&o.JSON, "json", false, "print as JSON, one line per session")
	}, func(ctx context.Context, args []string) error {
		if _, err := os.Stat(args[0]); err != nil {
			return terminal.NoSuchFile(args[0], err)
		}
		return runInspect(ctx, a, args[0], o.JSON)
	})
}

// InspectDoc is the JSON document of recall inspect: what became of a transcript's lines, without any of their text.
type InspectDoc struct {
	ID        ingest.SessionID `json:"id"`
	Source    ingest.Source    `json:"source"`
	Versions  []string         `json:"versions,omitempty"`
	Prompts   int              `json:"prompts"`
	Messages  int              `json:"messages"`
	Calls     int              `json:"calls"`
	Subagents int              `json:"subagents,omitempty"`
	Report    ingest.Report    `json:"report"`
}

func inspect(s *ingest.Session) InspectDoc {
	doc := InspectDoc{ID: s.ID, Source: s.Source, Versions: s.Versions, Subagents: len(s.Subagents), Report: s.Report}
	for i := range s.Turns {
		t := &s.Turns[i]
		switch t.Kind {
		case ingest.Prompt:
			doc.Prompts++
		case ingest.Message:
			doc.Messages++
		}
		doc.Calls += len(t.Calls)
	}
	return doc
}

func runInspect(ctx context.Context, a *app.App, path string, asJSON bool) error {
	rules := redact.New()
	sessions, failed := 0, 0
	for _, reader := range app.Readers() {
		found, problems := reader.Find(ctx, path, nil)
		a.PrintProblems(problems)
		failed += len(problems)
		for _, f := range found {
			s, err := reader.Parse(ctx, f)
			if err != nil {
				fmt.Fprintf(a.Err, "recall: skipped: %s: %v\n", f.ID, err)
				failed++
				continue
			}
			sessions++
			pipeline.Redact(rules, s) // record types are untrusted too
			if err := printInspected(a, inspect(s), asJSON); err != nil {
				return err
			}
		}
	}
	switch {
	case sessions == 0:
		return noSession(path)
	case failed > 0:
		return app.ExitCode(app.ExitPartial)
	}
	return nil
}

func printInspected(a *app.App, doc InspectDoc, asJSON bool) error {
	if !asJSON {
		a.Form("inspect", doc)
		return nil
	}
	line, err := json.Marshal(doc) // one session per line
	if err != nil {
		return err
	}
	return a.WriteJSON(string(line) + "\n")
}
