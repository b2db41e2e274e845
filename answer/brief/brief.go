// Package brief composes what a session should have before it starts: the task, the payload that it continues from,
// the decisions and dead ends that bear on it, and files, within a budget of tokens.
package brief

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"recall/answer"
	"recall/index"
	"recall/index/check"
	"recall/ingest"
	"recall/internal/escape"
	"recall/internal/hint"
	"recall/payload"
	"recall/payload/tokens"
)

// Order says what goes into a brief.
type Order struct {
	Task    string
	Files   []string // absolute paths; Piped stands for In
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

// largestFile is the maximum size of a file, in bytes.
const largestFile = 4 << 20

// files quotes the files whole as far as they fit, and otherwise their beginning and end.
func (o *Order) files(budget int) (string, error) {
	var out strings.Builder
	for i, path := range o.Files {
		text, err := o.read(path)
		if err != nil {
			return "", err
		}
		name := path
		if path == Piped {
			name = "piped in"
		} else if dir, err := os.Getwd(); err == nil {
			if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
				name = filepath.ToSlash(rel)
			}
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

func (o *Order) read(path string) (string, error) {
	in := o.In
	if path != Piped {
		fi, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			return "", hint.With(fmt.Errorf("%s: no such file or folder", path),
				"name a text file")
		}
		if err != nil {
			return "", err
		}
		if !fi.Mode().IsRegular() {
			return "", hint.With(fmt.Errorf("%s: not a file", path), "name the files themselves: dir/*.go")
		}
		f, err := os.Open(path)
		if err != nil {
			return "", err
		}
		defer f.Close()
		in = f
	}
	data, err := io.ReadAll(io.LimitReader(in, largestFile+1))
	if err != nil {
		return "", err
	}
	if len(data) > largestFile {
		return "", hint.With(fmt.Errorf("%s: larger than %d MB", path, largestFile>>20), "cut out the part that matters")
	}
	if strings.IndexByte(string(data), 0) >= 0 || !utf8.Valid(data) {
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
	keep := len(lines) * max(budget, 0) / n
	for ; keep > 0; keep = keep * 9 / 10 {
		head := (2*keep + 2) / 3
		cut := strings.Join(lines[:head], "\n") + fmt.Sprintf("\n… %d lines left out …\n", len(lines)-keep) +
			strings.Join(lines[len(lines)-(keep-head):], "\n")
		if tokens.Count(cut) <= budget {
			return cut, false
		}
		if keep == 1 {
			break
		}
	}
	return fmt.Sprintf("… %d lines left out …", len(lines)), false
}

// UsualBudget is the default token budget of a brief.
const UsualBudget = 8000

// Files returns the absolute paths of the named files, without duplicates; Piped stays as it is.
func Files(args []string) (files []string, err error) {
	for _, path := range matched(args) {
		if strings.Contains(path, "://") {
			return nil, hint.With(fmt.Errorf("%s: recall fetches nothing from the network", path),
				"pipe it in: curl -s URL | recall prepare \"TASK\" -")
		}
		if path != Piped {
			if path, err = filepath.Abs(path); err != nil {
				return nil, err
			}
		}
		files = ingest.Union(files, path)
	}
	return files, nil
}

// matched expands wildcards, which not every shell does.
func matched(args []string) []string {
	var paths []string
	for _, arg := range args {
		found, err := filepath.Glob(arg)
		if _, there := os.Lstat(arg); there == nil || err != nil || len(found) == 0 {
			found = []string{arg}
		}
		paths = append(paths, found...)
	}
	return paths
}

// CheckBudget rejects budgets out of range.
func CheckBudget(tokens int) error {
	if tokens < 200 || tokens > 200_000 {
		return hint.With(fmt.Errorf("--budget %d: must be from 200 to 200000", tokens), "omit it for %d", UsualBudget)
	}
	return nil
}
