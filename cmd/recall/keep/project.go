package keep

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
)

func newProjectCmd(a *app.App) *cobra.Command {
	cmd := newProjectListCmd(a, "project")
	cmd.AddCommand(newProjectListCmd(a, "project-list"),
		newChangeCmd(a, "project-rename",
			func(id, to string) error { return a.Lib.RenameProject(id, to) }, "project %s is now called %s"),
		newChangeCmd(a, "project-merge", func(from, name string) error {
			into, err := a.ProjectID(name)
			if err != nil {
				return err
			}
			return a.Lib.MergeProjects(from, into)
		}, "the sessions of %s now belong to %s"))
	return cmd
}

type ProjectDoc struct {
	Name     string   `json:"name"`
	Sessions int      `json:"sessions"`
	Root     string   `json:"root"`
	Former   []string `json:"former,omitempty"`
	Merged   []string `json:"merged,omitempty"`
}

func newProjectListCmd(a *app.App, name string) *cobra.Command {
	return option.Asked(a, name, nil, func(_ context.Context, _ []string) ([]ProjectDoc, error) {
		catalog, err := a.Lib.Catalog()
		if err != nil {
			return nil, err
		}
		projects, err := a.Lib.Projects()
		var all []ProjectDoc
		for _, p := range projects {
			all = append(all, ProjectDoc{p.Name, len(catalog.In(p.ID)), p.Show(p.Root),
				terminal.ShowEach(p.Former, p.Show), terminal.ShowEach(p.Merged, p.Show)})
		}
		return all, err
	}, func(a *app.App, all []ProjectDoc) { a.Form("projects", all) })
}

// Roots lists the folders of a project and of those merged into it.
func (p ProjectDoc) Roots() string { return strings.Join(append([]string{p.Root}, p.Merged...), ", ") }

// newChangeCmd makes a command that changes the registry, reports that and reindexes.
func newChangeCmd(a *app.App, name string, change func(id, to string) error,
	done string) *cobra.Command {
	return option.Run(a, name, nil, func(ctx context.Context, args []string) error {
		id, err := a.ProjectID(args[0])
		if err == nil {
			err = change(id, args[1])
		}
		if err != nil {
			return err
		}
		fmt.Fprintln(a.Out, terminal.Line(fmt.Sprintf(done, args[0], args[1])))
		return a.Reindex(ctx)
	})
}
