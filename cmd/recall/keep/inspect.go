package keep

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/ingest"
	"recall/pipeline"
	"recall/redact"
)

func newInspectCmd(a *app.App) *cobra.Command {
	var o struct{ JSON bool }
	return option.Do("inspect", &o, func(ctx context.Context, args []string) error {
		if _, err := os.Stat(args[0]); err != nil {
			return terminal.NoSuchFile(args[0], err)
		}
		return runInspect(ctx, a, args[0], o.JSON)
	})
}

// togetherAtMost is how many sessions are held at once so that forks among
// them are told apart.
const togetherAtMost = 200

func runInspect(ctx context.Context, a *app.App, path string, asJSON bool) error {
	rules := redact.New()
	sessions, failed := 0, 0
	for _, reader := range app.Readers() {
		found, problems := reader.Find(ctx, path, nil)
		a.PrintProblems(problems)
		failed += len(problems)
		for len(found) > 0 {
			n := min(len(found), togetherAtMost)
			var family []*ingest.Session
			for _, f := range found[:n] {
				s, err := reader.Parse(ctx, f)
				if err != nil {
					fmt.Fprintf(a.Err, "recall: skipped: %s: %v\n", f.ID, err)
					failed++
					continue
				}
				family = append(family, s)
			}
			found = found[n:]
			ingest.Own(family)
			for _, s := range family {
				pipeline.Redact(rules, s)
			}
			sessions += len(family)
			if err := printInspected(a, family, asJSON); err != nil {
				return err
			}
		}
	}
	switch {
	case sessions == 0:
		return app.NoSession(path)
	case failed > 0:
		return app.ExitCode(app.ExitPartial)
	}
	return nil
}

func printInspected(a *app.App, sessions []*ingest.Session, asJSON bool) error {
	for _, s := range sessions {
		var err error
		if asJSON {
			var doc []byte
			if doc, err = json.Marshal(ingest.Inspect(s)); err == nil { // one session a line
				err = a.WriteJSON(string(doc) + "\n")
			}
		} else {
			var text strings.Builder
			if err = ingest.Inspect(s).Write(&text); err == nil {
				_, err = io.WriteString(a.Out, terminal.Visible(text.String()))
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}
