package ask

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"recall/answer"
	"recall/answer/last"
	"recall/cmd/recall/app"
	"recall/cmd/recall/terminal"
	"recall/hint"
	"recall/index"
	"recall/library"
)

// placeOf is the file and the line where a hit stands.
func placeOf(l *library.Library, h last.Hit) (path string, line int, err error) {
	if strings.HasPrefix(string(h.Session), index.HandedID("")) {
		return "", 0, hint.With(errors.New("somebody handed that over; its transcript is in their library"),
			"recall why %s tells its words", h.Item)
	}
	path, line, err = l.TurnPlace(h.Session, h.Turn, h.N)
	switch {
	case !errors.Is(err, library.ErrNoTurn):
	case h.Turn == "":
		err = hint.With(err, "recall show %s --transcript has them all", answer.ShortID(h.Session))
	default:
		err = hint.With(err, "recall sync renders it anew")
	}
	return path, line, err
}

// openAt shows a person a file at a line.
func openAt(ctx context.Context, a *app.App, path string, line int, onlyPrint bool) error {
	program := opener()
	if onlyPrint || program == nil || !terminal.IsTerminal(a.Out) {
		_, err := fmt.Fprintf(a.Out, "%s:%d\n", path, line)
		return err
	}
	if err := a.Launch(ctx, append(program, atLine(program[0], path, line)...)...); err != nil {
		return hint.With(fmt.Errorf("%s: %w", strings.Join(program, " "), err), "the place is %s:%d", path, line)
	}
	return nil
}

// opener is the person's editor or pager with its arguments; nil if there is none.
func opener() []string {
	for _, text := range []string{os.Getenv("VISUAL"), os.Getenv("EDITOR"), os.Getenv("PAGER"), "less"} {
		words := strings.Fields(text)
		if len(words) == 0 {
			continue
		}
		if _, err := exec.LookPath(words[0]); err == nil {
			return words
		}
	}
	return nil
}

// atLine are the arguments that make a program begin at a line.
func atLine(program, path string, line int) []string {
	name := strings.TrimSuffix(strings.ToLower(filepath.Base(filepath.ToSlash(program))), ".exe")
	name = strings.TrimSuffix(name, ".cmd")
	switch name {
	case "vi", "vim", "nvim", "gvim", "nano", "emacs", "emacsclient", "micro", "kak", "joe", "mg", "pico", "less", "more",
		"most", "gedit":
		return []string{fmt.Sprintf("+%d", line), path}
	case "code", "code-insiders", "codium", "vscodium", "cursor", "windsurf":
		return []string{"-g", fmt.Sprintf("%s:%d", path, line)}
	case "subl", "zed", "hx", "helix":
		return []string{fmt.Sprintf("%s:%d", path, line)}
	case "idea", "goland", "pycharm", "webstorm", "kate":
		return []string{"--line", fmt.Sprint(line), path}
	case "notepad++":
		return []string{fmt.Sprintf("-n%d", line), path}
	}
	return []string{path}
}
