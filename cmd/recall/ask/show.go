package ask

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/hint"
	"recall/ingest/trace"
	"recall/library"
	"recall/library/render"
	"recall/payload"
)

type showOptions struct {
	variant                     string
	transcript, actions, asJSON bool
}

func newShowCmd(a *app.App) *cobra.Command {
	var o showOptions
	cmd := &cobra.Command{
		Use:     "show SESSION",
		Aliases: []string{"actions"},
		Short:   "Print a session's payload, its transcript, or what it did call by call",
		RunE: func(cmd *cobra.Command, args []string) error {
			o.actions = o.actions || cmd.CalledAs() == "actions"
			l, e, err := a.Named(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			return runShow(cmd.Context(), a, l, e, o)
		},
	}
	addVariant(cmd, &o.variant)
	flags := cmd.Flags()
	flags.BoolVarP(&o.transcript, "transcript", "t", false, "print the readable transcript")
	flags.BoolVar(&o.actions, "actions", false, "list the calls of tools and what came of them")
	flags.BoolVar(&o.asJSON, "json", false, "print payload.json, with all evidence; of --actions inputs and results")
	cmd.MarkFlagsMutuallyExclusive("transcript", "json", "variant")
	cmd.MarkFlagsMutuallyExclusive("transcript", "actions", "variant")
	return cmd
}

func runShow(ctx context.Context, a *app.App, l *library.Library, e library.Entry, o showOptions) error {
	switch {
	case o.transcript:
		return copyTranscript(a, e)
	case o.actions:
		s, err := a.Read(ctx, l, e)
		if err != nil {
			return err
		}
		tr := trace.Of(s)
		return a.Show(actionsOf(s, tr), o.asJSON, false, func(p *terminal.Page) { printActions(p, s, tr) })
	}
	p, err := a.Payload(l, e)
	if err != nil {
		return err
	}
	if o.asJSON {
		return printPayload(a, p)
	}
	form := payload.Options{Variant: payload.Variant(cmp.Or(o.variant, a.Config.Payload.Variant)), Budget: -1}
	if err := a.Print(payload.Render(p, form).Text); err != nil {
		return err
	}
	return a.PrintNotes(ctx, l, e)
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
				return hint.With(errors.New("its transcript isn't rendered yet"), "recall sync does it")
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
