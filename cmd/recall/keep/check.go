package keep

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/spf13/cobra"

	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/index"
	"recall/library"
	"recall/library/check"
	"recall/library/merge"
	"recall/pipeline"
)

// exitDamaged is the exit code of a check that found damage and of a repair that could not fix all of it.
const exitDamaged = 1

// VerifyDoc is the JSON document of recall check.
type VerifyDoc struct {
	Library string `json:"library"`
	Damaged int    `json:"damaged"`
	check.Verified
	Index string        `json:"index,omitempty"` // what is wrong with the index, a cache; "" for nothing
	Took  time.Duration `json:"-"`
	Lost  int           `json:"-"` // of Damaged: what only a backup might have
}

func newCheckCmd(a *app.App) *cobra.Command {
	var o struct {
		Repair bool
		From   string
	}
	return option.Result(a, "check", func(fs *option.Flags) {
		fs.StringVar(&o.From, "from", "", "repair, taking lost bytes from this backup")
		fs.BoolVar(&o.Repair, "repair", false, "repair whatever can be repaired")
	}, func(ctx context.Context, _ []string) (any, error) {
		if o.Repair || o.From != "" {
			return repaired(ctx, a, o.From)
		}
		return verified(ctx, a)
	}, func(a *app.App, doc any) {
		switch doc := doc.(type) {
		case VerifyDoc:
			a.Form("check", doc)
		case RepairDoc:
			a.Form("repair", doc)
		}
	})
}

func verified(ctx context.Context, a *app.App) (doc VerifyDoc, err error) {
	l, err := a.Library(ctx)
	if err != nil {
		return doc, err
	}
	start := time.Now()
	v, err := runVerify(ctx, a)
	doc = VerifyDoc{Library: l.Dir(), Damaged: v.Damage(), Verified: v, Took: time.Since(start)}
	for _, f := range v.Findings {
		if f.State == check.Damaged && f.Mend == check.MendNone {
			doc.Lost++
		}
	}
	if err == nil {
		doc.Index = indexDamage(ctx, a)
	}
	if err == nil && (doc.Damaged > 0 || doc.Index != "") {
		err = app.ExitCode(exitDamaged)
	}
	return doc, err
}

// indexDamage returns what is wrong with the index. One that isn't there, or that another version made, is made by
// whatever needs it.
func indexDamage(ctx context.Context, a *app.App) string {
	err := a.ReadIndex()
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, index.ErrRebuild) {
		return ""
	}
	if err == nil {
		err = a.Index.Check(ctx)
	}
	switch {
	case errors.Is(err, index.ErrRebuild):
		return err.Error()
	case err != nil:
		a.Tell("the index wasn't checked: %v", err)
	}
	return ""
}

func runVerify(ctx context.Context, a *app.App) (check.Verified, error) {
	bar := terminal.NewProgress(a.Err)
	defer bar.Done()
	return check.Verify(ctx, a.Lib, bar.Counts("verify"))
}

// RepairDoc is the JSON document of recall check --repair.
type RepairDoc struct {
	Mended    []check.Mended  `json:"mended"`
	Distilled int             `json:"distilled"`
	Damaged   int             `json:"damaged"`
	Findings  []check.Finding `json:"findings"`

	Lost bool `json:"-"` // something damaged could not be restored
}

func repaired(ctx context.Context, a *app.App, from string) (doc RepairDoc, err error) {
	l, err := libraryToRepair(ctx, a, from)
	if err == nil {
		err = l.ReadOnly()
	}
	if err == nil {
		doc, err = runRepair(ctx, a, from)
	}
	if err == nil && doc.Damaged > 0 {
		err = app.ExitCode(exitDamaged)
	}
	return doc, err
}

// libraryToRepair opens the configured library, recreating its library.toml if that is why it can't be opened.
func libraryToRepair(ctx context.Context, a *app.App, from string) (*library.Library, error) {
	l, err := a.Library(ctx)
	if err == nil || a.Config == nil || a.Config.Library.Dir == "" || errors.Is(err, fs.ErrPermission) {
		return l, err
	}
	var backup *library.Library
	if b, openErr := library.Open(from); from != "" && openErr == nil {
		defer b.Close()
		backup = b
	}
	l, how, recoverErr := library.Recover(a.Config.Library.Dir, backup)
	if errors.Is(recoverErr, library.ErrNoLibrary) {
		return nil, err
	}
	if recoverErr != nil {
		return nil, recoverErr
	}
	fmt.Fprintf(a.Err, "recall: recreated library.toml, %s\n", how)
	return a.Use(l), nil
}

func runRepair(ctx context.Context, a *app.App, from string) (RepairDoc, error) {
	var doc RepairDoc
	var backup *library.Library
	if from != "" {
		b, err := merge.OpenBackup(a.Lib, from)
		if err != nil {
			return doc, fmt.Errorf("open backup %s: %w", from, err)
		}
		defer b.Close()
		backup = b
	}
	fixed, err := check.RepairAll(ctx, a.Lib, backup, func() (check.Verified, error) { return runVerify(ctx, a) })
	if err != nil {
		return doc, err
	}
	doc.Mended = fixed.Mended
	for _, m := range fixed.Mended {
		doc.Lost = doc.Lost || !m.Done && m.State == check.Damaged
	}
	if len(fixed.Mended) > 0 {
		if err := a.Lib.Journal("repair", map[string]any{"mended": len(fixed.Mended)}); err != nil {
			return doc, err
		}
	}
	if doc.Distilled, err = renderAgain(ctx, a, fixed); err != nil {
		return doc, err
	}
	if len(fixed.Mended) == 0 {
		return doc, nil
	}
	after, err := runVerify(ctx, a)
	if err != nil {
		return doc, err
	}
	doc.Damaged, doc.Findings = after.Damage(), after.Findings
	return doc, nil
}

// renderAgain distills the sessions whose files must be rendered again, from the library alone.
func renderAgain(ctx context.Context, a *app.App, r check.Repaired) (int, error) {
	if len(r.Render) == 0 {
		return 0, nil
	}
	if err := a.ForgetSeen(); err != nil {
		return 0, err
	}
	report, err := a.Sync(ctx, pipeline.Options{Only: r.Render[0]})
	if err == nil {
		a.PrintProblems(report.Problems)
	}
	return report.Distilled, err
}
