package ask

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/library"
	"recall/library/render"
	"recall/payload"
)

func newShowCmd(a *app.App) *cobra.Command {
	var variant string
	var transcript, asJSON bool
	cmd := &cobra.Command{
		Use:     "show SESSION",
		Short:   "Print a session's payload, or its transcript",
		GroupID: "ask",
		Long: `Prints what a session decided, ruled out and left open, whole; or the session
itself, readable. A session is named by its title, a part of it, or the
beginning of its id.`,
		Example: `  recall show 7f3c
  recall show "Retry policy" --transcript | less`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: option.CompleteSession(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := option.NotTogether(cmd, "transcript", "json", "variant"); err != nil {
				return err
			}
			l, e, err := a.Named(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if transcript {
				return copyTranscript(a, e)
			}
			p, err := a.Payload(l, e)
			if err != nil {
				return err
			}
			if asJSON {
				return printPayload(a, p)
			}
			o := payload.Options{Variant: payload.Variant(cmp.Or(variant, a.Config.Payload.Variant)), Budget: -1}
			if err := a.Print(payload.Render(p, o).Text); err != nil {
				return err
			}
			return a.PrintNotes(cmd.Context(), l, e)
		},
	}
	addVariant(cmd, &variant)
	cmd.Flags().BoolVarP(&transcript, "transcript", "t", false, "print the readable transcript")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print payload.json, with all evidence")
	return cmd
}

// addVariant adds --variant to a command.
func addVariant(cmd *cobra.Command, variant *string) {
	option.WordVar(cmd, variant, "variant", "", "form of the payload: coding, debug, handoff (payload.variant)",
		string(payload.Coding), string(payload.Debug), string(payload.Handoff))
}

// copyTranscript prints all parts of a transcript.
func copyTranscript(a *app.App, e library.Entry) error {
	for i := 0; ; i++ {
		text, err := library.ReadPlain(filepath.Join(e.Folder, render.TranscriptName(i)))
		if errors.Is(err, os.ErrNotExist) {
			if i == 0 {
				return terminal.WithHint(errors.New("its transcript isn't rendered yet"), "recall sync does it")
			}
			return nil
		}
		if err != nil {
			return err
		}
		if err := a.Print(terminal.Visible(string(text))); err != nil {
			return err
		}
	}
}
