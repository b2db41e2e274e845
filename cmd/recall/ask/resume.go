package ask

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"recall/answer"
	"recall/answer/brief"
	"recall/answer/history"
	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/internal/hint"
	"recall/internal/redact"
	txt "recall/internal/text"
	"recall/library/disk"
	"recall/library/received"
	"recall/payload"
	"recall/payload/tokens"
	"recall/pipeline/folders"
	"recall/pipeline/review"
	"recall/prompts"
)

type resumeOptions struct {
	Variant, Into, Project string
	Budget                 int
	Copy, Stop, JSON       bool
}

func newResumeCmd(a *app.App) *cobra.Command {
	var o resumeOptions
	return option.Do("resume", func(fs *option.Flags) {
		fs.Number(&o.Budget, "budget", "", 0, "maximum number of tokens (payload.budget; with a task 8000)")
		fs.BoolVarP(&o.Copy, "copy", "c", false, "copy it to the clipboard instead")
		fs.StringVar(&o.Into, "into", "", "keep it current as RECALL.md in this folder, for Cowork")
		fs.BoolVar(&o.JSON, "json", false, "print as JSON, with all evidence")
		fs.NoSync()
		fs.StringVarP(&o.Project, "project", "p", "", "the project (default: the one you are in)")
		fs.BoolVar(&o.Stop, "stop", false, "with --into: stop keeping it there")
		fs.OneOf(&o.Variant, "variant", "",
			"form of the payload: coding, debug, handoff (payload.variant)", "coding", "debug", "handoff")
		fs.Apart("json", "copy")
		fs.Apart("into", "copy")
		fs.Apart("into", "variant")
		fs.Apart("json", "variant")
	}, func(ctx context.Context, args []string) error {
		if o.Into != "" {
			return resumeInto(ctx, a, o.Into, cmp.Or(strings.Join(args, " "), o.Project), o.Stop)
		}
		if o.Stop {
			return hint.With(errors.New("--stop needs --into"), "recall resume --into FOLDER --stop")
		}
		if o.Budget != 0 && (o.Budget < 200 || o.Budget > 200_000) {
			return hint.With(fmt.Errorf("--budget %d: must be from 200 to 200000", o.Budget), "omit it for the usual one")
		}
		if _, err := a.Library(ctx); err != nil {
			return err
		}
		if err := a.Fresh(ctx); err != nil {
			return err
		}
		name, task := o.asked(a, args)
		if task != "" {
			return o.resumeTask(ctx, a, task, args[1:])
		}
		p, err := a.Compose(ctx, name)
		if n := received.Handed(a.Lib); n > 0 && err == nil {
			fmt.Fprintf(a.Err, "recall: %s handed over by others wait for a look: recall review\n",
				answer.Count(n, "item"))
		}
		switch {
		case err != nil:
			return err
		case o.JSON:
			return printPayload(a, p)
		}
		text := a.RenderPayload(p, o.Variant, o.Budget)
		if !o.Copy && terminal.IsTerminal(a.Out) {
			text = payload.WithoutMarkers(text) // pasted text is recognized by its heading and lines
		}
		return handOver(a, text, o.Copy)
	})
}

// asked tells a project or session, by its name, from a task: what has several words and names neither, or comes with
// files or a project.
func (o *resumeOptions) asked(a *app.App, args []string) (name, task string) {
	switch {
	case len(args) == 0:
		return o.Project, ""
	case len(args) == 1 && o.Project == "":
		_, _, _, err := a.ResolveThread(args[0])
		if err == nil || !strings.Contains(strings.TrimSpace(args[0]), " ") {
			return args[0], ""
		}
	}
	return o.Project, args[0]
}

// taskBudget is how many tokens a task gets with all that it needs.
const taskBudget = 8000

// resumeTask hands over a task with the payload, what was decided about it, and files.
func (o *resumeOptions) resumeTask(ctx context.Context, a *app.App, task string, files []string) error {
	if o.JSON {
		return hint.With(errors.New("--json prints a payload, without a task"), "omit the task, or --json")
	}
	if err := a.EnsureIndex(ctx); err != nil {
		return err
	}
	clean := redact.New()
	order := &brief.Order{Task: clean.Text(strings.TrimSpace(task)), Files: files, In: a.In,
		Budget: cmp.Or(o.Budget, taskBudget), Index: a.Index, Form: a.PayloadForm(o.Variant, 0)}
	var err error
	if order.Project, err = a.ProjectFilter(o.Project, false); err != nil {
		return err
	}
	order.Payload, _ = a.Compose(ctx, order.Project) // a project might have nothing to continue from
	text, cut, err := order.Write(ctx)
	if err != nil {
		return err
	}
	text = clean.Text(text)
	if len(cut) > 0 {
		fmt.Fprintf(a.Err, "recall: cut to fit: %s; --budget N allows more\n", strings.Join(cut, ", "))
	}
	secrets := 0
	for _, n := range clean.Counts() {
		secrets += n
	}
	if secrets > 0 {
		fmt.Fprintf(a.Err, "recall: %s replaced; check the text before you paste it\n", answer.Count(secrets, "secret"))
	}
	return handOver(a, text, o.Copy)
}

func printPayload(a *app.App, p *payload.Payload) error {
	text, err := payload.Encode(p)
	if err != nil {
		return err
	}
	return a.WriteJSON(string(text))
}

