package ask

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"recall/answer"
	"recall/answer/history"
	"recall/answer/last"
	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/ingest"
	"recall/internal/hint"
	"recall/pipeline/review"
)

func newWhyCmd(a *app.App) *cobra.Command {
	var o struct{ File, Decided, PR, Trailers bool }
	cmd := option.Result(a, "why", func(fs *option.Flags) {
		fs.BoolVar(&o.Decided, "decided", false, "for a file: only sessions that decided something about it")
		fs.BoolVar(&o.File, "file", false, "treat the argument as a file, even if none of that name exists")
		fs.BoolVar(&o.PR, "pr", false, "for a pull request: a range of commits, by default those of this branch")
		fs.BoolVar(&o.Trailers, "trailers", false,
			"like --pr, but as trailers for a commit message: what is certain, and the sessions")
		fs.Apart("pr", "file")
		fs.Apart("pr", "decided")
		fs.Apart("trailers", "file")
		fs.Apart("trailers", "decided")
	}, func(ctx context.Context, args []string) (any, error) {
		if o.PR || o.Trailers {
			return whyBranch(ctx, a, strings.Join(args, ""))
		}
		file, line := history.FileLine(args[0])
		switch {
		case o.File || o.Decided, line == 0 && (strings.ContainsAny(args[0], `./\`) || ingest.IsFile(args[0])):
			return filesOf(ctx, a, args[0], o.Decided)
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
		case *history.Branch:
			form = map[bool]string{false: "pr", true: "pr/trailers"}[o.Trailers]
		}
		a.Form(form, doc)
	})
	return option.Refuse(cmd, func(args []string) bool {
		return len(args) > 1 || len(args) == 0 && !o.PR && !o.Trailers
	}, "", "")
}

// whyBranch tells why the commits of a range in the current repository were made. Others will read it: a text that
// holds a secret is refused.
func whyBranch(ctx context.Context, a *app.App, spec string) (*history.Branch, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	p, err := a.UpToDate(ctx)
	if err != nil {
		return nil, err
	}
	project, _, err := a.ResolveProject("")
	if err != nil {
		return nil, err
	}
	doc, err := history.BranchOf(ctx, p, dir, project, spec)
	if err != nil {
		return nil, err
	}
	if len(doc.Sessions) == 0 {
		none := "no session that recall knows of made these commits, or changed their files meanwhile"
		if unseen := doc.Unseen(); unseen != "" {
			none += "; not looked at: " + unseen
		}
		a.Tell("%s", none)
	}
	var text strings.Builder
	page := terminal.Page{W: &text}
	page.Form("pr", doc)
	return doc, cmp.Or(review.WithoutSecrets(text.String()), option.Nothing(len(doc.Sessions) == 0))
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
	if n, ok := last.Number(arg); ok {
		h, err := last.Find(app.LastDir(a.Lib), n)
		if err != nil {
			return nil, err
		}
		for _, k := range h.Team {
			list := &doc.Earlier
			if k.Later {
				list = &doc.Later
			}
			*list = append(*list, k)
		}
	}
	doc.Since = history.ChangedSince(ctx, l, p)
	return &doc, nil
}

func filesOf(ctx context.Context, a *app.App, path string, decided bool) (*history.Files, error) {
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
	if decided {
		doc.Sessions = slices.DeleteFunc(doc.Sessions, func(s history.Toucher) bool { return len(s.Items) == 0 })
	}
	return doc, option.Nothing(len(doc.Sessions) == 0)
}
