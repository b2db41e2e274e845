package keep

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/ingest/trace"
	"recall/library/manifest"
	txt "recall/text"
)

// ManifestDoc is the JSON form of recall manifest: the manifest, and what the
// disk says of it now.
type ManifestDoc struct {
	manifest.Manifest
	State string              `json:"state"` // as recall list has it
	Now   []manifest.InputNow `json:"now"`   // of the inputs on this computer
}

func newManifestCmd(a *app.App) *cobra.Command {
	return option.Result(a, "manifest", nil, func(ctx context.Context, args []string) (doc ManifestDoc, err error) {
		l, e, err := a.Named(ctx, args[0])
		if err != nil {
			return doc, err
		}
		p := a.Pipeline(l)
		s, err := p.Read(ctx, e.ID)
		if err != nil {
			return doc, err
		}
		state, _ := e.State()
		doc = ManifestDoc{Manifest: p.Manifest(s, trace.Of(s), e), State: string(state)}
		for _, in := range doc.Inputs {
			if in.Machine == manifest.Host {
				doc.Now = append(doc.Now, in.Look())
			}
		}
		return doc, nil
	}, printManifest)
}

func printManifest(a *app.App, doc ManifestDoc) {
	st, w := terminal.Styles(a.Color), terminal.Width(a.Out)
	head := func(text string, n int) {
		if n > 0 {
			fmt.Fprintf(a.Out, "%s%s%s\n", st.Bold, text, st.Reset)
		}
	}
	where := map[manifest.Machine]string{manifest.VM: "a virtual machine", manifest.Host: "the host"}[doc.Machine]
	fmt.Fprintf(a.Out, "%s%s%s  %s, on %s; its source: %s\n", st.Bold, txt.Clip(terminal.Line(doc.Task), w-50),
		st.Reset,
		doc.Source, where, doc.State)
	head("Packages", len(doc.Packages))
	for _, p := range doc.Packages {
		note := ""
		if p.Had {
			note = ", was there already"
		}
		if p.Dir != "" {
			note += ", in " + terminal.Line(p.Dir)
		}
		fmt.Fprintf(a.Out, "  %s %s %s (turn %d%s)\n", p.Manager, terminal.Line(p.Name),
			terminal.Line(cmp.Or(p.Version, "version not known")), p.Turn, note)
	}
	head("Inputs", len(doc.Inputs))
	for _, in := range doc.Inputs {
		note := string(in.Machine)
		if i := slices.IndexFunc(doc.Now, func(n manifest.InputNow) bool {
			return n.Path == cmp.Or(in.Host,
				in.Path)
		}); i >= 0 {
			note += map[bool]string{true: ", still there", false: ", not there"}[doc.Now[i].There]
			if in.SHA256 != "" && doc.Now[i].There && doc.Now[i].SHA256 != in.SHA256 {
				note += " with other content"
			}
		}
		if in.SHA256 != "" {
			note += ", in the library"
		}
		fmt.Fprintf(a.Out, "  %s  %s(%s)%s\n", terminal.Line(in.Path), st.Dim, note, st.Reset)
	}
	head("Connectors", len(doc.Connectors))
	for _, c := range doc.Connectors {
		fmt.Fprintf(a.Out, "  %s %s  %s (turn %d)\n", terminal.Line(c.Server), terminal.Line(c.Tool),
			txt.Clip(terminal.Line(c.What), w-40), c.Turn)
	}
	for _, group := range []struct {
		name string
		made []manifest.Made
	}{{"Made on the way", doc.Intermediate}, {"Outputs", doc.Outputs}} {
		head(group.name, len(group.made))
		for _, f := range group.made {
			printMade(a, f, st)
		}
	}
	head("Commits", len(doc.Commits))
	for _, c := range doc.Commits {
		fmt.Fprintf(a.Out, "  %s %s (turn %d)\n", cmp.Or(c.Hash, "?"), txt.Clip(terminal.Line(c.Subject), w-30), c.Turn)
	}
	if len(doc.Packages)+len(doc.Inputs)+len(doc.Connectors)+len(doc.Intermediate)+len(doc.Outputs)+len(doc.Commits) == 0 {
		fmt.Fprintln(a.Out, "It touched no file and installed nothing.")
	}
}

func printMade(a *app.App, f manifest.Made, st terminal.Style) {
	mark, word := st.Red+"✗"+st.Reset, "not rebuildable"
	if f.Rebuildable {
		mark, word = st.Green+"●"+st.Reset, "rebuildable"
	}
	kept := ""
	if f.SHA256 != "" {
		kept = "; its bytes are in the library"
	}
	fmt.Fprintf(a.Out, "  %s %s  %s(%s, %s)%s\n      %s: %s%s\n", mark, terminal.Line(f.Path), st.Dim, f.Machine, f.How,
		st.Reset, word, terminal.Line(f.Reason), kept)
}
