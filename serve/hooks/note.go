package hooks

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"recall/answer"
	"recall/index"
	"recall/index/check"
	"recall/ingest"
	"recall/internal/text"
	"recall/payload"
	"recall/pipeline"
)

// prompt says if a prompt goes against something settled, or the context is filling up. It never stops the person.
func (h *Host) prompt(ctx context.Context, in Input) (Answer, error) {
	t := ingest.Turn{Role: ingest.User, Text: text.Head(in.Prompt, promptMost)}
	ingest.MarkForeign(&t) // a pasted payload doesn't contradict itself
	text := t.OwnText()
	m := h.memoOf(in.Session) // distinguishes a fork from its parent at the first event
	if strings.HasPrefix(text, "/") || strings.TrimSpace(text) == "" {
		return Answer{}, nil
	}
	said := h.nudge(in, &m)
	var ids []payload.ItemID
	if h.Notes {
		w, by, about, err := h.warned(ctx, in, m, check.Action{Text: text}, true)
		if err != nil {
			return Answer{}, err
		}
		if ids = about; w != nil {
			said = strings.TrimSpace(note(w, by) + "\n\n" + said)
		}
	}
	if said == "" {
		return Answer{}, nil
	}
	return Answer{Context: said}, h.once(in.Session, m, ids)
}

// promptMost is how many bytes of a prompt are read: the request comes before what was pasted.
const promptMost = 64 << 10

// tool says if an edit or a command goes against something settled, and prevents deletion of unsaved sessions.
func (h *Host) tool(ctx context.Context, in Input) (Answer, error) {
	var out Answer
	if in.Tool == "Bash" {
		a, err := h.beforeDeleting(ctx, in)
		if err != nil || a.Deny != "" {
			return a, err
		}
		out = a
	}
	if !h.Notes {
		return out, nil
	}
	act, ok := actionOf(in)
	if !ok {
		return out, nil
	}
	ctx, cancel := context.WithTimeout(ctx, briefly)
	defer cancel()
	m := h.memoOf(in.Session)
	w, by, ids, err := h.warned(ctx, in, m, act, false)
	switch {
	case err != nil && out == (Answer{}):
		return out, err
	case err != nil || w == nil:
		return out, nil
	}
	if w.Sure && w.Item.Pinned {
		// Every time: a rule holds the second time too.
		return Answer{Deny: fmt.Sprintf("recall: a rule that was pinned here forbids this (%s).\n%s\n"+
			"Only the user can lift it: recall edit, and remove [pinned] from its line.", w.Item.ID, statement(w, by))}, nil
	}
	if slices.Contains(m.Noted, w.Item.ID) {
		return out, nil
	}
	out.Context = strings.TrimSpace(out.Context + "\n\n" + note(w, by))
	return out, h.once(in.Session, m, ids)
}

// actionOf returns what to check of a tool call.
func actionOf(in Input) (check.Action, bool) {
	t := in.ToolInput
	switch in.Tool {
	case "Bash":
		return check.Action{Command: t.Command}, t.Command != ""
	case "Edit", "MultiEdit":
		return check.Action{Paths: []string{within(in.Cwd, t.Path)}, Old: t.Old, New: t.New}, t.Path != ""
	case "Write":
		return check.Action{Paths: []string{within(in.Cwd, t.Path)},
			Old: ingest.ReadStart(t.Path, 64<<10), New: t.Content}, t.Path != "" // existing content isn't new
	case "NotebookEdit":
		return check.Action{Paths: []string{within(in.Cwd, t.Notebook)}, New: t.NewSource}, t.Notebook != ""
	}
	return check.Action{}, false
}

// within returns a path relative to the session's folder if it is inside.
func within(dir, path string) string {
	if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return filepath.ToSlash(path)
}

// warned returns the one warning worth a note, or nil, and what may have replaced its item. It isn't one already
// given in this session, nor about the session's own item unless a tool is about to act against it.
func (h *Host) warned(ctx context.Context, in Input, m memo, act check.Action, prompt bool) (w *check.Warning,
	by payload.Doubt, ids []payload.ItemID, err error) {
	l, err := h.Library(LockWait)
	if err != nil {
		return nil, by, nil, err
	}
	at, ok, err := placeOf(l, in.Cwd)
	if err != nil || !ok {
		return nil, by, nil, err
	}
	act.Project = at.name // the index uses names
	x, err := h.Index(l)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, index.ErrRebuild) {
		return nil, by, nil, nil // the next sync makes it
	}
	if err != nil {
		return nil, by, nil, err
	}
	all, err := check.Against(ctx, x, act)
	if err != nil {
		return nil, by, nil, err
	}
	for i := range all {
		w := &all[i]
		said := slices.Contains(m.Noted, w.Item.ID)
		unwanted := prompt && (said || w.Session == in.Session) || !prompt && said && !(w.Sure && w.Item.Pinned) ||
			!isTrusted(&w.Item)
		if unwanted {
			continue
		}
		doubted, err := pipeline.Doubts(ctx, l, x, map[string]*payload.Payload{}, []payload.Item{w.Item})
		return w, doubted[w.Item.ID], sameSource(all, w), err
	}
	return nil, by, nil, nil
}

// sameSource lists the items covered by a warning: those with the same words of the same turn, such as a rule and
// the file it is about, and those that speak against the action for the same name: "no Redis", said three times, is
// told once.
func sameSource(all []check.Warning, w *check.Warning) []payload.ItemID {
	var ids []payload.ItemID
	for _, o := range all {
		same := o.Item.ID == w.Item.ID || o.Session == w.Session && o.Quote() == w.Quote() && o.Quote() != "" ||
			o.Name == w.Name && o.Name != ""
		if same {
			ids = append(ids, o.Item.ID)
		}
	}
	return ids
}

// note words a warning in a few lines: what, why, when, and where to check.
func note(w *check.Warning, by payload.Doubt) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<!-- recall %s -->\n", w.Item.ID)
	if w.Reason == check.Repeats {
		b.WriteString("Note from recall: this looks like something that was tried or considered here and ruled out.\n")
	} else {
		b.WriteString("Note from recall: this looks like it goes against something that was settled here.\n")
	}
	fmt.Fprintf(&b, "- %s\n", statement(w, by))
	if q := text.Clip(plain(w.Quote()), 200); q != "" && q != plain(w.Item.Text) {
		fmt.Fprintf(&b, "- its source: “%s”\n", q)
	}
	fmt.Fprintf(&b, "- to check: recall why %s; if it no longer holds, say so and go on\n<!-- /recall -->", w.Item.ID)
	return b.String()
}

// statement words an item as a record with date, session and reason, and what may have replaced it.
func statement(w *check.Warning, by payload.Doubt) string {
	it := w.Item
	said := plain(it.Text)
	if it.Kind == payload.File {
		said = plain(strings.TrimSpace(it.Path + " " + it.Text))
	}
	out := answer.Record(it, w.SessionN) + overtaken(&it, by) + ": " + text.Clip(said, 300)
	if why := plain(it.Why); why != "" {
		out += " — because " + text.Clip(why, 200)
	}
	return out
}
