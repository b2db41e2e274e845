package ask

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"recall/answer"
	"recall/cmd/recall/app"
	"recall/cmd/recall/terminal"
	"recall/hint"
	"recall/index"
	"recall/library"
	"recall/library/render"
)

// placeOf is the file and the line where a hit stands: in a transcript, or in
// payload.md for what a person wrote there.
func placeOf(l *library.Library, h app.LastHit) (path string, line int, err error) {
	if strings.HasPrefix(string(h.Session), index.HandedID("")) {
		return "", 0, hint.With(errors.New("somebody handed that over; its transcript is in their library"),
			"recall why %s tells its words", h.Item)
	}
	e, err := l.Session(h.Session)
	if err != nil {
		return "", 0, err
	}
	if h.Turn == "" && h.N > 0 {
		return turnNumbered(e, h.N)
	}
	if h.Turn == "" {
		return filepath.Join(e.Folder, "payload.md"), 1, nil
	}
	link, err := l.TurnLink(h.Session, h.Turn)
	if errors.Is(err, library.ErrNoTurn) {
		return "", 0, hint.With(err, "recall sync renders it anew")
	}
	if err != nil {
		return "", 0, err
	}
	name, anchor, _ := strings.Cut(link, "#")
	path = filepath.Join(e.Folder, name)
	text, err := library.ReadPlain(path)
	if err != nil {
		return "", 0, err
	}
	mark := []byte(`<a id="` + html.EscapeString(anchor) + `">`)
	at := 1 + bytes.Index(text, append([]byte("\n"), mark...)) // a turn's own: the call that it refuses has it too
	if at == 0 {
		at = max(0, bytes.Index(text, mark))
	}
	return path, 1 + bytes.Count(text[:at], []byte("\n")), nil
}

// turnNumbered is the file and the line of the anchors before a turn.
func turnNumbered(e library.Entry, n int) (path string, line int, err error) {
	for i := 0; ; i++ {
		path = filepath.Join(e.Folder, render.TranscriptName(i))
		text, err := library.ReadPlain(path)
		if err != nil {
			return "", 0, hint.With(fmt.Errorf("turn %d: %w", n, library.ErrNoTurn), "recall show %s --transcript has them all",
				answer.ShortID(e.ID))
		}
		if before, _, ok := bytes.Cut(text, fmt.Appendf(nil, "</a>\n### %d · ", n)); ok {
			return path, 1 + bytes.Count(before, []byte("\n")), nil
		}
	}
}

// turnAt is a turn of a transcript, from the line where it begins.
func turnAt(path string, line int) (string, error) {
	text, err := library.ReadPlain(path)
	if err != nil {
		return "", err
	}
	return turnIn(string(text), line), nil
}

func turnIn(text string, line int) string {
	lines := strings.SplitAfter(text, "\n")[line:]
	for i := 1; i < len(lines); i++ { // a sub-agent's turns within it have anchors, but no such headings
		if strings.HasPrefix(lines[i-1], "<a id=") && strings.HasPrefix(lines[i], "### ") && i > 1 {
			lines = lines[:i-1]
			break
		}
	}
	return strings.Trim(strings.Join(lines, ""), "\n") + "\n"
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
