package ask

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"recall/answer"
	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/hint"
	"recall/library"
	"recall/payload"
	txt "recall/text"
)

type resumeOptions struct {
	Variant, Into    string
	Copy, Save, Stop bool
	JSON             bool
}

func newResumeCmd(a *app.App) *cobra.Command {
	var o resumeOptions
	return option.Do("resume", &o, func(ctx context.Context, args []string) error {
		if o.Into != "" {
			return a.ResumeInto(ctx, o.Into, strings.Join(args, ""), o.Stop)
		}
		if o.Stop {
			return hint.With(errors.New("--stop ends nothing without --into"), "recall resume --into FOLDER --stop")
		}
		l, err := a.Library(ctx)
		if err != nil {
			return err
		}
		if err := a.Fresh(ctx, l); err != nil {
			return err
		}
		p, err := a.Compose(ctx, l, a.IndexIfThere(l), strings.Join(args, ""))
		if err != nil {
			return err
		}
		if o.JSON {
			return printPayload(a, p)
		}
		return handOver(a, p, a.HandedOn(p, o.Variant), o)
	})
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

func printPayload(a *app.App, p *payload.Payload) error {
	text, err := payload.Encode(p)
	if err != nil {
		return err
	}
	return a.WriteJSON(string(text))
}

// handOver gives the text to the person: printed, copied or saved.
func handOver(a *app.App, p *payload.Payload, text string, o resumeOptions) error {
	if o.Copy {
		if err := a.Copy(text, "as the first message of the next session"); err != nil {
			return hint.With(err, "omit --copy and it is printed; --save writes it to a file")
		}
	}
	if o.Save {
		name := fmt.Sprintf("payload-%s-%s", txt.Slug(p.Project), answer.Day(p.End))
		path, err := filepath.Abs(app.FreeName(name, ".md", text))
		if err != nil {
			return err
		}
		fmt.Fprintln(a.Err, "recall: writing", path)
		return app.WriteNew(path, text, false)
	}
	if o.Copy {
		return nil
	}
	if terminal.IsTerminal(a.Out) { // what is pasted from there is known by its heading and lines
		text = payload.ToRead(text)
	}
	return a.Print(text)
}
