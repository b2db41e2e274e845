package keep

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"recall/answer"
	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/library"
	"recall/library/check"
	"recall/pipeline"
)

// exitDamaged ends a check that found damage, and a repair that could not
// make all of it good.
const exitDamaged = 1

// VerifyDoc is the JSON form of recall check.
type VerifyDoc struct {
	Library string `json:"library"`
	Quick   bool   `json:"quick"`
	Damaged int    `json:"damaged"`
	check.Verified
	took time.Duration
}

func newCheckCmd(a *app.App) *cobra.Command {
	var o struct {
		Quick, Repair bool
		From          string
	}
	return option.Result(a, "check", &o, func(ctx context.Context, _ []string) (any, error) {
		if o.Repair || o.From != "" {
			return repaired(ctx, a, o.From)
		}
		return verified(ctx, a, o.Quick)
	}, func(a *app.App, doc any) {
		switch doc := doc.(type) {
		case VerifyDoc:
			printVerified(a, doc)
		case RepairDoc:
			printRepaired(a, doc)
		}
	})
}

func verified(ctx context.Context, a *app.App, quick bool) (doc VerifyDoc, err error) {
	l, err := a.Library(ctx)
	if err != nil {
		return doc, err
	}
	start := time.Now()
	v, err := runVerify(ctx, a, l, quick)
	doc = VerifyDoc{Library: l.Dir(), Quick: quick, Damaged: v.Damage(), Verified: v, took: time.Since(start)}
	if err == nil && doc.Damaged > 0 {
		err = app.ExitCode(exitDamaged)
	}
	return doc, err
}

// runVerify checks the library with its progress on a terminal.
func runVerify(ctx context.Context, a *app.App, l *library.Library, quick bool) (check.Verified, error) {
	bar := terminal.NewProgress(a.Err)
	defer bar.Done()
	return check.Verify(ctx, l, check.Options{Quick: quick, Progress: func(done, total int64) {
		bar.Show(pipeline.Progress{Stage: "verify MB", Done: int(done >> 20), Total: int(total >> 20)})
	}})
}

func printVerified(a *app.App, v VerifyDoc) {
	s := terminal.Styles(a.Color)
	color := map[check.FindingState]string{check.Damaged: s.Red, check.Edited: s.Green,
		check.Unfinished: s.Yellow}
	lost := 0
	for _, f := range v.Findings {
		fmt.Fprintf(a.Out, "%s%-10s%s %s: %s%s\n", color[f.State], f.State, s.Reset, terminal.Line(f.Path),
			terminal.Line(f.What), wayOut(f))
		if f.State == check.Damaged && f.Mend == check.MendNone {
			lost++
		}
	}
	fmt.Fprintf(a.Out, "%s of %s read in %s: ", answer.Count(v.Files, "file"), answer.Count(v.Sessions, "session"),
		terminal.Elapsed(v.took))
	switch n := v.Damaged; {
	case n == 0:
		fmt.Fprintln(a.Out, "all is as it was written")
	case lost == 0:
		fmt.Fprintf(a.Out, "%d damaged; recall check --repair brings back what can be\n", n)
	default:
		fmt.Fprintf(a.Out, "%d damaged, for %d of them only a backup may help: recall check --from BACKUP\n", n, lost)
	}
}

// wayOut says what brings damage back.
func wayOut(f check.Finding) string {
	switch {
	case f.State != check.Damaged:
		return ""
	case f.Mend == check.MendRender:
		return "; can be made again"
	case f.Mend == check.MendSource:
		return "; its source may still have it"
	}
	return ""
}
