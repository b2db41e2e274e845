package distill

import (
	"path"
	"slices"
	"strings"

	"recall/ingest/trace"
	"recall/internal/text"
)

// Staged reports whether git's next commit has a file, by its name in the project, after a command before which it had
// it or not.
func Staged(roots []string, st *trace.Step, name string, had bool) bool {
	dir, args := st.Git()
	if len(args) == 0 {
		return had
	}
	flags := func(s string) bool { return strings.HasPrefix(s, "-") && len(s) > 1 }
	named := slices.ContainsFunc(args[1:], func(arg string) bool {
		p := trace.Absolute(dir, arg)
		return !flags(arg) && p != "" && IsIn(roots, name, p)
	})
	switch args[0] {
	case "add", "commit":
		if slices.ContainsFunc(args, wholeTree().MatchString) {
			return had || !path.IsAbs(name)
		}
		return had || named && args[0] == "add"
	case "restore":
		return had && !(named && slices.Contains(args, "--staged"))
	case "reset":
		whole := !slices.ContainsFunc(args[1:], func(arg string) bool { return !flags(arg) && arg != "HEAD" })
		return had && !named && !whole
	}
	return had
}

// wholeTree matches the flags of git add and git commit that take all files that were changed.
var wholeTree = text.Pattern(`^(?:-A|--all|-u|--update|-[a-z]*a[a-z]*)$`)

// IsIn reports whether a file by its name in the project is one of some path, or in a folder of that.
func IsIn(roots []string, name, of string) bool {
	below := strings.TrimSuffix(FileName(roots, strings.TrimSuffix(strings.TrimSuffix(of, "/."), "/")+"/."), ".")
	within := strings.HasPrefix(name, below) && (below != "" || !path.IsAbs(name))
	return within || name == FileName(roots, of)
}
