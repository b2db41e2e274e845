package agents

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/internal/hint"
	"recall/serve/hooks/clients"
)

// what names each kind of entry.
var what = map[clients.Kind]string{clients.Hooks: "hooks", clients.Server: "an MCP server"}

// newEntryCmd makes the command that enters or removes one kind of entry; with no client named, it enters it for all
// that are in use here, or removes it from all.
func newEntryCmd(a *app.App, name string, k clients.Kind, enters bool) *cobra.Command {
	dryRun := false
	cmd := option.Do(name, func(fs *option.Flags) {
		fs.BoolVarP(&dryRun, "dry-run", "n", false, "show what would change, and change nothing")
	}, func(ctx context.Context, words []string) error {
		files, err := filesOf(words, k)
		switch {
		case err != nil:
			return err
		case !enters:
			return Change(a, files, nil, dryRun, k)
		case len(words) == 0:
			files = slices.DeleteFunc(files, func(f clients.File) bool { return !f.Client.Found() })
		}
		p, err := a.Program()
		if err != nil {
			return err
		}
		err = Change(a, files, &p, dryRun, k)
		if len(files) == 0 {
			err = hint.With(fmt.Errorf("no client with %s is in use here", what[k]), "name one to serve it anyway: %s",
				strings.Join(clients.Words(k), ", "))
		}
		if k == clients.Hooks {
			tellNoLibrary(ctx, a)
			return err
		}
		if len(words) == 0 {
			printSnippets(a, p)
		}
		return err
	})
	cmd.Args = cobra.ArbitraryArgs
	cmd.ValidArgsFunction = cobra.FixedCompletions(clients.Words(k), cobra.ShellCompDirectiveNoFileComp)
	return cmd
}

// filesOf lists the files with a kind of entry of the clients named, or of all.
func filesOf(words []string, k clients.Kind) (files []clients.File, err error) {
	if len(words) == 0 {
		words = clients.Words(k)
	}
	for _, word := range words {
		c, ok := clients.Named(word)
		if !ok || !slices.Contains(clients.Words(k), word) {
			return nil, hint.With(fmt.Errorf("%q is no client with %s", word, what[k]), "one of: %s",
				strings.Join(clients.Words(k), ", "))
		}
		files = append(files, c.Files()...)
	}
	return clients.Having(files, k), nil
}

// Change has files start a program by some kinds of entry, or removes those if it is nil, and says so. A failure
// doesn't stop the others.
func Change(a *app.App, files []clients.File, p *clients.Program, dryRun bool, kinds ...clients.Kind) error {
	var faults []error
	entered := false
	for _, f := range files {
		c, err := f.Plan(p, kinds...)
		if err == nil && !dryRun {
			err = c.Do()
		}
		entered = entered || err == nil && c.Differs() && !dryRun && p != nil
		place := f.Client.Name + ": " + terminal.Line(f.Path)
		switch {
		case errors.Is(err, clients.ErrTaken):
			faults = append(faults, hint.With(err, "rename or remove that server first"))
		case errors.Is(err, fs.ErrPermission):
			faults = append(faults, hint.With(err, "make it writable, or put there yourself what --dry-run shows"))
		case err != nil:
			faults = append(faults, hint.With(err, "correct the file by hand; the client itself can't read it either"))
		case !c.Differs() && p != nil:
			fmt.Fprintf(a.Out, "%s: recall is already in it\n", place)
		case !c.Differs():
			fmt.Fprintf(a.Out, "%s: recall isn't in it\n", place)
		case dryRun:
			fmt.Fprintf(a.Out, "%s would change:\n%s", place, terminal.Visible(c.Lines()))
		case c.Removes:
			fmt.Fprintf(a.Out, "%s: removed: it held nothing else\n", place)
		case c.Backup != "":
			fmt.Fprintf(a.Out, "%s: changed; previous version: %s\n", place, terminal.Line(filepath.Base(c.Backup)))
		default:
			fmt.Fprintf(a.Out, "%s: changed\n", place)
		}
		if c.Off && p != nil && f.Has(clients.Hooks) && slices.Contains(kinds, clients.Hooks) {
			fmt.Fprintf(a.Err, "recall: warning: %s says disableAllHooks: the client runs none\n", c.Path)
		}
	}
	if entered {
		fmt.Fprintln(a.Out, "A running client uses it after a restart.")
	}
	return errors.Join(faults...)
}
