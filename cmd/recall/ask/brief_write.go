package ask

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"recall/answer"
	"recall/cmd/recall/app"
	"recall/cmd/recall/terminal"
	"recall/index"
	"recall/index/check"
	"recall/library"
	"recall/payload"
	"recall/payload/tokens"
	"recall/redact"
)

// briefer writes a brief.
type briefer struct {
	*app.App
	l       *library.Library
	clean   *redact.Redactor
	secrets int
	cut     []string // files that didn't fit whole
	tokens  int
}

// write puts a brief together: the task, what is known, the files in what is
// left of the budget.
func (w *briefer) write(ctx context.Context, b library.Brief) (string, error) {
	var out strings.Builder
	fmt.Fprintf(&out, "# Task\n%s\n", b.Task)
	p, project, err := w.payload(b)
	if err != nil {
		return "", err
	}
	shown := map[payload.ItemID]bool{}
	if p != nil {
		r := payload.Render(p, payload.Options{Variant: payload.Variant(w.Config.Payload.Variant),
			Budget: min(w.Config.Payload.Budget, b.Budget/2)})
		out.WriteString("\n" + r.Text)
		for _, id := range r.Shown {
			shown[id] = true
		}
	}
	bearing, err := w.bearing(ctx, b.Task, project, shown)
	if err != nil {
		return "", err
	}
	out.WriteString(bearing)
	left := b.Budget - tokens.Count(out.String())
	files, err := w.files(b.Files, left)
	if err != nil {
		return "", err
	}
	out.WriteString(files)
	text := w.clean.Text(out.String())
	for _, n := range w.clean.Counts() {
		w.secrets += n
	}
	w.tokens = tokens.Count(text)
	return text, nil
}

// payload is that of the thread that the task goes on; nil where there is none.
func (w *briefer) payload(b library.Brief) (*payload.Payload, string, error) {
	project, err := w.Only(w.l, b.Project, false)
	if err != nil {
		return nil, "", err
	}
	p, err := w.Compose(w.l, project)
	if err != nil {
		return nil, project, nil
	}
	return p, project, nil
}

// How many items beside the payload are told of at most, and how much of the
// task one must hold.
const (
	bearingMost = 12
	bearingHold = 0.3
)

// bearing lists the decisions and dead ends that the task is about, those that it
// goes against first. It is recall's own word and stands under its marker.
func (w *briefer) bearing(ctx context.Context, task, project string, shown map[payload.ItemID]bool) (string, error) {
	if err := w.Indexed(ctx, w.l); err != nil {
		return "", err
	}
	var ids, lines []string
	add := func(it payload.Item, at index.Place, lead string) {
		if shown[it.ID] && lead == "" || len(lines) == bearingMost {
			return
		}
		shown[it.ID] = true
		ids = append(ids, string(it.ID))
		from := fmt.Sprintf("session %d", at.SessionN)
		if it.Rule == payload.ReceivedRule {
			from = terminal.Line(at.SessionTitle)
		}
		lines = append(lines, fmt.Sprintf("- %s%s: %s (%s, %s)", lead, kindWord(it),
			strings.TrimRight(payload.LineOf(&it), "."), answer.Day(it.At), from))
	}
	warnings, err := check.Against(ctx, w.Index, check.Action{Project: project, Text: task})
	if err != nil {
		return "", err
	}
	for _, g := range warnings {
		add(g.Item, index.Place{SessionTitle: g.Title, SessionN: g.Number},
			"the task goes against this, "+kindPrefix(g.Reason))
	}
	found, err := w.Search(ctx, w.l, index.Query{Text: task, Project: project, Limit: 2 * bearingMost,
		Kinds: []payload.Kind{payload.Decision, payload.Eliminated, payload.Finding, payload.Flag, payload.Deferred,
			payload.Question}})
	if err != nil {
		return "", err
	}
	if !found.Unknown {
		for _, h := range found.Hits {
			if h.Coverage >= bearingHold && h.Item.Current() {
				add(h.Item, h.Place, "")
			}
		}
	}
	if len(lines) == 0 {
		return "", nil
	}
	return fmt.Sprintf("\n<!-- recall %s -->\n## What was decided about this\n%s\n<!-- /recall -->\n",
		strings.Join(ids, " "), strings.Join(lines, "\n")), nil
}

func kindPrefix(r check.Reason) string {
	if r == check.Repeats {
		return "a dead end: "
	}
	return ""
}

func kindWord(it payload.Item) string {
	switch it.Kind {
	case payload.Eliminated:
		return "ruled out"
	case payload.Finding:
		return "found"
	case payload.Flag:
		return "mind"
	case payload.Decision:
		return "decided"
	}
	return string(it.Kind)
}

// largestFile is what of a file is read at all, in bytes.
const largestFile = 4 << 20

// files quotes the files whole as far as they fit; of what doesn't fit the
// beginning and the end stay.
func (w *briefer) files(paths []string, budget int) (string, error) {
	var out strings.Builder
	for i, path := range paths {
		text, err := readText(path)
		if err != nil {
			return "", err
		}
		name := path
		if dir, err := os.Getwd(); err == nil {
			if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
				name = filepath.ToSlash(rel)
			}
		}
		share := budget/(len(paths)-i) - 30 // its heading and fences
		text, whole := fitTokens(text, share)
		if !whole {
			w.cut = append(w.cut, name)
		}
		fence := strings.Repeat("`", max(3, longestRun(text, '`')+1))
		part := fmt.Sprintf("\n## File %s\n%s%s\n%s\n%s\n", terminal.Line(name), fence,
			strings.TrimPrefix(filepath.Ext(path), "."), strings.TrimRight(text, "\n"), fence)
		out.WriteString(part)
		budget -= tokens.Count(part)
	}
	return out.String(), nil
}

func readText(path string) (string, error) {
	fi, err := os.Stat(path)
	if err != nil {
		return "", terminal.WithHint(terminal.NoSuchFile(path, err),
			"name a text file; recall brief --list has those of the briefs that are kept")
	}
	if !fi.Mode().IsRegular() {
		return "", terminal.WithHint(fmt.Errorf("%s: not a file", path), "name the files themselves: dir/*.go")
	}
	if fi.Size() > largestFile {
		return "", terminal.WithHint(fmt.Errorf("%s: %s", path, terminal.Size(fi.Size())),
			"files up to %s can be handed over; cut out the part that matters", terminal.Size(largestFile))
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	if strings.IndexByte(string(data), 0) >= 0 || !utf8.Valid(data) {
		return "", terminal.WithHint(fmt.Errorf("%s: no text", path), "omit it")
	}
	return strings.ReplaceAll(string(data), "\r\n", "\n"), nil
}

// fitTokens cuts the middle of a text out until it fits: two thirds of what is
// kept are its beginning.
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

func longestRun(text string, c byte) int {
	longest, run := 0, 0
	for i := range len(text) {
		if text[i] != c {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}

// notes are what its user should know of the brief.
func (w *briefer) notes() []string {
	list := []string{answer.Count(w.tokens, "token")}
	if len(w.cut) > 0 {
		list = append(list, "cut to fit: "+strings.Join(w.cut, ", ")+"; --budget N takes more")
	}
	if w.secrets > 0 {
		list = append(list, answer.Count(w.secrets, "secret")+" replaced; look at it before you paste it")
	}
	return list
}
