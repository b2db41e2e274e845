package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"

	"github.com/atotto/clipboard"
	"github.com/spf13/cobra"

	"recall/library"
	"recall/payload"
	"recall/pipeline"
	"recall/prompts"
)

func (a *app) resumeCmd() *cobra.Command {
	var variant string
	var into string
	var toClipboard, save, noSync, asJSON, stop bool
	cmd := &cobra.Command{
		Use:     "resume [PROJECT]",
		Short:   "Print the payload that the next session starts with",
		GroupID: "ask",
		Long: `Prints what the next session must know, composed over the thread of sessions
last active on the current branch, else in the project: goal and next actions
from the last session, all decisions, dead ends and warnings that stand. Paste
it as the first message; it ends with the question that shows whether it was
understood. Without PROJECT it is that of the current folder; where no session
worked it says which was last (exit code 2).

--into keeps it current as RECALL.md in a folder that you give to Cowork, where no
hook runs: written at each sync, never over a file of yours, until --stop.`,
		Example: `  recall resume --copy
  recall resume billing --variant handoff
  recall resume --save          writes ./payload-PROJECT-DAY.md
  recall resume --into ~/Documents/Vendors`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeProject(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, other := range []string{"copy", "save", "variant"} {
				if err := errors.Join(notTogether(cmd, "json", other), notTogether(cmd, "into", other)); err != nil {
					return err
				}
			}
			if into != "" {
				return a.resumeInto(cmd.Context(), into, args, stop)
			}
			if stop {
				return withHint(errors.New("--stop ends nothing without --into"), "recall resume --into FOLDER --stop")
			}
			l, err := a.library(cmd.Context())
			if err != nil {
				return err
			}
			left, err := a.fresh(cmd.Context(), l)
			if err != nil {
				return err
			}
			if left > 0 {
				fmt.Fprintf(a.err, "recall: %s not taken in yet; recall sync does it\n", count(left, "new or grown session"))
			}
			p, err := a.compose(l, args)
			if err != nil {
				return err
			}
			if asJSON {
				text, err := payload.Encode(p)
				if err == nil {
					err = a.writeJSON(string(text))
				}
				return err
			}
			text := payload.Render(p, payload.Options{Variant: a.variant(variant), Budget: a.cfg.Payload.Budget}).Text + "\n" + prompts.Confirm() + "\n"
			return a.handOver(p, text, toClipboard, save)
		},
	}
	flags := cmd.Flags()
	addVariant(cmd, &variant)
	flags.BoolVarP(&toClipboard, "copy", "c", false, "put it on the clipboard instead")
	flags.BoolVar(&save, "save", false, "write it to ./payload-PROJECT-DAY.md instead")
	flags.StringVar(&into, "into", "", "keep it current as RECALL.md in this folder, for Cowork")
	flags.BoolVar(&stop, "stop", false, "with --into: keep it there no longer")
	flags.BoolVar(&noSync, "no-sync", false, "go by what was taken in before")
	setsKey(flags, "no-sync", "!query.sync")
	flags.BoolVar(&asJSON, "json", false, "print as JSON, with all evidence")
	return cmd
}

// compose makes the payload of the thread that is meant.
func (a *app) compose(l *library.Library, args []string) (*payload.Payload, error) {
	shelf, err := newShelf(l)
	if err != nil {
		return nil, err
	}
	project, branch, err := a.meant(l, args)
	if err != nil {
		return nil, err
	}
	entries := shelf.in(project)
	threads, err := pipeline.Threads(l, entries)
	if err != nil {
		return nil, err
	}
	p, err := pipeline.Compose(l, payload.Pick(threads, branch), entries, shelf.numbers())
	if err == nil && p == nil {
		err = withHint(errors.New("no session to go on from"), "recall sync takes sessions in; recall list shows them")
	}
	if name := shelf.project[project].Name; err == nil && name != "" {
		p.Project = name // it may have been another one when it was distilled
	}
	return p, err
}

// meant is the project that a person means, by name or by where they are; and the
// branch that they are on there.
func (a *app) meant(l *library.Library, args []string) (project, branch string, err error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", "", err
	}
	if len(args) == 0 {
		return pipeline.Meant(l, dir)
	}
	project, err = projectID(l, args[0])
	if here, hereBranch := pipeline.Here(l, dir); project == here {
		branch = hereBranch
	}
	return project, branch, err
}

// only is the project that a list keeps to, by its name in the index: the one that
// is named, else the one that is meant here; "" for all of them.
func (a *app) only(l *library.Library, name string, all bool) (string, error) {
	if all {
		return "", nil
	}
	var args []string
	if name != "" {
		args = []string{name}
	}
	id, _, err := a.meant(l, args)
	if err != nil {
		return "", err
	}
	p, err := l.Project(id)
	return p.Name, err
}

// here is the project of the working directory, "" if it is none that is known.
func (a *app) here(l *library.Library) (project string) {
	if dir, err := os.Getwd(); err == nil {
		project, _ = pipeline.Here(l, dir)
	}
	return project
}

// hereName is that project's name, as the index has it.
func (a *app) hereName(l *library.Library) string {
	id := a.here(l)
	p, err := l.Project(id)
	if id == "" || err != nil {
		return ""
	}
	return p.Name
}

// handOver gives the text to the person: printed, copied or saved.
func (a *app) handOver(p *payload.Payload, text string, toClipboard, save bool) error {
	if toClipboard {
		if err := clipboard.WriteAll(text); err != nil {
			return withHint(fmt.Errorf("clipboard: %w", err), "omit --copy and pipe it: recall resume | xclip -selection clipboard")
		}
		fmt.Fprintln(a.err, "recall: copied; paste it as the first message of the next session")
	}
	if save {
		if err := a.savePayload(p, text); err != nil {
			return err
		}
	}
	if !toClipboard && !save {
		_, err := fmt.Fprint(a.out, text)
		return err
	}
	return nil
}

// savePayload writes the payload into the working directory, under a name that
// isn't taken, and says where before it does.
func (a *app) savePayload(p *payload.Payload, text string) error {
	name := fmt.Sprintf("payload-%s-%s", slug(p.Project), day(p.End))
	path, err := filepath.Abs(name + ".md")
	for n := 2; err == nil; n++ {
		if _, gone := os.Lstat(path); errors.Is(gone, fs.ErrNotExist) {
			break
		}
		path, err = filepath.Abs(fmt.Sprintf("%s-%d.md", name, n))
	}
	if err != nil {
		return err
	}
	fmt.Fprintln(a.err, "recall: writing", path)
	return writeNew(path, []byte(text), false)
}

var scratchName = regexp.MustCompile(`^session-(\d+)\.md$`)

// saveScratch writes the next session-N.md of a folder, going on from the
// highest number that is there.
func saveScratch(dir, text string) (string, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	n := 0
	for _, e := range entries {
		if m := scratchName.FindStringSubmatch(e.Name()); m != nil {
			if k, err := strconv.Atoi(m[1]); err == nil {
				n = max(n, k)
			}
		}
	}
	for {
		n++
		path := filepath.Join(dir, fmt.Sprintf("session-%d.md", n))
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, os.ErrExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		_, err = f.WriteString(text)
		return path, errors.Join(err, f.Close())
	}
}