// handOver prints a text, or copies it.
func handOver(a *app.App, text string, copied bool) error {
	page := strings.TrimSuffix(strings.TrimSpace(text), prompts.Confirm.Text()) // the budget is the page's
	fmt.Fprintln(a.Err, "recall: about", answer.Count(tokens.Count(page), "token"))
	if !copied {
		return a.Print(text)
	}
	if err := a.Copy(text, "as the first message of the next session"); err != nil {
		return hint.With(err, "omit --copy to print it")
	}
	return nil
}

// resumeInto starts or stops keeping a project's payload current in a folder.
func resumeInto(ctx context.Context, a *app.App, folder, project string, stop bool) error {
	_, err := a.Library(ctx)
	if err != nil {
		return err
	}
	if folder, err = filepath.Abs(folder); err != nil {
		return err
	}
	f, page := a.Folders(), filepath.Join(folder, folders.PageName)
	switch {
	case f == nil:
		return hint.With(errors.New("no place to remember a folder: no configuration folder is known"), "set HOME")
	case stop:
		removed, err := f.End(folder)
		switch {
		case errors.Is(err, folders.ErrNotOurs):
			fmt.Fprintf(a.Err, "recall: %s stays: %v\n", page, folders.ErrNotOurs)
		case err != nil:
			return err
		case removed:
			fmt.Fprintf(a.Err, "recall: removed %s; it is no longer kept current\n", page)
		default:
			fmt.Fprintf(a.Err, "recall: nothing is kept current in %s any more\n", folder)
		}
		return nil
	}
	id, err := intoProject(a, folder, project)
	if err != nil {
		return err
	}
	if err := a.Fresh(ctx); err != nil {
		return err
	}
	if err := f.Begin(ctx, folder, id); err != nil {
		return err
	}
	fmt.Fprintf(a.Err, "recall: %s is rewritten at each sync; recall resume --into %q --stop ends that\n", page, folder)
	return nil
}

func intoProject(a *app.App, folder, name string) (string, error) {
	if fi, err := os.Stat(folder); err != nil || !fi.IsDir() {
		return "", hint.With(fmt.Errorf("%s: no such folder", folder), "name a folder that you give to Cowork")
	}
	if disk.Below(a.Lib.Dir(), folder) {
		return "", hint.With(fmt.Errorf("%s is the library itself", folder), "name a folder that you give to Cowork")
	}
	if name != "" {
		return a.ProjectID(name)
	}
	p, err := a.Lib.Project(folder)
	if err != nil {
		return "", hint.With(fmt.Errorf("no session that recall knows of worked in %s", folder),
			"name the project too: recall resume PROJECT --into FOLDER; recall project list shows them")
	}
	return p.ID, nil
}

type handoffOptions struct {
	To, Out     string
	Copy, Force bool
}

func newHandoffCmd(a *app.App) *cobra.Command {
	var o handoffOptions
	return option.Run(a, "handoff", func(fs *option.Flags) {
		fs.BoolVarP(&o.Copy, "copy", "c", false, "copy the page to the clipboard instead")
		fs.BoolVar(&o.Force, "force", false, "replace existing files")
		fs.NoSync()
		fs.StringVarP(&o.Out, "out", "o", "",
			"the page's file (default handoff-NAME-DATE.md here; \"-\" prints only the page)")
		fs.StringVar(&o.To, "to", "", "the recipient")
		fs.Apart("copy", "out")
	}, func(ctx context.Context, args []string) error {
		if o.To = terminal.Line(o.To); o.To == "" {
			return hint.With(errors.New("handoff: --to with the recipient's name is required"),
				"recall handoff --to Bob")
		}
		if err := a.Fresh(ctx); err != nil {
			return err
		}
		p, err := a.Compose(ctx, strings.Join(args, ""))
		if err != nil {
			return err
		}
		// As git names the person, or not at all, rather than by the machine's login.
		h := payload.Handover{To: o.To, From: history.GitConfig(ctx, ".", "user.name"), At: time.Now()}
		if known, err := a.Lib.Project(p.Project); err == nil {
			h.Remote = known.Remote
		}
		file, err := payload.EncodeHandover(p, h)
		if err != nil {
			return err
		}
		page := payload.HandoverPage(p, h, a.Config.Payload.Budget) + "\n" + prompts.Confirm.Text() + "\n"
		if err := review.WithoutSecrets(page + file); err != nil {
			return err
		}
		return giveHandoff(a, page, file, o)
	})
}

// giveHandoff copies the page, prints it, or writes it and the payload file.
func giveHandoff(a *app.App, page, file string, o handoffOptions) error {
	switch {
	case o.Copy:
		if err := a.Copy(page, "to "+o.To); err != nil {
			return hint.With(err, "omit --copy to write it to a file")
		}
		return nil
	case o.Out == "-":
		return a.Print(page)
	case o.Out == "":
		o.Out = fmt.Sprintf("handoff-%s-%s.md", txt.Slug(o.To), time.Now().Format("2006-01-02"))
	}
	payloadFile := review.PayloadName(o.Out)
	if err := app.WriteNew(o.Out, page, o.Force); err != nil {
		return err
	}
	if err := app.WriteNew(payloadFile, file, o.Force); err != nil {
		return err
	}
	fmt.Fprintf(a.Out, "wrote %s; %s pastes it as a first message\nwrote %s, to load into recall with recall import\n",
		o.Out, o.To, payloadFile)
	return nil
}
