package guard

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"recall/internal/hint"
	"recall/internal/text"
	"recall/library/disk"
)

// opaque are programs whose arguments don't show what they work on, even behind other programs: env sh -c …, find
// -exec bash ….
var opaque = text.Pattern(`^(sh|bash|zsh|dash|ash|ksh|fish|cmd|powershell|pwsh|xargs|parallel|eval|` +
	`python[0-9.]*|perl|ruby|node|ssh|docker)$`)

// removers are programs whose arguments are all files and folders: one that doesn't exist is nothing to lose.
var removers = text.Set(`rm rmdir unlink shred mv trash trash-put del rd`)

// Plain rejects paths that a shell should have expanded and didn't: they don't exist, and guard would call them
// safe.
func Plain(paths []string) error {
	for _, path := range paths {
		if path == "" {
			return hint.With(errors.New("a path is empty"), "is the variable set?")
		}
		if _, err := os.Lstat(path); err != nil && strings.ContainsAny(path, "*?[") {
			return hint.With(fmt.Errorf("%s doesn't exist under that exact name", path),
				"in quotes the shell doesn't expand * and ?; name the folder")
		}
	}
	return nil
}

// Renames reports whether a command run in a folder only gives files other names on their volume, which loses nothing
// but a file that had a new name before: overwritten lists those.
func Renames(command []string, dir string) (overwritten []string, ok bool) {
	if len(command) == 0 || filepath.Base(command[0]) != "mv" {
		return nil, false
	}
	var names []string
	for _, word := range command[1:] {
		switch {
		case strings.HasPrefix(word, "-t"), strings.HasPrefix(word, "--t"): // the target comes first
			return nil, false
		case word != "" && !strings.HasPrefix(word, "-"):
			if !filepath.IsAbs(word) {
				word = filepath.Join(dir, word)
			}
			names = append(names, word)
		}
	}
	if len(names) < 2 {
		return nil, false
	}
	target := names[len(names)-1]
	into, err := os.Stat(target)
	for _, from := range names[:len(names)-1] {
		to := target
		if err == nil && into.IsDir() {
			to = filepath.Join(target, filepath.Base(from))
		}
		if !disk.SameVolume(from, filepath.Dir(to)) {
			return nil, false
		}
		if disk.Exists(to) {
			overwritten = append(overwritten, to)
		}
	}
	return overwritten, true
}

// PathsOf lists the files and folders that a command's arguments name, without those that it only renames.
func PathsOf(command []string) ([]string, error) {
	if overwritten, ok := Renames(command, "."); ok {
		return overwritten, nil
	}
	var paths []string
	remover := false
	for i, word := range command {
		name := strings.TrimSuffix(filepath.Base(word), ".exe")
		if first := i == 0 || i == 1 && filepath.Base(command[0]) == "sudo"; first && removers[name] {
			remover = true
			continue
		}
		if !remover && opaque().MatchString(name) {
			return nil, hint.With(fmt.Errorf("the arguments of %q don't show what it will touch",
				word), "name the folders: recall guard FOLDER --run -- %s …", command[0])
		}
		if i == 0 {
			continue
		}
		_, err := os.Lstat(word)
		if _, value, ok := strings.Cut(word, "="); ok && err != nil {
			word = value
			_, err = os.Lstat(word)
		}
		if word != "" && (err == nil || remover && !strings.HasPrefix(word, "-")) {
			paths = append(paths, word)
		}
	}
	return paths, nil
}
