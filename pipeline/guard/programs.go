package guard

import (
	"path/filepath"
	"slices"
	"strings"

	"recall/internal/text"
)

// What programs do to the files that their words name.

// emptiers take files away as removers do, besides what else they do. Both count as an argument of another program,
// too: sudo, xargs, find -exec, gio.
var emptiers = text.Set(`srm truncate rsync rimraf del-cli -delete --remove-files`)

// onlyRead are programs that run no text or file that they are given.
var onlyRead = text.Set(`cat ls less more head tail grep rg wc file stat diff echo printf git gh chmod`)

// givenPaths are programs that remove what their input or their folder holds.
var givenPaths = text.Set(`xargs parallel find git`)

// overwritten returns which words of a command name files that it replaces.
func overwritten(args []string) []string {
	rest := args[1:]
	switch filepath.Base(args[0]) {
	case "cp", "ln", "install":
		return rest[max(0, len(rest)-1):]
	case "dd":
		for _, word := range rest {
			if name, ok := strings.CutPrefix(word, "of="); ok {
				return []string{name}
			}
		}
	default:
		name := filepath.Base(args[0])
		does := func(word string) bool { return rewrites().MatchString(name + " " + word) }
		doesNot := func(word string) bool { return keeps().MatchString(name + " " + word) }
		if slices.ContainsFunc(rest, does) && !slices.ContainsFunc(rest, doesNot) {
			return rest
		}
	}
	return nil
}

// Options with which a program replaces the files that it is given, or doesn't.
var (
	rewrites = text.Pattern(`^((sed|perl|ruby) -([pnlaeEs]*i|-in-place)|g?awk inplace$|(zstd|lz4) --rm$|` +
		`(tee|sponge|ed|ex|gzip|pigz|bzip2|xz|lzma|compress) |sqlite3 (?is:.*\b(delete|drop|update|replace)\b))`)
	keeps = text.Pattern(`^((tee|sponge) -(a|-append)|` +
		`(gzip|pigz|bzip2|xz|lzma) -(\w*[cklt]|-stdout|-keep|-list|-test))`)
)

// takesUntracked matches commands that take away what is in a folder beside what git keeps of it.
var takesUntracked = text.Pattern(`^git (.* )?(clean|stash (.* )?(-u|-a|--include-untracked|--all))( |$)`)

// touched lists the words of a command that may name what it takes away: what rsync copies from stays, unless it is
// told otherwise.
func touched(args []string) []string {
	takes := func(word string) bool { return strings.HasPrefix(word, "--remove-s") }
	if filepath.Base(args[0]) != "rsync" || slices.ContainsFunc(args, takes) {
		return args
	}
	into := slices.DeleteFunc(slices.Clone(args), func(word string) bool { return strings.HasPrefix(word, "-") })
	return into[len(into)-1:]
}
