// Package brief composes what a session should have before it starts: the task, the payload that it continues from,
// what was said before that bears on it, and files, within a budget of tokens.
package brief

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"recall/internal/escape"
	"recall/internal/hint"
	"recall/payload"
	"recall/payload/tokens"
)

// Order says what goes into a brief.
type Order struct {
	Task    string
	Files   []string // paths; Piped stands for In
	In      io.Reader
	Budget  int    // maximum tokens
	Project string // its name in the index
	Payload *payload.Payload
	Form    payload.Options // of the payload, which gets at most half of the budget
	Index   Index

	cut []string
}

// Write composes a brief; cut names the files that didn't fit whole.
func (o *Order) Write(ctx context.Context) (text string, cut []string, err error) {
	var out strings.Builder
	fmt.Fprintf(&out, "# Task\n%s\n", o.Task)
	shown := map[payload.ItemID]bool{}
	if o.Payload != nil {
		form := o.Form
		form.Budget = min(form.Budget, o.Budget/2)
		r := payload.Render(o.Payload, form)
		out.WriteString("\n" + r.Text)
		for _, id := range r.Shown {
			shown[id] = true
		}
	}
	all, err := Find(ctx, o.Index, o.Project, o.Task, func(b *Bearing) bool { return b.Names != "" || !shown[b.Item.ID] })
	if err != nil {
		return "", nil, err
	}
	if note, _ := Note(all); note != "" {
		out.WriteString("\n" + note + "\n")
	}
	files, err := o.files(o.Budget - tokens.Count(out.String()))
	out.WriteString(files)
	return out.String(), o.cut, err
}

// files quotes the files whole as far as they fit, and otherwise their beginning and end.
func (o *Order) files(budget int) (string, error) {
	var out strings.Builder
	for i, path := range o.Files {
		text, err := o.read(path)
		if err != nil {
			return "", err
		}
		name := filepath.ToSlash(path)
		if path == Piped {
			name = "piped in"
		}
		share := budget/(len(o.Files)-i) - 30 // its heading and fences
		text, whole := fitTokens(text, share)
		if !whole {
			o.cut = append(o.cut, name)
		}
		fence := "```"
		for strings.Contains(text, fence) {
			fence += "`"
		}
		part := fmt.Sprintf("\n## File %s\n%s%s\n%s\n%s\n", escape.Line(name, escape.Terminal), fence,
			strings.TrimPrefix(filepath.Ext(path), "."), strings.TrimRight(text, "\n"), fence)
		out.WriteString(part)
		budget -= tokens.Count(part)
	}
	return out.String(), nil
}

// Piped, in place of a file's name, stands for standard input.
const Piped = "-"

// largestFile is the maximum size of a file, in bytes.
const largestFile = 4 << 20

func (o *Order) read(path string) (string, error) {
	if strings.Contains(path, "://") {
		return "", hint.With(fmt.Errorf("%s: recall fetches nothing from the network", path),
			"pipe it in: curl -s URL | recall resume \"TASK\" -")
	}
	in := o.In
	if path != Piped {
		fi, err := os.Stat(path)
		if err == nil && !fi.Mode().IsRegular() { // a pipe would be waited for
			err = hint.With(fmt.Errorf("%s: not a file", path), "name the files themselves: dir/*.go")
		}
		if err != nil {
			return "", err
		}
		f, err := os.Open(path)
		if err != nil {
			return "", err
		}
		defer f.Close()
		in = f
	}
	data, err := io.ReadAll(io.LimitReader(in, largestFile+1))
	switch {
	case err != nil:
		return "", err
	case len(data) > largestFile:
		return "", hint.With(fmt.Errorf("%s: larger than %d MB", path, largestFile>>20), "cut out the part that matters")
	case strings.IndexByte(string(data), 0) >= 0 || !utf8.Valid(data):
		return "", hint.With(fmt.Errorf("%s: not a text file", path), "omit it")
	}
	return strings.ReplaceAll(string(data), "\r\n", "\n"), nil
}

// fitTokens cuts out the middle of a text so that it fits the budget: two thirds of what is kept are from its
// beginning.
func fitTokens(text string, budget int) (string, bool) {
	n := tokens.Count(text)
	if n <= budget {
		return text, true
	}
	lines := strings.Split(text, "\n")
	for keep := len(lines) * max(budget, 0) / n; keep > 0; keep = min(keep-1, keep*9/10) {
		head := (2*keep + 2) / 3
		cut := strings.Join(lines[:head], "\n") + fmt.Sprintf("\n… %d lines left out …\n", len(lines)-keep) +
			strings.Join(lines[len(lines)-(keep-head):], "\n")
		if tokens.Count(cut) <= budget {
			return cut, false
		}
	}
	return fmt.Sprintf("… %d lines left out …", len(lines)), false
}
