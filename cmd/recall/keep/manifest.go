package keep

import (
	"context"

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
	cmd := option.Result(a, "manifest", nil, func(ctx context.Context, args []string) (doc ManifestDoc, err error) {
		l, e, err := a.Named(ctx, args[0])
		if err != nil {
			return doc, err
		}
		p := a.Pipeline(l)
		s, err := p.Read(ctx, e.ID)
		if err != nil {
			return doc, err
		}
		state, _ := e.State(nil)
		doc = ManifestDoc{Manifest: p.Manifest(s, trace.Of(s), e), State: string(state)}
		for _, in := range doc.Inputs {
			if in.Machine == manifest.Host {
				doc.Now = append(doc.Now, in.Look())
			}
		}
		return doc, nil
	}, func(a *app.App, doc ManifestDoc) { a.Form("manifest", doc) })
	cmd.AddCommand(newCleanupCmd(a), newRebuildCmd(a))
	return cmd
}

// Nothing reports whether the work left nothing behind.
func (doc ManifestDoc) Nothing() bool {
	return len(doc.Packages)+len(doc.Inputs)+len(doc.Connectors)+len(doc.Intermediate)+len(doc.Outputs)+
		len(doc.Commits) == 0
}
