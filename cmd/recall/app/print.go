package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"recall/answer"
	"recall/cmd/recall/terminal"
	"recall/internal/escape"
	"recall/internal/hint"
	txt "recall/internal/text"
	"recall/library"
	"recall/library/disk"
	"recall/payload"
	"recall/pipeline"
	"recall/pipeline/notes"
	"recall/pipeline/review"
)

// PrintJSON prints a value for programs.
func (a *App) PrintJSON(v any) error {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(terminal.Presentable(reflect.ValueOf(v), false).Interface()); err != nil {
		return err
	}
	return a.WriteJSON(b.String())
}

// WriteJSON prints a document that is already JSON.
func (a *App) WriteJSON(doc string) error {
	_, err := io.WriteString(a.Out, escape.Text(doc, escape.JSON))
	return err
}

// Show prints a document, as JSON or as a page. If nothing is set, it returns the exit code for that.
func (a *App) Show(doc any, asJSON, nothing bool, print func(p *terminal.Page)) error {
	if asJSON {
		if err := a.PrintJSON(doc); err != nil {
			return err
		}
	} else {
		page := a.Page()
		print(&page)
	}
	if nothing {
		return ExitCode(ExitNothing)
	}
	return nil
}

// Page returns a page for the standard output, with its width and colours.
func (a *App) Page() terminal.Page {
	return terminal.Page{W: a.Out, St: terminal.Styles(a.Color), Width: terminal.Width(a.Out)}
}

// Form prints a document with the named form.
func (a *App) Form(name string, doc any) {
	p := a.Page()
	p.Form(name, doc)
}

// ReportParts words what a sync, an archive or one pass of a watch did.
func ReportParts(r pipeline.Report) []string {
	var parts []string
	if r.Found > 0 {
		parts = append(parts, answer.Count(r.Found, "session")+" found")
	}
	parts = append(parts, txt.Counts("new|of them salvaged: only what was typed is left|grown|vanished at their "+
		"source|distilled|edited by hand", r.New, r.Salvaged, r.Grown, r.Vanished, r.Distilled, r.Edited)...)
	if r.New+r.Grown+r.Vanished+r.Distilled == 0 {
		parts = append(parts, "nothing new")
	}
	if r.Bytes > 0 {
		parts = append(parts, txt.Size(r.Bytes)+" archived")
	}
	if r.Packed > 0 {
		parts = append(parts, fmt.Sprintf("%d compressed further (%s less)", r.Packed, txt.Size(r.Saved)))
	}
	return append(parts, txt.Counts("left out (recall status)|left for the next time|skipped", r.Excluded, r.Left,
		len(r.Problems))...)
}

// Confirm asks on a terminal; elsewhere, and on Ctrl-C, the answer is no.
func (a *App) Confirm(ctx context.Context, question string) bool {
	if !terminal.IsTerminal(a.Out) {
		return false
	}
	fmt.Fprintf(a.Err, "%s [y/N] ", question)
	line, _ := terminal.ReadLine(ctx, a.In)
	line = strings.ToLower(line)
	return line == "y" || line == "yes"
}

// RequireYes asks for confirmation, unless yes was given with a flag; why explains what needs it.
func (a *App) RequireYes(ctx context.Context, yes bool, why, question string) error {
	switch {
	case yes:
		return nil
	case !terminal.IsTerminal(a.Out):
		return hint.With(fmt.Errorf("%s, but there is no terminal to ask on", why), "confirm with --yes")
	case !a.Confirm(ctx, question):
		return cmp.Or(ctx.Err(), errors.New("nothing was done"))
	}
	return nil
}

// Copy puts a text on the clipboard; as says what to paste it as.
func (a *App) Copy(text, as string) error {
	if err := toClipboard(text); err != nil {
		return fmt.Errorf("clipboard: %w", err)
	}
	fmt.Fprintln(a.Err, "recall: copied; paste it", as)
	return nil
}

// CopyOrPrint is Copy, but prints the text if there is no clipboard.
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

// Print prints a text unchanged.
func (a *App) Print(text string) error {
	_, err := fmt.Fprint(a.Out, text)
	return err
}

// WriteNew writes a file for this user only, whole or not at all. It replaces an existing one only with force.
func WriteNew(path, text string, force bool) error {
	have, err := disk.ReadRegular(path, 1<<40)
	switch {
	case err == nil && string(have) == text:
		return nil
	case err == nil && !force:
		return hint.With(fmt.Errorf("%s already exists", path), "--force replaces it, or name another file")
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if force {
		if real, err := filepath.EvalSymlinks(path); err == nil { // keep a symbolic link
			path = real
		}
		return WriteWhole(path, []byte(text))
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) // one might have been created meanwhile
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		os.Remove(path)
	}
	return err
}

// FreeName returns the first of NAME.md, NAME-2.md, … that doesn't exist or already holds the text.
func FreeName(name, ext, text string) string {
	path := name + ext
	for n := 2; ; n++ {
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			return path
		}
		if old, err := disk.ReadRegular(path, review.MostHandoff); err == nil && string(old) == text {
			return path
		}
		path = fmt.Sprintf("%s-%d%s", name, n, ext)
	}
}

// PrintNotes prints an agent's notes that the transcript doesn't support: they become no items, but aren't lost.
func (a *App) PrintNotes(ctx context.Context, e library.Entry) error {
	lines, err := a.Lib.Notes(e.ID)
	if err != nil {
		return err
	}
	noted := payload.DecodeNotes(lines)
	if len(noted) == 0 {
		return nil
	}
	s, err := a.Read(ctx, e)
	if err != nil {
		return err
	}
	for _, n := range notes.GroundNotes(s, noted) {
		if n.Item == nil {
			fmt.Fprintf(a.Err, "recall: the agent noted, ungrounded (%s): %s: %s\n", n.Why, n.Note.Kind,
				txt.Clip(terminal.Line(n.Note.Text), 200))
		}
	}
	return nil
}
