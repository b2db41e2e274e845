package check

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"
	"time"

	"recall/index"
	"recall/ingest/trace"
	"recall/internal/text"
)

// isAmong reports whether a path is one of some files, or in one, or holds one.
func isAmong(p string, files []string) bool {
	return slices.ContainsFunc(files, func(other string) bool { return within(other, p) || within(p, other) })
}

// filesIn returns the files and folders that a command or a sentence names.
func filesIn(said string) (files []string) {
	for word := range strings.FieldsSeq(said) {
		if word = strings.Trim(word, "`\"'.,;:()"); strings.Contains(word, "/") || trace.LooksLikePath(word) {
			files = append(files, word)
		}
	}
	for _, m := range folders().FindAllStringSubmatch(said, -1) {
		files = append(files, m[1]+m[2]+m[3])
	}
	return files
}

// folders matches folders by what they are called, and files that have no ending.
var folders = text.Pattern(`(?i)\b([\w.-]+) (?:folder|directory|dir)\b|` +
	`\b(?:ordner|verzeichnis|dossier|carpeta) ([\w.-]+)|` +
	`\b((?:Make|Docker|Jenkins|Gem|Proc|Just|Rake|Vagrant)file|LICENSE|CODEOWNERS)\b`)

// within reports whether a path is a file or folder, or in it.
func within(p, other string) bool {
	p, other = path.Clean(strings.ReplaceAll(p, `\`, "/")), path.Clean(strings.ReplaceAll(other, `\`, "/"))
	other = cmp.Or(strings.TrimSuffix(other, "/*"), other)
	return p == other || strings.HasPrefix(p, other+"/") || strings.HasSuffix(p, "/"+other) ||
		strings.Contains("/"+p, "/"+other+"/")
}

// Lifted reports whether a file that an order, said then in a session, tells to leave alone was changed in a later
// one of its project: whoever let that pass has lifted it, unless it is never to be changed.
func Lifted(ctx context.Context, x *index.Index, at index.Place, order string, said time.Time) (is bool, err error) {
	if forever().MatchString(order) {
		return false, nil
	}
	for _, name := range leftAlone(order) {
		touched, err := x.Files(ctx, name)
		if err != nil {
			return false, err
		}
		is = is || slices.ContainsFunc(touched, func(t index.FileTouch) bool {
			changed := slices.Contains(t.Hows, trace.Edit) || slices.Contains(t.Hows, trace.Create)
			return changed && t.Project == at.Project && t.Session != at.Session && t.At.After(said) &&
				within(t.Path, name)
		})
	}
	return is, nil
}

var forever = text.Pattern(`(?i)\b(?:never|nie|niemals|jamais|nunca|ever|always|immer)\b`)
