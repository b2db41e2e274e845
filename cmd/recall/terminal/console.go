package terminal

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"reflect"
	"runtime"
	"slices"
	"strings"

	"recall/answer"
	"recall/ingest"
	"recall/internal/escape"
	"recall/internal/hint"
	txt "recall/internal/text"
	"recall/pipeline"
)

// Console is where one run reads and prints: results to Out, all else to Err.
type Console struct {
	In       io.Reader
	Out, Err io.Writer
	Color    bool

	hinted string // the last hint printed
}

// PrintJSON prints a value for programs.
func (c *Console) PrintJSON(v any) error {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(Presentable(reflect.ValueOf(v), false).Interface()); err != nil {
		return err
	}
	return c.WriteJSON(b.String())
}

// WriteJSON prints a document that is already JSON.
func (c *Console) WriteJSON(doc string) error {
	_, err := io.WriteString(c.Out, escape.Text(doc, escape.JSON))
	return err
}

// Page returns a page for the standard output, with its width and colours.
func (c *Console) Page() Page {
	return Page{W: c.Out, St: Styles(c.Color), Width: Width(c.Out)}
}

// Form prints a document with the named form.
func (c *Console) Form(name string, doc any) {
	p := c.Page()
	p.Form(name, doc)
}

// Confirm asks on a terminal; elsewhere, and on Ctrl-C, the answer is no.
func (c *Console) Confirm(ctx context.Context, question string) bool {
	if !IsTerminal(c.Out) {
		return false
	}
	fmt.Fprintf(c.Err, "%s [y/N] ", question)
	line, _ := ReadLine(ctx, c.In)
	line = strings.ToLower(line)
	return line == "y" || line == "yes"
}

// RequireYes asks for confirmation, unless yes was given with a flag; why explains what needs it.
func (c *Console) RequireYes(ctx context.Context, yes bool, why, question string) error {
	switch {
	case yes:
		return nil
	case !IsTerminal(c.Out):
		return hint.With(fmt.Errorf("%s, but there is no terminal to ask on", why), "confirm with --yes")
	case !c.Confirm(ctx, question):
		return cmp.Or(ctx.Err(), errors.New("nothing was done"))
	}
	return nil
}

// Copy puts a text on the clipboard; as says what to paste it as.
func (c *Console) Copy(text, as string) error {
	if err := toClipboard(text); err != nil {
		return fmt.Errorf("clipboard: %w", err)
	}
	fmt.Fprintln(c.Err, "recall: copied; paste it", as)
	return nil
}

// CopyOrPrint is Copy, but prints the text if there is no clipboard.
func (c *Console) CopyOrPrint(text, as string) error {
	err := c.Copy(text, as)
	if err == nil {
		return nil
	}
	if IsTerminal(c.Out) {
		fmt.Fprintf(c.Err, "recall: %v; here it is:\n", err)
	}
	return c.Print(text)
}

// Print prints a text unchanged.
func (c *Console) Print(text string) error {
	_, err := fmt.Fprint(c.Out, text)
	return err
}

// Tell prints a message on stderr.
func (c *Console) Tell(format string, args ...any) {
	fmt.Fprintf(c.Err, "recall: "+format+"\n", args...)
}

// SayHint prints the hint of an error, unless it was the last one printed.
func (c *Console) SayHint(err error) {
	if way := hint.Of(err); way != "" && way != c.hinted {
		fmt.Fprintf(c.Err, "recall: hint: %s\n", Visible(way))
		c.hinted = way
	}
}

// Launch runs another program on this terminal.
func (c *Console) Launch(ctx context.Context, words ...string) error {
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = c.In, Own(c.Out), Own(c.Err)
	return cmd.Run()
}

// ReportParts words what a sync, an archive or one pass of a watch did.
func ReportParts(r pipeline.Report) []string {
	var parts []string
	if r.Found > 0 {
		parts = append(parts, answer.Count(r.Found, "session")+" found")
	}
	parts = append(parts, txt.Counts("new|of them prompts only: their transcript is gone|grown|kept, with a source "+
		"that is shorter now|whose bytes were gone archived again|vanished at the source|distilled|edited by hand", r.New,
		r.Salvaged, r.Grown, r.Shrunk, r.Again, r.Vanished, r.Distilled, r.Edited)...)
	if r.New+r.Grown+r.Shrunk+r.Again+r.Vanished+r.Distilled == 0 {
		parts = append(parts, "nothing new")
	}
	if r.Bytes > 0 {
		parts = append(parts, txt.Size(r.Bytes)+" archived")
	}
	return append(parts, txt.Counts("left out (recall status)|left for the next time|skipped", r.Excluded, r.Left,
		len(r.Problems))...)
}

// PrintReport prints what was done on one line, then what failed.
func (c *Console) PrintReport(r pipeline.Report) {
	page := struct {
		pipeline.Report
		Did   []string
		Lines int      // unreadable ones
		Types []string // that aren't known
	}{Report: r, Did: ReportParts(r)}
	for _, u := range r.Unread {
		page.Lines += u.Lines
	}
	for _, name := range slices.Sorted(maps.Keys(r.Unknown)) {
		page.Types = append(page.Types, fmt.Sprintf("%s (%d)", Line(name), r.Unknown[name]))
	}
	c.Form("report", page)
	c.printProblems(r.Problems, "recall sync --json") // init has no --json
}

// PrintProblems lists what was skipped.
func (c *Console) PrintProblems(problems []ingest.Problem) { c.printProblems(problems, "--json") }

const mostProblems = 20

func (c *Console) printProblems(problems []ingest.Problem, all string) {
	for _, p := range problems[:min(len(problems), mostProblems)] {
		fmt.Fprintf(c.Err, "recall: skipped: %s: %s\n", Line(ShownPath(p.Path)), Line(ShownPath(p.Reason())))
	}
	if more := len(problems) - mostProblems; more > 0 {
		fmt.Fprintf(c.Err, "recall: … and %d more; %s lists all\n", more, all)
	}
	for _, p := range problems {
		if hint.IsFull(p.Err) {
			c.SayHint(p.Err)
		}
	}
}

// Unsearched words that sessions came from a folder which isn't searched.
func Unsearched(u pipeline.Unsearched) string {
	changed := ""
	if u.Behind > 0 {
		changed = fmt.Sprintf(", %d changed there since", u.Behind)
	}
	return fmt.Sprintf("%s: %s isn't searched; %s came from there%s (recall sync --from imports it, sources.%s has it "+
		"searched)", u.Source, Line(ShownPath(u.Folder)), answer.Count(u.Sessions, "session"), changed,
		strings.ReplaceAll(string(u.Source), "-", "_"))
}

// OpenBrowser opens a link in the person's browser if there is one to be seen here: not over ssh, nor
// without a display. On Linux other users of the machine can read the link in the command's arguments.
func OpenBrowser(link string) {
	var c *exec.Cmd
	switch {
	case os.Getenv("SSH_CONNECTION") != "":
		return
	case runtime.GOOS == "darwin":
		c = exec.Command("osascript") // which is told by its input, out of sight
		c.Stdin = strings.NewReader(`open location "` + link + `"`)
	case runtime.GOOS == "windows":
		c = exec.Command("rundll32", "url.dll,FileProtocolHandler", link)
	case os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "":
		return
	default:
		c = exec.Command("xdg-open", link)
	}
	if c.Start() == nil {
		go c.Wait()
	}
}
