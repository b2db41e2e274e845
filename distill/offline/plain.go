package offline

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"recall/distill"
	"recall/ingest"
	"recall/internal/text"
	"recall/payload"
)

var (
	mdLink   = text.Pattern(`!?\[([^\]\n]+)\]\((?:[^()\s]|\([^()]*\))+\)`)
	mdEm     = text.Pattern(`(^|[\s("'—–-])[*_]([^*_\n` + "`" + `]+?)[*_]([\s.,;:!?)"'—–-]|$)`)
	emphasis = strings.NewReplacer("**", "", "~~", "")
)

// plain renders a piece of Markdown as plain words on one line. Code marks stay, because they tell names from words.
func plain(s string) string {
	if strings.ContainsAny(s, "[~*_") { // most sentences have none
		if strings.Contains(s, "](") {
			s = mdLink().ReplaceAllString(s, "$1")
		}
		if s = emphasis.Replace(s); strings.IndexAny(s, "*_") != strings.LastIndexAny(s, "*_") {
			s = mdEm().ReplaceAllString(s, "$1$2$3")
		}
	}
	s = text.OneLine(s)
	if s == "" || s[0] < utf8.RuneSelf {
		return s
	}
	return strings.TrimLeftFunc(s, func(r rune) bool {
		return r == ' ' || r == '•' || r > unicode.MaxLatin1 && (unicode.IsSymbol(r) || unicode.IsMark(r))
	})
}

// cite makes evidence of a range of a turn's text.
func cite(t *ingest.Turn, text string, from, to int) payload.Evidence {
	return payload.Evidence{Turn: string(t.ID), N: t.N, Quote: clip(text[from:to])}
}

// clip cuts a verbatim text to the length of evidence.
func clip(s string) string { return text.HeadWords(strings.TrimSpace(s), distill.MaxQuote) }

// about lists the paths and symbols that a statement names, at most six.
func about(said string) []string {
	var out []string
	for w := range strings.FieldsFuncSeq(said, func(r rune) bool {
		return unicode.IsSpace(r) || r >= '⺀' && (text.Unspaced(r) || strings.ContainsRune("。，、；：！？「」『』（）", r))
	}) {
		name := strings.TrimRight(strings.Trim(w, "`\"'“”‘’()[]{}<>,;:!?*…"), ".")
		noName := len(name) < 3 || !looksLikePath(name) && !looksLikeName(w) || strings.Contains(name, "://") ||
			strings.Contains(name, "`")
		if noName {
			continue
		}
		if out = appendNew(out, name); len(out) == 6 {
			break
		}
	}
	return out
}

func appendNew(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

// looksLikeName reports whether a word is a path, flag, symbol or version.
func looksLikeName(w string) bool {
	w = strings.Trim(w, "\"'()[]{}<>,;:.!?…“”‘’")
	if strings.HasPrefix(w, "`") || strings.HasPrefix(w, "--") {
		return true
	}
	small, hump := false, false
	for i, r := range w {
		switch {
		case strings.ContainsRune("_/\\=@.", r) && i > 0 && i < len(w)-1:
			return true
		case unicode.IsUpper(r):
			hump = hump || i > 0
		case unicode.IsLower(r):
			small = true
		}
	}
	return hump && small
}
