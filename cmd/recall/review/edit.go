package review

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/hint"
	"recall/library"
)

func newEditCmd(a *app.App) *cobra.Command {
	return option.Run(a, &cobra.Command{
		Use:   "edit SESSION",
		Short: "Correct a session's payload by hand",
	}, func(ctx context.Context, l *library.Library, args []string) error {
		e, err := a.Session(l, args[0])
		if err != nil {
			return err
		}
		return editPage(ctx, a, l, e)
	})
}

func runEditor(ctx context.Context, a *app.App, path string) error {
	editor := cmp.Or(os.Getenv("VISUAL"), os.Getenv("EDITOR"))
	if editor == "" {
		editor = "vi"
		if runtime.GOOS == "windows" {
			editor = "notepad"
		} else if !terminal.IsTerminal(a.Out) {
			return hint.With(errors.New("no editor: neither VISUAL nor EDITOR is set"),
				"set one, or edit %s directly and run recall sync", path)
		}
	}
	// "code --wait" is a program and its argument.
	words := strings.Fields(editor)
	if _, err := exec.LookPath(words[0]); err != nil {
		return hint.With(fmt.Errorf("editor: %w", err),
			"set VISUAL or EDITOR, or edit %s directly and run recall sync", path)
	}
	c := exec.CommandContext(ctx, words[0], append(words[1:], path)...)
	c.Stdin, c.Stdout, c.Stderr = a.In, terminal.Own(a.Out), terminal.Own(a.Err)
	if err := c.Run(); err != nil {
		return hint.With(fmt.Errorf("editor %s: %w", editor, err),
			"nothing was taken over; recall edit opens the file again")
	}
	return nil
}
