package setup

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
	"recall/cmd/recall/config"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/internal/hint"
	"recall/internal/schedule"
	"recall/library"
	"recall/library/disk"
	"recall/pipeline/worklog"
	"recall/serve/hooks"
	"recall/serve/hooks/clients"
)

func newSetupCmd(a *app.App) *cobra.Command {
	var o struct {
		All, DryRun, Log, Remove, Status bool
		At                               string
		Only, Clients                    []string
	}
	cmd := option.Do("setup", func(fs *option.Flags) {
		fs.BoolVar(&o.All, "all", false, "don't ask; run again, it updates what is there")
		fs.StringVar(&o.At, "at", "02:30", "local time of the nightly job")
		fs.StringSliceVar(&o.Clients, "client", nil, "only for this client, even if it isn't in use here (repeatable)")
		fs.BoolVarP(&o.DryRun, "dry-run", "n", false, "show every line that would change, and change nothing")
		fs.BoolVar(&o.Log, "log", false, "keep a log of sessions in this project; with --remove: no longer")
		fs.StringSliceVar(&o.Only, "only", nil, "only this part: hooks, server, jobs (repeatable)")
		fs.BoolVar(&o.Remove, "remove", false, "undo it, in all clients")
		fs.BoolVar(&o.Status, "status", false, "show what is set up, and how it went")
		fs.Apart("all", "dry-run", "status")
		fs.Apart("all", "remove", "status")
		fs.Apart("log", "all", "status")
	}, func(ctx context.Context, _ []string) error {
		switch {
		case o.Log:
			return keepLog(a, o.Remove)
		case o.Status:
			return showParts(ctx, a)
		}
		p, err := partsOf(o.Only, o.Clients, o.At)
		switch {
		case err != nil:
			return err
		case o.Remove:
			return removeParts(ctx, a, p, o.DryRun)
		}
		return setUp(ctx, a, p, o.All, o.DryRun)
	})
	for name, words := range map[string][]string{"only": {"hooks", "server", "jobs"},
		"client": clients.Words(clients.Kinds...)} {
		cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
	}
	return cmd
}

// keepLog has hooks and agents keep a log in the project of the current folder, or ends that.
func keepLog(a *app.App, end bool) error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	logs := a.WorkLogs()
	root := logs.Root(dir)
	path := filepath.Join(root, filepath.FromSlash(worklog.Name))
	if end {
		if err := logs.End(root); err != nil {
			return err
		}
		fmt.Fprintf(a.Out, "No log is kept in %s any more; what is there stays\n", root)
		return nil
	}
	if err := logs.Begin(root); err != nil {
		return err
	}
	fmt.Fprintf(a.Out, "From now on sessions are logged in %s: what is asked, edited and committed (by the hooks), and "+
		"what the agent notes (recall_note). git leaves it out. recall setup --log --remove ends it.\n", path)
	return nil
}

// removeParts removes the given parts, from all clients unless some are named.
func removeParts(ctx context.Context, a *app.App, p parts, dryRun bool) error {
	err := change(a, p.files(clients.All), nil, dryRun, p.kinds)
	if p.jobs {
		err = errors.Join(err, removeJobs(ctx, a, dryRun))
	}
	everything := p.jobs && len(p.kinds) == len(clients.Kinds) && p.named == nil
	if dryRun || !everything {
		return err
	}
	err = errors.Join(err, disk.RemoveIfThere(a.WorkLogs().File)) // the logs stay
	if c, lost := a.LoadConfig(); lost == nil {
		self, _ := app.Self()
		places := append(c.Places(config.ThisSystem()), self)
		there := slices.DeleteFunc(places, func(p string) bool { return !disk.Exists(p) })
		fmt.Fprintf(a.Out, "What recall has kept stays. To delete everything, remove: %s\n", strings.Join(there, ", "))
	}
	return err
}

// showParts shows how each client in use is served, what went wrong in hooks, and how the jobs went. The exit code is
// app.ExitNothing if hooks, server or jobs are nowhere.
func showParts(ctx context.Context, a *app.App) error {
	p, err := a.Program()
	if err != nil {
		return err
	}
	jobs, err := schedule.Look(ctx)
	if err != nil {
		return hint.With(err, "set HOME: the jobs and their logs are kept below it")
	}
	doc := struct {
		Clients []clients.Serving
		Words   []string
		Log     string
		Faults  []string
	}{clients.Here(p), clients.Words(clients.Hooks), filepath.Join(hooks.Dir(), hooks.LogName), hooks.Faults()}
	a.Form("clients", doc)
	a.Form("schedule", jobs)
	has := map[clients.Kind]bool{}
	for _, c := range doc.Clients {
		for _, k := range clients.Kinds {
			has[k] = has[k] || slices.Contains(c.Has, k)
		}
	}
	return option.Nothing(!has[clients.Hooks] || !has[clients.Server] || !jobs.Installed)
}

