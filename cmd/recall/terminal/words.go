package terminal

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"time"

	"recall/hint"
	"recall/ingest"
	"recall/pipeline"
	"recall/redact"
	"recall/sink"
)

// NoSuchFile says plainly that a file which was named isn't there.
func NoSuchFile(name string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return hint.With(fmt.Errorf("%s: no such file or folder", name),
			"give the path of a transcript or of a folder with transcripts")
	}
	return fmt.Errorf("%s: %w", name, err)
}

// Waits says how many sessions wait.
func Waits(n int) string {
	return map[bool]string{true: "1 session waits", false: fmt.Sprintf("%d sessions wait", n)}[n == 1]
}

// Elapsed rounds a time for people.
func Elapsed(d time.Duration) string {
	if d < time.Second {
		return d.Round(time.Millisecond).String()
	}
	return d.Round(100 * time.Millisecond).String()
}

// ShownPath is a path of this machine as it may be printed. Claude Code calls the
// folder of a transcript by the working directory, and that may be called by a
// secret; what is printed may be read by an agent.
func ShownPath(path string) string {
	return ingest.MapPath(path, shownRules().Session().Name)
}

func ShowEach(paths []string, show func(string) string) []string {
	paths = slices.Clone(paths)
	for i := range paths {
		paths[i] = show(paths[i])
	}
	return paths
}

var shownRules = sync.OnceValue(redact.New)

// Few shows the first of a list, and says how many more there are.
func Few[T any](list []T, most int, show func(T), more func(left int)) {
	for _, one := range list[:min(len(list), most)] {
		show(one)
	}
	if left := len(list) - most; left > 0 {
		more(left)
	}
}

// ResumeCommand is what a person types to go on with a session that was put back, "" where its client has no command.
func ResumeCommand(r pipeline.Restoring) string {
	words, env := r.Resume()
	if words == nil {
		return ""
	}
	for i, word := range words {
		words[i] = sink.Shell(word)
	}
	line := strings.Join(words, " ")
	for _, set := range env {
		name, value, _ := strings.Cut(set, "=")
		line = name + "=" + sink.Shell(value) + " " + line
	}
	if r.Dir != "" {
		line = "cd " + sink.Shell(ShownPath(r.Dir)) + " && " + line
	}
	return line
}
