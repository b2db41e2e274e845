package guard

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"recall/internal/hint"
	"recall/internal/text"
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

// PathsOf lists the files and folders that a command's arguments name.
func PathsOf(command []string) ([]string, error) {
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
