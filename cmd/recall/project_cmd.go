package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"recall/library"
)

func (a *app) projectCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "project",
		Short:   "List, rename and merge projects",
		GroupID: "keep",
		Long: `A session's project is the main repository of the folder in which most of its
turns ran, else the first folder given to Cowork, else its space, else "none".`,
		Example: `  recall project list
  recall project rename billing "Billing 2"
  recall project merge billing-old billing`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.projectListCmd(), a.projectRenameCmd(), a.projectMergeCmd())
	return cmd
}

type projectDoc struct {
	Name     string   `json:"name"`
	Sessions int      `json:"sessions"`
	Root     string   `json:"root"`
	Former   []string `json:"former,omitempty"`
	Merged   []string `json:"merged,omitempty"`
}

func (a *app) projectListCmd() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the projects",
		Example: "  recall project list",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			l, err := a.library(cmd.Context())
			if err != nil {
				return err
			}
			shelf, err := newShelf(l)
			if err != nil {
				return err
			}
			projects, err := l.Projects()
			if err != nil {
				return err
			}
			all := []projectDoc{}
			for _, p := range projects {
				all = append(all, projectDoc{p.Name, len(shelf.in(p.ID)), p.Show(p.Root), showEach(p.Former, p.Show), showEach(p.Merged, p.Show)})
			}
			if asJSON {
				return a.printJSON(all)
			}
			for _, p := range all {
				name, roots := oneLine(p.Name), oneLine(strings.Join(append([]string{p.Root}, p.Merged...), ", "))
				if w := width(a.out); w < narrow {
					fmt.Fprintf(a.out, "%s, %s\n", clip(name, w-16), count(p.Sessions, "session"))
					sayLine(a.out, w, "  ", "  ", roots)
					continue
				}
				fmt.Fprintf(a.out, "%-30s %12s  %s\n", name, count(p.Sessions, "session"), roots)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

func (a *app) projectRenameCmd() *cobra.Command {
	return &cobra.Command{
		Use:               "rename PROJECT NAME",
		Short:             "Give a project another name",
		Example:           `  recall project rename billing "Billing 2"`,
		Args:              cobra.ExactArgs(2),
		ValidArgsFunction: completeProject(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.changeProjects(cmd.Context(), func(l *library.Library) error {
				id, err := projectID(l, args[0])
				if err != nil {
					return err
				}
				return l.RenameProject(id, args[1])
			})
		},
	}
}

func (a *app) projectMergeCmd() *cobra.Command {
	return &cobra.Command{
		Use:               "merge FROM INTO",
		Short:             "Make one project part of another",
		Example:           "  recall project merge billing-old billing",
		Args:              cobra.ExactArgs(2),
		ValidArgsFunction: completeProject(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.changeProjects(cmd.Context(), func(l *library.Library) error {
				from, err := projectID(l, args[0])
				if err != nil {
					return err
				}
				into, err := projectID(l, args[1])
				if err != nil {
					return err
				}
				return l.MergeProjects(from, into)
			})
		},
	}
}

// changeProjects changes the registry and lets the index follow.
func (a *app) changeProjects(ctx context.Context, change func(*library.Library) error) error {
	l, err := a.library(ctx)
	if err != nil {
		return err
	}
	if err := change(l); err != nil {
		return err
	}
	return a.reindex(ctx, l)
}
