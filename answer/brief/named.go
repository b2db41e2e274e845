package brief

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"recall/hint"
	"recall/library"
)

// usualBudget is how many tokens a brief takes at most where nobody says.
const usualBudget = 8000

// Named is the brief that is asked for: kept under a name, with further files, or else anew, its task and its files.
// What is to be saved names all its files.
func Named(l *library.Library, use, project string, save bool, args []string) (library.Brief, error) {
	b := library.Brief{Project: project, Budget: usualBudget}
	if use != "" {
		all, err := l.Briefs()
		if err != nil {
			return b, err
		}
		i := slices.IndexFunc(all, func(b library.Brief) bool { return b.Name == use })
		if i < 0 {
			return b, hint.With(fmt.Errorf("%q: no brief goes by that name", use),
				"recall prepare --list has the names")
		}
		b = all[i]
		if project != "" {
			b.Project = project
		}
	} else {
		b.Task, args = args[0], args[1:]
	}
	for _, path := range matched(args) {
		if strings.Contains(path, "://") {
			return b, hint.With(fmt.Errorf("%s: recall fetches nothing from the network", path),
				"pipe it in: curl -s URL | recall prepare \"TASK\" -")
		}
		if path != Piped {
			var err error
			if path, err = filepath.Abs(path); err != nil {
				return b, err
			}
		}
		if !slices.Contains(b.Files, path) {
			b.Files = append(b.Files, path)
		}
	}
	if save && slices.Contains(b.Files, Piped) {
		return b, hint.With(errors.New("prepare: what is piped in isn't kept with a brief"),
			"save it in a file and name that, or omit --save")
	}
	if strings.TrimSpace(b.Task) == "" {
		return b, hint.With(errors.New("prepare: an empty task"),
			`like this: recall prepare "make the retry policy per tenant"`)
	}
	return b, nil
}

// matched fills in names with wildcards, which not every shell does.
func matched(args []string) []string {
	var paths []string
	for _, arg := range args {
		found, err := filepath.Glob(arg)
		if _, there := os.Lstat(arg); there == nil || err != nil || len(found) == 0 {
			found = []string{arg}
		}
		paths = append(paths, found...)
	}
	return paths
}

// CheckBudget refuses a budget that makes no brief.
func CheckBudget(tokens int) error {
	if tokens < 200 || tokens > 200_000 {
		return hint.With(fmt.Errorf("--budget %d: not from 200 to 200000", tokens), "omit it for %d", usualBudget)
	}
	return nil
}
