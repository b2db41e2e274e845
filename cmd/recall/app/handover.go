package app

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/atotto/clipboard"

	"recall/cmd/recall/terminal"
	"recall/hint"
	"recall/library"
	"recall/review"
)

// Copy puts a text on the clipboard, to be pasted as what is said.
func (a *App) Copy(text, as string) error {
	if err := clipboard.WriteAll(text); err != nil {
		return fmt.Errorf("clipboard: %w", err)
	}
	fmt.Fprintln(a.Err, "recall: copied; paste it", as)
	return nil
}

// CopyOrPrint is Copy, which prints where there is no clipboard.
func (a *App) CopyOrPrint(text, as string) error {
	err := a.Copy(text, as)
	if err == nil {
		return nil
	}
	if terminal.IsTerminal(a.Out) {
		fmt.Fprintf(a.Err, "recall: %v; here it is:\n", err)
	}
	return a.Print(text)
}

// Print prints a text as it is.
func (a *App) Print(text string) error {
	_, err := fmt.Fprint(a.Out, text)
	return err
}

// WriteNew writes a file for this user only. One that is there stays, unless
// force says otherwise.
func WriteNew(path, text string, force bool) error {
	if old, err := library.ReadRegular(path, review.MostHandoff); err == nil && string(old) == text {
		return nil
	}
	flag := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if force {
		flag = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	}
	f, err := os.OpenFile(path, flag, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return hint.With(fmt.Errorf("%s is there already", path), "--force replaces it, or name another file")
	}
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// FreeName is the first path that isn't taken, of those that numbers give from one on.
func FreeName(from int, name func(n int) string) string {
	for {
		if _, err := os.Lstat(name(from)); errors.Is(err, fs.ErrNotExist) {
			return name(from)
		}
		from++
	}
}
