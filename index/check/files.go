package check

import (
	"cmp"
	"path"
	"slices"
	"strings"

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
