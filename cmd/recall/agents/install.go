package agents

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/ingest/cowork"
	"recall/internal/hint"
	"recall/serve/hooks/clients"
)

// what names each kind of entry.
var what = map[clients.Kind]string{clients.Hooks: "hooks", clients.Server: "an MCP server"}

// chosen selects clients' files.
type chosen struct{ Project, DryRun bool }

// newInstallCmd and newUninstallCmd make the commands that enter or remove one kind of entry; with no client named, in
// all that are in use here.
func newInstallCmd(a *app.App, name string, k clients.Kind) *cobra.Command {
	var o chosen
	return o.command(name, k, func(ctx context.Context, words []string) error {
		files, err := o.files(words, k)
		if err != nil {
			return err
		}
		if len(words) == 0 && !o.Project {
			files = slices.DeleteFunc(files, func(f clients.File) bool { return !f.Client.Found() })
		}
		p, err := a.Program(o.Project && k == clients.Server)
		if err != nil {
			return err
		}
		sayOtherSide(a, files)
		err = Change(a, files, &p, o.DryRun, k)
		switch {
		case len(files) == 0:
			err = hint.With(fmt.Errorf("no client with %s is in use here", what[k]), "name one to serve it anyway: %s",
				strings.Join(clients.Words(k), ", "))
		case err == nil && !o.DryRun:
			fmt.Fprintln(a.Out, "A running client uses it after a restart.")
		}
		if k == clients.Hooks {
			tellNoLibrary(ctx, a)
			return err
		}
		if doc, err := clients.Look(p, k); err == nil && doc.Twice() {
			fmt.Fprintf(a.Err, "recall: warning: %s\n", twiceServed)
		}
		if len(words) == 0 {
			printSnippets(a, p)
		}
		return err
	})
}

func newUninstallCmd(a *app.App, name string, k clients.Kind) *cobra.Command {
	var o chosen
	return o.command(name, k, func(_ context.Context, words []string) error {
		files, err := o.files(words, k)
		if err != nil {
			return err
		}
		if len(words) == 0 && !o.Project {
			dir, err := os.Getwd()
			if err != nil {
				return err
			}
			files = append(files, clients.Having(clients.In(clients.Root(dir)), k)...)
		}
		return Change(a, files, nil, o.DryRun, k)
	})
}

func (o *chosen) command(name string, k clients.Kind,
	do func(ctx context.Context, words []string) error) *cobra.Command {
	cmd := option.Do(name, func(fs *option.Flags) {
		fs.BoolVarP(&o.DryRun, "dry-run", "n", false, "show what would change, and change nothing")
		fs.BoolVar(&o.Project, "project", false, "only Claude Code in this project, for everyone who works on it")
	}, do)
	cmd.Args = cobra.ArbitraryArgs
	cmd.ValidArgsFunction = cobra.FixedCompletions(clients.Words(k), cobra.ShellCompDirectiveNoFileComp)
	return cmd
}

// files lists the files with a kind of entry of the clients named, or of all.
func (o *chosen) files(words []string, k clients.Kind) (files []clients.File, err error) {
	if o.Project {
		if len(words) > 0 {
			return nil, hint.With(errors.New("--project and a client are named"), "--project is Claude Code's alone")
		}
		dir, err := os.Getwd()
		files = clients.In(clients.Root(dir))
		return clients.Having(files, k), err
	}
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
	for _, f := range files {
		c, err := f.Plan(p, kinds...)
		if err == nil && c.Differs() && f.Project != "" {
			err = f.StaysInside()
		}
		if err == nil && !dryRun {
			err = c.Do()
		}
		place := f.Name() + ": " + terminal.Line(f.Path)
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
		warn(a, c, p != nil && f.Has(clients.Hooks) && slices.Contains(kinds, clients.Hooks))
	}
	return errors.Join(faults...)
}

// warn says why hooks in a file don't run, or would twice.
func warn(a *app.App, c clients.Change, hooks bool) {
	if c.Plugin && hooks {
		fmt.Fprintf(a.Err, "recall: warning: recall's plugin is enabled in %s and has the same hooks; one of the two "+
			"is enough\n", c.Path)
	}
	if c.Off && hooks {
		fmt.Fprintf(a.Err, "recall: warning: %s says disableAllHooks: the client runs none\n", c.Path)
	}
}

// sayOtherSide reports what will happen on the Windows side of a WSL.
func sayOtherSide(a *app.App, files []clients.File) {
	w := cowork.OtherSide()
	if w == nil || !slices.ContainsFunc(files, func(f clients.File) bool { return f.Client.Word == "claude-desktop" }) {
		return
	}
	if slices.ContainsFunc(files, func(f clients.File) bool { return f.Distro != "" }) {
		fmt.Fprintf(a.Out, "This is WSL: the Windows app of your Windows user will start recall with wsl.exe -d %s; no "+
			"other user's configuration is touched.\n", terminal.Line(w.Distro))
	} else if len(w.Data) == 0 {
		fmt.Fprintln(a.Out, "This is WSL, and it doesn't say which Windows user you are: the Windows app is left alone. "+
			"Set WSLENV=USERPROFILE/p on Windows to pass it on.")
	}
}

// newServedCmd reports which clients have a kind of entry.
func newServedCmd(a *app.App, name string, k clients.Kind) *cobra.Command {
	return option.Result(a, name, nil, func(ctx context.Context, _ []string) (clients.Served, error) {
		p, err := a.Program(false)
		if err != nil {
			return clients.Served{}, err
		}
		doc, err := clients.Look(p, k)
		if err != nil {
			return doc, err
		}
		installed := doc.Plugin || slices.ContainsFunc(doc.Clients, func(c clients.Status) bool { return c.Installed })
		if installed && k == clients.Hooks {
			tellNoLibrary(ctx, a)
		}
		return doc, option.Nothing(!installed)
	}, func(a *app.App, doc clients.Served) {
		a.Form("clients", struct {
			clients.Served
			TwiceServed string
		}{doc, twiceServed})
	})
}

// twiceServed is the warning for a client that gets each of recall's tools twice.
const twiceServed = "Claude Code has each tool twice, by the plugin and by its configuration: recall mcp " +
	"uninstall claude-code, or turn the plugin off"
