package app

import (
	"encoding/json"
	"io"
	"reflect"
	"strings"

	"recall/cmd/recall/terminal"
	"recall/sink"
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

// WriteJSON prints a document that is JSON already.
func (a *App) WriteJSON(doc string) error {
	_, err := io.WriteString(a.Out, sink.Text(doc, sink.JSON))
	return err
}

// Show prints a document, for programs or as a page for people. Where there is nothing in
// it the exit code says so.
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

// Page is a page on the standard output, as wide and coloured as that is.
func (a *App) Page() terminal.Page {
	return terminal.Page{W: a.Out, St: terminal.Styles(a.Color), Width: terminal.Width(a.Out)}
}
