package keep

import (
	"cmp"
	"context"
	"slices"

	"github.com/spf13/cobra"

	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/ingest/trace"
	"recall/library/manifest"
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
	}, func(a *app.App, doc ManifestDoc) { a.Form("manifest", doc) })
}

// About is what is known of an input.
func (doc ManifestDoc) About(in manifest.Input) string {
	note := string(in.Machine)
	here := func(n manifest.InputNow) bool { return n.Path == cmp.Or(in.Host, in.Path) }
	if i := slices.IndexFunc(doc.Now, here); i >= 0 {
		note += map[bool]string{true: ", still there", false: ", not there"}[doc.Now[i].There]
		if in.SHA256 != "" && doc.Now[i].There && doc.Now[i].SHA256 != in.SHA256 {
			note += " with other content"
		}
	}
	if in.SHA256 != "" {
		note += ", in the library"
	}
	return note
}

// Nothing reports whether the work left nothing behind.
func (doc ManifestDoc) Nothing() bool {
	return len(doc.Packages)+len(doc.Inputs)+len(doc.Connectors)+len(doc.Intermediate)+len(doc.Outputs)+
		len(doc.Commits) == 0
}
