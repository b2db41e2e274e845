package keep

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/library"
)

func newProjectCmd(a *app.App) *cobra.Command {
	cmd := newProjectListCmd(a, "project")
	cmd.AddCommand(newProjectListCmd(a, "project-list"),
		newChangeCmd(a, "project-rename", (*library.Library).RenameProject, "project %s is now called %s"),
		newChangeCmd(a, "project-merge", func(l *library.Library, from, name string) error {
			into, err := app.ProjectID(l, name)
			if err != nil {
				return err
			}
			return l.MergeProjects(from, into)
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
	return option.Asked(a, name, nil, func(_ context.Context, l *library.Library, _ []string) ([]ProjectDoc, error) {
		catalog, err := l.Catalog()
		if err != nil {
			return nil, err
		}
		projects, err := l.Projects()
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
func newChangeCmd(a *app.App, name string, change func(l *library.Library, id, to string) error,
	done string) *cobra.Command {
	cmd := option.Run(a, name, nil, func(ctx context.Context, l *library.Library, args []string) error {
		id, err := app.ProjectID(l, args[0])
		if err == nil {
			err = change(l, id, args[1])
		}
		if err != nil {
			return err
		}
		fmt.Fprintln(a.Out, terminal.Line(fmt.Sprintf(done, args[0], args[1])))
		return a.Reindex(ctx)
	})
	cmd.ValidArgsFunction = option.CompleteProject(a)
	return cmd
}
