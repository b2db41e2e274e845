// Package brief composes what a session should have before it starts: the task, the payload that it continues from,
// the decisions and dead ends that bear on it, and files, within a budget of tokens.
package brief

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"recall/answer"
	"recall/index"
	"recall/index/check"
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
	Index   *index.Index
	Search  func(index.Query) (index.Answer, error)

	shown map[payload.ItemID]bool
	cut   []string
}

// Write composes a brief; cut names the files that didn't fit whole.
func (o *Order) Write(ctx context.Context) (text string, cut []string, err error) {
	var out strings.Builder
	fmt.Fprintf(&out, "# Task\n%s\n", o.Task)
	o.shown = map[payload.ItemID]bool{}
	if o.Payload != nil {
		form := o.Form
		form.Budget = min(form.Budget, o.Budget/2)
		r := payload.Render(o.Payload, form)
		out.WriteString("\n" + r.Text)
		for _, id := range r.Shown {
			o.shown[id] = true
		}
	}
	bearing, err := o.bearing(ctx)
	if err != nil {
		return "", nil, err
	}
	out.WriteString(bearing)
	files, err := o.files(o.Budget - tokens.Count(out.String()))
	out.WriteString(files)
	return out.String(), o.cut, err
}

const (
	bearingMost = 12  // items beside the payload
	bearingHold = 0.3 // minimum share of the task that an item must cover
)

// bearing lists the decisions and dead ends that the task is about, first those that it goes against. It is recall's
// own text and stands under its marker.
func (o *Order) bearing(ctx context.Context) (string, error) {
	var ids, lines []string
	add := func(it payload.Item, at index.Place, lead string) {
		if o.shown[it.ID] && lead == "" || len(lines) == bearingMost {
			return
		}
		o.shown[it.ID] = true
		ids = append(ids, string(it.ID))
		if it.Rule == payload.ReceivedRule {
			at.SessionN = 0 // it belongs to no session here
		}
		said := cmp.Or(answer.Record(it, at.SessionN), string(it.Kind))
		if it.Rule == payload.ReceivedRule {
			said += ", " + escape.Line(at.SessionTitle, escape.Terminal)
		}
		lines = append(lines, fmt.Sprintf("- %s%s (%s)", lead, strings.TrimRight(payload.LineOf(&it), "."), said))
	}
	warnings, err := check.Against(ctx, o.Index, check.Action{Project: o.Project, Text: o.Task})
	if err != nil {
		return "", err
	}
	for _, g := range warnings {
		lead := "the task goes against this: "
		if g.Reason == check.Repeats {
			lead = "the task goes against this, a dead end: "
		}
		add(g.Item, g.Place, lead)
	}
	// What was decided in an archived session still holds.
	found, err := o.Search(index.Query{Text: o.Task, Project: o.Project, Limit: 2 * bearingMost, Archived: true,
		Kinds: []payload.Kind{payload.Decision, payload.Eliminated, payload.Finding, payload.Flag, payload.Deferred,
			payload.Question}})
	if err != nil {
		return "", err
	}
	for _, r := range found.Ranked {
		if !found.Unknown && r.Coverage >= bearingHold && r.Item.Current() {
			add(*r.Item, r.Place, "")
		}
	}
	if len(lines) == 0 {
		return "", nil
	}
	return fmt.Sprintf("\n<!-- recall %s -->\n## What was decided about this\n%s\n<!-- /recall -->\n",
		strings.Join(ids, " "), strings.Join(lines, "\n")), nil
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
