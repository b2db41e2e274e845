package ask

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"recall/answer"
	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/distill"
	"recall/hint"
	"recall/history"
	"recall/ingest"
	"recall/payload"
	"recall/pipeline"
	txt "recall/text"
)

func newWhyCmd(a *app.App) *cobra.Command {
	var o struct{ File, Decided bool }
	return option.Result(a, "why", &o, func(ctx context.Context, args []string) (any, error) {
		file, line := history.FileLine(args[0])
		switch {
		case o.File || o.Decided || line == 0 && (strings.ContainsAny(args[0], `./\`) || history.IsRegular(args[0])):
			return filesOf(ctx, a, args[0], o.Decided)
		case line > 0:
			return whyLine(ctx, a, file, line)
		}
		return whyItem(ctx, a, args[0])
	}, option.OnPage(func(p *terminal.Page, doc any) {
		switch doc := doc.(type) {
		case *history.Why:
			printLine(p, doc)
		case *history.Files:
			printFiles(p, doc)
		case *answer.Item:
			printWalk(p, doc)
		}
	}))
}

func whyLine(ctx context.Context, a *app.App, file string, line int) (*history.Why, error) {
	real, err := filepath.Abs(file)
	if err != nil {
		return nil, err
	}
	if plain, err := filepath.EvalSymlinks(real); err == nil {
		real = plain
	}
	if !history.IsRegular(real) {
		return nil, hint.With(fmt.Errorf("%s: no such file here", file), "recall why %s tells who touched it",
			file)
	}
	p, err := a.UpToDate(ctx)
	if err != nil {
		return nil, err
	}
	doc, err := history.WhyLine(ctx, p, real, file, line)
	if errors.Is(err, history.ErrOwner) {
		return nil, hint.With(err, "if you do: git config --global --add safe.directory %s", filepath.Dir(real))
	}
	if err != nil {
		return nil, err
	}
	a.PrintProblems(doc.Problems)
	return doc, option.Nothing(len(doc.Sessions) == 0)
}

func printLine(p *terminal.Page, doc *history.Why) {
	fmt.Fprintf(p.W, "%s%s:%d%s  %s\n", p.St.Bold, terminal.Line(doc.File), doc.Line, p.St.Reset,
		txt.Clip(terminal.Line(doc.Text), max(30, p.Width-40)))
	if c := doc.Commit; c != nil {
		fmt.Fprintf(p.W, "commit %s  %s  %s  %s\n", c.Hash[:10], c.At.Local().Format("2006-01-02 15:04"),
			txt.Clip(terminal.Line(c.Author), 30), txt.Clip(terminal.Line(c.Subject), max(30, p.Width-60)))
	}
	if doc.Note != "" {
		fmt.Fprintf(p.W, "%s: %s.\n", map[bool]string{true: "Can't tell", false: "Note"}[len(doc.Sessions) == 0],
			doc.Note)
	}
	if doc.Verdict == "several" {
		fmt.Fprintf(p.W, "Any of %d sessions may be meant:\n", len(doc.Sessions))
	}
	for _, s := range doc.Sessions {
		fmt.Fprintln(p.W, p.Session(s.SessionRef))
		fmt.Fprintf(p.W, "  %s%s%s\n", p.St.Dim, linkedBy(s), p.St.Reset)
		for _, said := range []struct{ name, text string }{{"asked", s.Asked}, {"said ", s.Said}} {
			if said.text != "" {
				p.Wrapped("  "+said.name+" ", "        ", "“"+txt.Clip(terminal.Line(said.text), 240)+"”", "")
			}
		}
		for _, it := range s.Items {
			p.Noted(it)
		}
		if len(s.Items) == 0 {
			fmt.Fprintln(p.W, "  Nothing that was decided there speaks of this line or file.")
		}
		fmt.Fprintf(p.W, "  recall show %s --transcript, turn %d\n", answer.ShortID(ingest.SessionID(s.Session)), s.Turn)
	}
}

// linkedBy says how sure it is that the session is behind the line.
func linkedBy(s history.Behind) string {
	wrote := "; the commit, turn %d"
	if s.Wrote {
		wrote = "; it wrote the line in turn %d"
	}
	how := map[string]string{
		"hash":             "it made this commit",
		"time and message": "it made a commit of this message at that time",
		"text":             "it made no such commit, but wrote this text",
	}[s.By]
	return fmt.Sprintf(how+wrote, s.Turn)
}

// whyItem walks from an item to its evidence, to what lost against it, and to
// what came before and after it.
func whyItem(ctx context.Context, a *app.App, arg string) (*answer.Item, error) {
	l, err := a.Library(ctx)
	if err != nil {
		return nil, err
	}
	p, err := a.Item(ctx, l, arg)
	if err != nil {
		return nil, err
	}
	doc, err := answer.Why(ctx, a.Index, p)
	if err != nil {
		return nil, err
	}
	doc.Since = history.ChangedSince(ctx, l, answer.Result{Place: p.Place, Item: &p.Item})
	return &doc, nil
}

// printWalk prints an item, all it rests on, and what came before and after.
func printWalk(p *terminal.Page, doc *answer.Item) {
	it := answer.WithReason(doc.Item)
	state := answer.State(it)
	if doc.Standing != nil {
		state = "superseded " + answer.Day(doc.Standing.Item.At)
	}
	p.Headline(it, state)
	p.Field("why", it.Why)
	p.Field("who", p.Source(it, doc.Place, doc.Turn))
	for i, lost := range it.Alternatives {
		p.Field(map[bool]string{true: "over"}[i == 0], lost)
	}
	for i, e := range it.Evidence {
		if i == 0 && it.Kind == payload.Lead {
			continue // it is its own quote
		}
		p.Quoted("", e.Quote)
		if len(it.Evidence) > 1 {
			fmt.Fprintf(p.W, "    %sturn %d%s\n", p.St.Dim, e.N, p.St.Reset)
		}
	}
	if len(it.Evidence) == 0 {
		p.Field("", "A person wrote it; there is no other evidence.")
	}
	printSteps(p, "before", doc.Earlier)
	printSteps(p, "later", doc.Later)
	p.Changes(doc.Since)
	if it.ID != "" {
		p.Wrapped("  ", "  ", fmt.Sprintf("recall show %s · recall link %s supersedes …", it.ID, it.ID), p.St.Dim)
	}
}

// printSteps prints what came before or after an item, with how that is known.
func printSteps(p *terminal.Page, name string, list []answer.Linked) {
	if len(list) > 0 {
		fmt.Fprintf(p.W, "%s:\n", name)
	}
	for _, l := range list {
		p.Wrapped("  "+terminal.Mark(l.Item, p.St)+" ", "    ",
			fmt.Sprintf("%s — %s", p.Past(l.Placed), answer.Tie(l)), "")
		if quote := p.Quote(l.Item); quote != "" {
			p.Wrapped("    ", "    ", quote, p.St.Dim)
		}
	}
}

func filesOf(ctx context.Context, a *app.App, path string, decided bool) (*history.Files, error) {
	if path == "" || pipeline.IsFolder(path) {
		return nil, hint.With(fmt.Errorf("%q is no file", path), "name a file; what was decided at all: recall log")
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

func printFiles(p *terminal.Page, doc *history.Files) {
	if len(doc.Sessions) == 0 {
		fmt.Fprintf(p.W, "No session that recall knows of touched %s.\n", terminal.Line(doc.Path))
		return
	}
	if len(doc.Also) > 0 {
		fmt.Fprintf(p.W, "%salso known as %s%s\n", p.St.Dim, terminal.Line(strings.Join(doc.Also, ", ")), p.St.Reset)
	}
	items := 0
	for _, s := range doc.Sessions {
		var hows []string
		for _, h := range s.How {
			hows = append(hows, string(h))
		}
		fmt.Fprintln(p.W, p.Session(s.SessionRef))
		where := ""
		if !slices.ContainsFunc(s.Paths, func(path string) bool { return !distill.IsFleeting(path) }) {
			where = "; " + distill.Fleeting
		}
		fmt.Fprintf(p.W, "  %s%s, %s, last in turn %d%s%s\n", p.St.Dim, strings.Join(hows, ", "),
			answer.Count(s.Calls, "call"), s.Turn, where, p.St.Reset)
		for _, it := range s.Items {
			p.Noted(it)
		}
		items += len(s.Items)
	}
	fmt.Fprintf(p.W, "%s touched it; %s about it.\n", answer.Count(len(doc.Sessions), "session"),
		answer.Count(items, "thing")+" noted")
}
