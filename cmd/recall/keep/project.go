package keep

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"recall/answer"
	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/library"
	txt "recall/text"
)

func newProjectCmd(a *app.App) *cobra.Command {
	cmd := newProjectListCmd(a)
	cmd.Use, cmd.Short = "project", "List, rename and merge projects"
	cmd.AddCommand(newProjectListCmd(a), newProjectRenameCmd(a), newProjectMergeCmd(a))
	return cmd
}

type ProjectDoc struct {
	Name     string   `json:"name"`
	Sessions int      `json:"sessions"`
	Root     string   `json:"root"`
	Former   []string `json:"former,omitempty"`
	Merged   []string `json:"merged,omitempty"`
}

func newProjectListCmd(a *app.App) *cobra.Command {
	return option.Asked(a, &cobra.Command{
		Use:   "list",
		Short: "List the projects",
	}, func(ctx context.Context, l *library.Library, _ []string) (all []ProjectDoc, err error) {
		shelf, err := l.Shelf()
		if err != nil {
			return nil, err
		}
		projects, err := l.Projects()
		for _, p := range projects {
			all = append(all, ProjectDoc{p.Name, len(shelf.In(p.ID)), p.Show(p.Root),
				terminal.ShowEach(p.Former, p.Show),
				terminal.ShowEach(p.Merged, p.Show)})
		}
		return all, err
	}, printProjects)
}

func printProjects(a *app.App, all []ProjectDoc) {
	for _, p := range all {
		name, roots := terminal.Line(p.Name),
			terminal.Line(strings.Join(append([]string{p.Root}, p.Merged...), ", "))
		if w := terminal.Width(a.Out); w < terminal.Narrow {
			fmt.Fprintf(a.Out, "%s, %s\n", txt.Clip(name, w-16), answer.Count(p.Sessions, "session"))
			terminal.SayLine(a.Out, w, "  ", "  ", roots)
			continue
		}
		fmt.Fprintf(a.Out, "%-30s %12s  %s\n", name, answer.Count(p.Sessions, "session"), roots)
	}
}

func newProjectRenameCmd(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:               "rename PROJECT NAME",
		Short:             "Give a project another name",
		ValidArgsFunction: option.CompleteProject(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			return changeProjects(cmd.Context(), a, func(l *library.Library) error {
				id, err := app.ProjectID(l, args[0])
				if err != nil {
					return err
				}
				return l.RenameProject(id, args[1])
			}, fmt.Sprintf("project %s is called %s now", args[0], args[1]))
		},
	}
}

func newProjectMergeCmd(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:               "merge FROM INTO",
		Short:             "Make one project part of another",
		ValidArgsFunction: option.CompleteProject(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			return changeProjects(cmd.Context(), a, func(l *library.Library) error {
				from, err := app.ProjectID(l, args[0])
				if err != nil {
					return err
				}
				into, err := app.ProjectID(l, args[1])
				if err != nil {
					return err
				}
				return l.MergeProjects(from, into)
			}, fmt.Sprintf("the sessions of %s are those of %s now", args[0], args[1]))
		},
	}
}

// changeProjects changes the registry, says so and lets the index follow.
func changeProjects(ctx context.Context, a *app.App, change func(*library.Library) error, done string) error {
	l, err := a.Library(ctx)
	if err != nil {
		return err
	}
	if err := change(l); err != nil {
		return err
	}
	fmt.Fprintln(a.Out, terminal.Line(done))
	return a.Reindex(ctx, l)
}
