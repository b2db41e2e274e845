package ask

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"recall/answer"
	"recall/cmd/recall/app"
	"recall/config"
	"recall/hint"
	"recall/library"
	"recall/payload"
)

func newResumeCmd(a *app.App) *cobra.Command {
	var variant string
	var into string
	var toClipboard, save, noSync, asJSON, stop bool
	cmd := &cobra.Command{
		Use:   "resume [PROJECT]",
		Short: "Print the payload that the next session starts with",
		RunE: func(cmd *cobra.Command, args []string) error {
			if into != "" {
				return a.ResumeInto(cmd.Context(), into, strings.Join(args, ""), stop)
			}
			if stop {
				return hint.With(errors.New("--stop ends nothing without --into"),
					"recall resume --into FOLDER --stop")
			}
			l, err := a.Library(cmd.Context())
			if err != nil {
				return err
			}
			left, err := a.Fresh(cmd.Context(), l)
			if err != nil {
				return err
			}
			if left > 0 {
				fmt.Fprintf(a.Err, "recall: %s not taken in yet; recall sync does it\n",
					answer.Count(left, "new or grown session"))
			}
			p, err := a.Compose(l, strings.Join(args, ""))
			if err != nil {
				return err
			}
			if asJSON {
				return printPayload(a, p)
			}
			return handOver(a, p, a.HandedOn(p, variant), toClipboard, save)
		},
	}
	flags := cmd.Flags()
	addVariant(cmd, &variant)
	flags.BoolVarP(&toClipboard, "copy", "c", false, "put it on the clipboard instead")
	flags.BoolVar(&save, "save", false, "write it to ./payload-PROJECT-DAY.md instead")
	flags.StringVar(&into, "into", "", "keep it current as RECALL.md in this folder, for Cowork")
	flags.BoolVar(&stop, "stop", false, "with --into: keep it there no longer")
	flags.BoolVar(&noSync, "no-sync", false, "go by what was taken in before")
	config.SetsKey(flags, "no-sync", "!query.sync")
	flags.BoolVar(&asJSON, "json", false, "print as JSON, with all evidence")
	for _, other := range []string{"copy", "save", "variant"} {
		cmd.MarkFlagsMutuallyExclusive("json", other)
		cmd.MarkFlagsMutuallyExclusive("into", other)
	}
	return cmd
}

// hereName is that project's name, as the index has it.
func hereName(a *app.App, l *library.Library) string {
	id := a.Here(l)
	p, err := l.Project(id)
	if id == "" || err != nil {
		return ""
	}
	return p.Name
}

// printPayload prints a payload for programs.
func printPayload(a *app.App, p *payload.Payload) error {
	text, err := payload.Encode(p)
	if err != nil {
		return err
	}
	return a.WriteJSON(string(text))
}

// handOver gives the text to the person: printed, copied or saved.
func handOver(a *app.App, p *payload.Payload, text string, toClipboard, save bool) error {
	if toClipboard {
		if err := a.Copy(text, "as the first message of the next session"); err != nil {
			return hint.With(err, "omit --copy and pipe it: recall resume | xclip -selection clipboard")
		}
	}
	if save {
		path, err := filepath.Abs(app.FreeName(fmt.Sprintf("payload-%s-%s", slug(p.Project), answer.Day(p.End)), ".md", text))
		if err != nil {
			return err
		}
		fmt.Fprintln(a.Err, "recall: writing", path)
		return app.WriteNew(path, text, false)
	}
	if toClipboard {
		return nil
	}
	return a.Print(text)
}
