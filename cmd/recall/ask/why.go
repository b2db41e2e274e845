package ask

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"recall/answer"
	"recall/answer/history"
	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/ingest"
	"recall/internal/hint"
)

func newWhyCmd(a *app.App) *cobra.Command {
	asFile := false
	return option.Result(a, "why", func(fs *option.Flags) {
		fs.BoolVar(&asFile, "file", false, "treat the argument as a file, even if none of that name exists")
	}, func(ctx context.Context, args []string) (any, error) {
		file, line := history.FileLine(args[0])
		switch {
		case asFile, line == 0 && (strings.ContainsAny(args[0], `./\`) || ingest.IsFile(args[0])):
			return filesOf(ctx, a, args[0])
		case line > 0:
			return whyLine(ctx, a, file, line)
		}
		return whyItem(ctx, a, args[0])
	}, func(a *app.App, doc any) {
		form := "why-item"
		switch doc.(type) {
		case *history.Why:
			form = "why-line"
		case *history.Files:
			form = "why-file"
		}
		a.Form(form, doc)
	})
}

func whyLine(ctx context.Context, a *app.App, file string, line int) (*history.Why, error) {
	real, err := filepath.Abs(file)
	if err != nil {
		return nil, err
	}
	if plain, err := filepath.EvalSymlinks(real); err == nil {
		real = plain
	}
	if !ingest.IsFile(real) {
		return nil, hint.With(fmt.Errorf("%s: no such file here", file), "recall why %s shows who touched it", file)
	}
	p, err := a.UpToDate(ctx)
	if err != nil {
		return nil, err
	}
	doc, err := history.WhyLine(ctx, p, real, file, line)
	if err != nil {
		return nil, err
	}
	a.PrintProblems(doc.Problems)
	return doc, option.Nothing(len(doc.Sessions) == 0)
}

// whyItem collects an item's evidence, its rejected alternatives, and what came before and after it.
func whyItem(ctx context.Context, a *app.App, arg string) (*answer.Item, error) {
	l, err := a.Library(ctx)
	if err != nil {
		return nil, err
	}
	p, err := a.Item(ctx, arg)
	if err != nil {
		return nil, err
	}
	doc, err := answer.Why(ctx, a.Index, p)
	if err != nil {
		return nil, err
	}
	doc.Since = history.ChangedSince(ctx, l, p)
	return &doc, err
}

func filesOf(ctx context.Context, a *app.App, path string) (*history.Files, error) {
	if path == "" || ingest.IsFolder(path) {
		return nil, hint.With(fmt.Errorf("%q is not a file", path), "name a file; recall log lists all decisions")
	}
	p, err := a.UpToDate(ctx)
	if err != nil {
		return nil, err
	}
	doc, err := history.FilesOf(ctx, p, path)
	if err != nil {
		return nil, err
	}
	return doc, option.Nothing(len(doc.Sessions) == 0)
}