// setUp shows what would be written for the clients found or named and for this system, and writes it once that is
// wanted.
func setUp(ctx context.Context, a *app.App, p parts, all, dryRun bool) error {
	asks := !all && !dryRun && terminal.IsTerminal(a.Out)
	_, none := a.Library(ctx)
	if plans := all || asks || dryRun; plans && p.jobs && none != nil {
		return none
	}
	program, err := a.Program()
	if err != nil {
		return err
	}
	doc := struct {
		Clients  []clients.Serving
		Words    []string
		Jobs     bool
		Schedule schedule.Status
		System   schedule.System
	}{clients.Here(program, p.named...), clients.Words(p.kinds...), p.jobs, schedule.Status{}, ""}
	for i, s := range doc.Clients {
		doc.Clients[i].Entries = slices.DeleteFunc(s.Entries,
			func(e clients.Status) bool { return !slices.Contains(p.kinds, e.Kind) })
	}
	if p.jobs {
		doc.Schedule, _ = schedule.Look(ctx) // without a folder there are none
		if here, err := schedule.Here(ctx); err == nil {
			doc.System = here.System
		}
	}
	a.Form("setup", doc)
	switch {
	case asks:
		fmt.Fprint(a.Out, "Write this? [Y/n] ")
		line, err := terminal.ReadLine(ctx, a.In)
		if err != nil || line != "" && !strings.HasPrefix(strings.ToLower(line), "y") {
			fmt.Fprintln(a.Out, "Nothing was written. --dry-run shows every line; --only and --client write a part.")
			return ctx.Err()
		}
	case !all && !dryRun:
		fmt.Fprintln(a.Out, "recall setup asks on a terminal; recall setup --all doesn't ask")
		return nil
	}
	absent := func(c *clients.Client) bool { return !c.Found() }
	files := p.files(slices.DeleteFunc(slices.Clone(clients.All), absent))
	err = change(a, files, &program, dryRun, p.kinds)
	if len(files) > 0 && errors.Is(none, library.ErrNoLibrary) {
		fmt.Fprintln(a.Err, "recall: there is no library yet, so they do nothing: recall init creates it and imports "+
			"all your history")
	}
	switch {
	case len(files) == 0 && !p.jobs:
		err = hint.With(errors.New("no such client is in use here"), "name one to serve it anyway: --client %s",
			strings.Join(doc.Words, ", "))
	case p.jobs && (doc.System != "" || len(p.kinds) == 0): // else the plan says that there is no scheduler
		err = errors.Join(err, installJobs(ctx, a, p.at, dryRun))
	}
	return err
}

// parts are what makes recall run by itself: entries in clients' files, and the system's jobs.
type parts struct {
	kinds []clients.Kind
	named []*clients.Client // nil: nobody in particular
	jobs  bool
	at    schedule.Clock // of the nightly job
}

// partsOf returns the parts that a person chose by the flags of recall setup.
func partsOf(only, named []string, at string) (p parts, err error) {
	if p.at, err = schedule.ParseClock(at); err != nil {
		return p, hint.With(err, "for example: recall setup --at 02:30")
	}
	for _, word := range only {
		switch k := clients.Kind(word); {
		case word == "jobs":
			p.jobs = true
		case slices.Contains(clients.Kinds, k):
			p.kinds = append(p.kinds, k)
		default:
			return p, hint.With(fmt.Errorf("%q is no part", word), "--only takes hooks, server, jobs")
		}
	}
	if len(only) == 0 {
		p.kinds, p.jobs = clients.Kinds, len(named) == 0
	}
	for _, word := range named {
		c, ok := clients.Named(word)
		if words := clients.Words(p.kinds...); !ok || !slices.Contains(words, word) {
			return p, hint.With(fmt.Errorf("%q is no client for this", word), "one of: %s", strings.Join(words, ", "))
		}
		p.named = append(p.named, c)
	}
	return p, nil
}

// files lists the files of the clients named, or else of those given, into which the parts belong.
func (p parts) files(usual []*clients.Client) (files []clients.File) {
	if p.named != nil {
		usual = p.named
	}
	for _, c := range usual {
		files = append(files, slices.DeleteFunc(c.Files(), func(f clients.File) bool {
			return !slices.ContainsFunc(p.kinds, f.Has)
		})...)
	}
	return files
}

// change has files start a program by some kinds of entry, or removes those if it is nil, and says so. A failure
// doesn't stop the others.
func change(a *app.App, files []clients.File, p *clients.Program, dryRun bool, kinds []clients.Kind) error {
	var faults []error
	entered, without := false, 0
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
			without++
		case dryRun:
			fmt.Fprintf(a.Out, "%s would change:\n%s", place, terminal.Visible(c.Lines()))
		case c.Removes:
			fmt.Fprintf(a.Out, "%s: removed: it held nothing else\n", place)
		case c.Backup != "":
			fmt.Fprintf(a.Out, "%s: changed; previous version: %s\n", place, terminal.Line(filepath.Base(c.Backup)))
		default:
			fmt.Fprintf(a.Out, "%s: changed\n", place)
		}
	}
	if without > 0 && without == len(files) {
		fmt.Fprintln(a.Out, "No client's file has recall in it")
	}
	if entered {
		fmt.Fprintln(a.Out, "A running client uses it after a restart.")
	}
	return errors.Join(faults...)
}
