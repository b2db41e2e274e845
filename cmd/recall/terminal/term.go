// Package terminal produces what a person sees: width, colours, wrapped lines, progress and the layout of
// documents. All output passes through package sink. It knows no command.
package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rivo/uniseg"
	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"recall/ingest"
	"recall/internal/escape"
	"recall/internal/hint"
	"recall/internal/redact"
	txt "recall/internal/text"
	"recall/pipeline"
)

// IsTerminal reports whether w is a person's screen rather than a file or pipe.
func IsTerminal(w io.Writer) bool {
	f, ok := Own(w).(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// ColorOn reports whether output to w should be coloured: on a terminal, unless NO_COLOR is set (https://no-color.org:
// to any non-empty value).
func ColorOn(w io.Writer) bool {
	return IsTerminal(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// Width returns the number of columns of w: COLUMNS, else the terminal's width, limited to 40 to 128; else 100.
func Width(w io.Writer) int {
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return max(40, min(n, 128))
	}
	if f, ok := Own(w).(*os.File); ok {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 0 {
			return max(40, min(n, 128))
		}
	}
	return 100
}

// ReadLine returns what a person types up to Enter, and reads no further. If ctx ends first, the unanswered read lasts
// until the process ends.
func ReadLine(ctx context.Context, in io.Reader) (line string, err error) {
	type answer struct {
		line string
		err  error
	}
	came := make(chan answer, 1)
	go func() {
		line, err := lineOf(in)
		came <- answer{line, err}
	}()
	select {
	case a := <-came:
		return a.line, a.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

func lineOf(in io.Reader) (string, error) {
	var line []byte
	for b := make([]byte, 1); ; line = append(line, b[0]) {
		if _, err := io.ReadFull(in, b); err != nil || b[0] == '\n' {
			return strings.TrimSpace(string(line)), err
		}
	}
}

// Style holds the terminal's escape sequences, empty if colour is off.
type Style struct{ Bold, Dim, Green, Red, Yellow, Reset string }

func Styles(on bool) Style {
	if !on {
		return Style{}
	}
	return Style{Bold: "\x1b[1m", Dim: "\x1b[2m", Green: "\x1b[32m", Red: "\x1b[31m", Yellow: "\x1b[33m",
		Reset: "\x1b[0m"}
}

// progress shows the progress of long work and the time left, on a terminal only.
type progress struct {
	w     io.Writer
	stage string
	bar   *progressbar.ProgressBar
}

func NewProgress(w io.Writer) *progress { return &progress{w: Own(w)} }

func (p *progress) Show(at pipeline.Progress) {
	if !IsTerminal(p.w) || at.Total < 3 {
		return
	}
	if at.Stage != p.stage {
		p.Done()
		p.stage = at.Stage
		p.bar = progressbar.NewOptions(at.Total, progressbar.OptionSetWriter(p.w),
			progressbar.OptionSetDescription(fmt.Sprintf("%-8s", at.Stage)), progressbar.OptionShowCount(),
			progressbar.OptionSetPredictTime(true), progressbar.OptionThrottle(100e6),
			progressbar.OptionClearOnFinish(),
		)
	}
	p.bar.Set(at.Done)
}

func (p *progress) Done() {
	if p.bar != nil {
		p.bar.Finish()
		p.bar = nil
	}
	p.stage = ""
}

// Counts returns a callback that shows the progress of one stage.
func (p *progress) Counts(stage string) func(done, total int) {
	return func(done, total int) { p.Show(pipeline.Progress{Stage: stage, Done: done, Total: total}) }
}

// Line makes untrusted text safe to print as one line on the terminal.
func Line(s string) string { return escape.Line(s, escape.Terminal) }

// Visible is Line for text of several lines.
func Visible(s string) string { return escape.Text(s, escape.Terminal) }

// Wrap breaks text into lines of at most n columns: at spaces, and also between letters that are two columns wide, as
// in Chinese and Japanese. A longer word gets its own line.
func Wrap(text string, n int) []string {
	n = max(n, 20)
	var lines []string
	line, length := "", 0
	for _, word := range strings.Fields(text) {
		space := 0
		if line != "" {
			space = 1
		}
		for i, piece := range pieces(word, n-length-space) {
			w := Columns(piece)
			if i > 0 {
				space = 0
			}
			switch {
			case line == "":
				line, length = piece, w
			case length+space+w > n:
				lines = append(lines, line)
				line, length = piece, w
			default:
				line += strings.Repeat(" ", space) + piece
				length += space + w
			}
		}
	}
	if line != "" || len(lines) == 0 {
		lines = append(lines, line)
	}
	return lines
}

// pieces splits a word with wide letters that doesn't fit into room columns, wherever Unicode allows a line break.
func pieces(word string, room int) []string {
	if Columns(word) <= room || !strings.ContainsFunc(word, func(r rune) bool { return Columns(string(r)) == 2 }) {
		return []string{word}
	}
	var out []string
	for piece, rest, state := "", word, -1; rest != ""; out = append(out, piece) {
		piece, rest, _, state = uniseg.FirstLineSegmentInString(rest, state)
	}
	return out
}

// Clip shortens a text to n columns, but no less than twelve, cutting between grapheme clusters.
func Clip(s string, n int) string {
	if n = max(n, 12); Columns(s) <= n {
		return s
	}
	end, left := 0, n-1
	for rest, state := s, -1; ; {
		var letter string
		var width int
		letter, rest, width, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if left -= width; left < 0 {
			return txt.Cut(s, end)
		}
		end += len(letter)
	}
}

// Columns returns how many columns a text takes on a terminal.
func Columns(s string) int { return uniseg.StringWidth(s) }

// NoSuchFile words the error about a path that was given: plainly, if nothing is there.
func NoSuchFile(name string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return hint.With(fmt.Errorf("%s: no such file or folder", name),
			"give the path of a transcript or of a folder with transcripts")
	}
	return fmt.Errorf("%s: %w", name, err)
}

// Waits words how many sessions are waiting.
func Waits(n int) string {
	return map[bool]string{true: "1 session waits", false: fmt.Sprintf("%d sessions wait", n)}[n == 1]
}

// Elapsed rounds a duration for display.
func Elapsed(d time.Duration) string {
	if d < time.Second {
		return d.Round(time.Millisecond).String()
	}
	return d.Round(100 * time.Millisecond).String()
}

// ShownPath redacts a path of this machine for printing. Claude Code names a transcript's folder after the working
// directory, whose name might contain a secret, and an agent might read what is printed.
func ShownPath(path string) string {
	return ingest.MapPath(path, redact.New().Name)
}

func ShowEach(paths []string, show func(string) string) []string {
	paths = slices.Clone(paths)
	for i := range paths {
		paths[i] = show(paths[i])
	}
	return paths
}

// ResumeCommand returns the command line that continues a restored session; "" if its client has no such command.
func ResumeCommand(r pipeline.RestorePlan) string {
	words, env := r.Resume()
	if words == nil {
		return ""
	}
	line := escape.Shell(words...)
	for _, set := range env {
		name, value, _ := strings.Cut(set, "=")
		line = name + "=" + escape.Shell(value) + " " + line
	}
	if r.Dir != "" {
		line = "cd " + escape.Shell(ShownPath(r.Dir)) + " && " + line
	}
	return line
}
