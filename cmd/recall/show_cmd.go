package main

import (
	"cmp"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"recall/library"
	"recall/library/render"
	"recall/payload"
)

func (a *app) showCmd() *cobra.Command {
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
		ValidArgsFunction: completeSession(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := notTogether(cmd, "transcript", "json", "variant"); err != nil {
				return err
			}
			l, e, err := a.named(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if transcript {
				return a.copyTranscript(e)
			}
			p, err := a.payload(l, e)
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
			if _, err = io.WriteString(a.out, payload.Render(p, payload.Options{Variant: a.variant(variant), Budget: -1}).Text); err != nil {
				return err
			}
			return a.printNotes(cmd.Context(), l, e)
		},
	}
	addVariant(cmd, &variant)
	cmd.Flags().BoolVarP(&transcript, "transcript", "t", false, "print the readable transcript")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print payload.json, with all evidence")
	return cmd
}

// payload reads a session's payload.
func (a *app) payload(l *library.Library, e library.Entry) (*payload.Payload, error) {
	p, err := l.Payload(e.ID)
	if errors.Is(err, library.ErrNoPayload) {
		return nil, withHint(err, "recall sync distills it")
	}
	return p, err
}

// addVariant adds --variant to a command.
func addVariant(cmd *cobra.Command, variant *string) {
	wordVar(cmd, variant, "variant", "", "form of the payload: coding, debug, handoff (payload.variant)", string(payload.Coding), string(payload.Debug), string(payload.Handoff))
}

// variant is a --variant; "" is the configured one.
func (a *app) variant(name string) payload.Variant {
	return payload.Variant(cmp.Or(name, a.cfg.Payload.Variant))
}

// copyTranscript prints all parts of a transcript.
func (a *app) copyTranscript(e library.Entry) error {
	for i := 0; ; i++ {
		text, err := library.ReadPlain(filepath.Join(e.Folder, render.TranscriptName(i)))
		if errors.Is(err, os.ErrNotExist) {
			if i == 0 {
				return withHint(errors.New("its transcript isn't rendered yet"), "recall sync does it")
			}
			return nil
		}
		if err != nil {
			return err
		}
		if _, err := io.WriteString(a.out, visible(string(text))); err != nil {
			return err
		}
	}
}
