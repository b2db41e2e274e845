package keep

import (
	"context"
	"time"

	"github.com/spf13/cobra"

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
	Took time.Duration `json:"-"`
	Lost int           `json:"-"` // of Damaged: what only a backup may bring back
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
			a.Form("check", doc)
		case RepairDoc:
			a.Form("repair", doc)
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
	doc = VerifyDoc{Library: l.Dir(), Quick: quick, Damaged: v.Damage(), Verified: v, Took: time.Since(start)}
	for _, f := range v.Findings {
		if f.State == check.Damaged && f.Mend == check.MendNone {
			doc.Lost++
		}
	}
	if err == nil && doc.Damaged > 0 {
		err = app.ExitCode(exitDamaged)
	}
	return doc, err
}

func runVerify(ctx context.Context, a *app.App, l *library.Library, quick bool) (check.Verified, error) {
	bar := terminal.NewProgress(a.Err)
	defer bar.Done()
	return check.Verify(ctx, l, check.Options{Quick: quick, Progress: func(done, total int64) {
		bar.Show(pipeline.Progress{Stage: "verify MB", Done: int(done >> 20), Total: int(total >> 20)})
	}})
}
