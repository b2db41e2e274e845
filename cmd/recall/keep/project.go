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
	cmd := newProjectListCmd(a, "project")
	cmd.AddCommand(newProjectListCmd(a, "project-list"),
		newChangeCmd(a, "project-rename", (*library.Library).RenameProject, "project %s is called %s now"),
		newChangeCmd(a, "project-merge", func(l *library.Library, from, name string) error {
			into, err := app.ProjectID(l, name)
			if err != nil {
				return err
			}
			return l.MergeProjects(from, into)
		}, "the sessions of %s are those of %s now"))
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
		shelf, err := l.Shelf()
		if err != nil {
			return nil, err
		}
		projects, err := l.Projects()
		var all []ProjectDoc
		for _, p := range projects {
			all = append(all, ProjectDoc{p.Name, len(shelf.In(p.ID)), p.Show(p.Root),
				terminal.ShowEach(p.Former, p.Show), terminal.ShowEach(p.Merged, p.Show)})
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

// newChangeCmd makes a command that changes the registry, says so and lets the index follow.
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
		return a.Reindex(ctx, l)
	})
	cmd.ValidArgsFunction = option.CompleteProject(a)
	return cmd
}
