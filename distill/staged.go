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
	whole := slices.ContainsFunc(args, wholeTree().MatchString) && !path.IsAbs(name)
	names := operands(args)
	named := slices.ContainsFunc(names, func(arg string) bool {
		p := trace.Absolute(dir, arg)
		return p != "" && IsIn(roots, name, p)
	})
	switch args[0] {
	case "commit":
		return had || whole
	case "add":
		return had || named || whole && len(names) == 0
	case "mv":
		return had || named
	case "restore":
		return had && !(named && (slices.Contains(args, "--staged") || slices.Contains(args, "-S")))
	case "reset":
		files := slices.ContainsFunc(names, func(arg string) bool { return !strings.HasPrefix(arg, "HEAD") })
		return had && (slices.Contains(args, "--soft") || files && !named)
	}
	return had
}

// addsUnknown reports whether a command adds to git's next commit what nobody knows: in a folder, by a pattern or from
// a list that isn't told.
func addsUnknown(st *trace.Step) bool {
	dir, args := st.Git()
	if len(args) == 0 || args[0] != "add" {
		return false
	}
	names := operands(args)
	unknown := func(arg string) bool { return trace.Absolute(dir, arg) == "" || strings.ContainsAny(arg, "*?[:") }
	return slices.ContainsFunc(names, unknown) || len(names) == 0 && !slices.ContainsFunc(args, wholeTree().MatchString)
}

// operands returns the arguments of git's command that are no flags.
func operands(args []string) []string {
	return slices.DeleteFunc(slices.Clone(args[1:]), func(arg string) bool {
		return strings.HasPrefix(arg, "-") && len(arg) > 1
	})
}

// wholeTree matches the flags of git add and git commit that take all files that were changed.
var wholeTree = text.Pattern(`^(?:-A|--all|-u|--update|-[a-z]*a[a-z]*)$`)

// IsIn reports whether a file by its name in the project is one of some path, or in a folder of that.
func IsIn(roots []string, name, of string) bool {
	below := strings.TrimSuffix(FileName(roots, strings.TrimSuffix(strings.TrimSuffix(of, "/."), "/")+"/."), ".")
	within := strings.HasPrefix(name, below) && (below != "" || !path.IsAbs(name))
	return within || name == FileName(roots, of)
}
