package offline

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"recall/internal/text"
)

// keywords returns the stems of the words that say what a text is about.
func keywords(s string) text.Bag { return firstKeywords(s, math.MaxInt) }

// tells reports whether a text has so many keywords; without spaces, two pairs of characters are about one.
func tells(s string, least int) bool {
	halves := 0
	for w := range firstKeywords(s, 2*least) {
		if halves += 2; strings.ContainsFunc(w, text.Unspaced) {
			halves--
		}
	}
	return halves >= 2*least
}

func firstKeywords(s string, most int) text.Bag {
	words := text.Bag{}
	text.Each(s, func(w string) bool {
		says := len(w) > 1 || w[0] >= '0' && w[0] <= '9'
		if says && !text.Stop(w) && !common[w] {
			words[text.Stem(w)] = 1
		}
		return len(words) < most
	})
	return words
}

// common words say nothing of any work, besides stop words.
var common = text.Set(`yes yeah ok okay please new`)

// looksLikePath reports whether a word is the name of a file.
func looksLikePath(w string) bool {
	w = strings.Trim(w, "`\"'(),:;")
	if w == "" || strings.ContainsAny(w, " <>|*") || strings.HasPrefix(w, "http") || strings.HasPrefix(w, "-") {
		return false
	}
	base := w[strings.LastIndexByte(w, '/')+1:]
	dot := strings.LastIndexByte(base, '.')
	ext := base[dot+1:]
	odd := func(r rune) bool { return !unicode.IsLower(r) && !unicode.IsDigit(r) }
	return dot >= 0 && len(ext) >= 1 && len(ext) <= 6 && !strings.ContainsFunc(ext, odd) &&
		strings.ContainsFunc(ext, unicode.IsLower) && (strings.Contains(w, "/") || fileEndings[ext])
}

var fileEndings = text.Set(`go py js ts tsx jsx mjs cjs rb rs java kt swift c h cc cpp hpp cs php sh bash zsh ps1
	sql md mdx txt rst json jsonl yaml yml toml ini cfg conf env lock mod sum xml html css scss vue svelte proto tf
	gradle mk csv tsv ipynb dockerfile lua ex exs erl hs scala clj dart r jl m mm plist xcconfig gitignore docx xlsx
	pptx pdf`)

// worthReading reports whether a sentence may be a statement rather than a heading, label,
// pasted output, bare command or path. Without spaces between words, a number of letters
// suffices.
func worthReading(s *sentence, sp *speech) bool {
	shown := s.block == quoted || s.block == row // of a table whose head isn't there
	if sp.user && s.pasted || !sp.user && shown {
		return false
	}
	words, plainWords, odd, dense := 0, 0, 0, 0
	for w := range strings.FieldsSeq(s.text) {
		words++
		t := strings.Trim(w, "`\"'(),.:;!?*_")
		if t != "" && strings.IndexFunc(t, func(r rune) bool {
			return !unicode.IsLetter(r) &&
				!strings.ContainsRune("'’-", r)
		}) < 0 {
			plainWords++
		} else if !strings.HasPrefix(w, "`") {
			odd++
		}
		for _, r := range w {
			if text.Unspaced(r) {
				dense++
			}
		}
	}
	linked := words >= 2 && s.block == paragraph && strings.Contains(s.text, "://") // "PR: https://…"
	return dense >= 8 || words >= 3 && plainWords >= 2 && odd <= 2*plainWords || linked
}

// looksPasted reports whether a text looks like output or code.
func looksPasted(raw string) bool {
	t := strings.TrimSpace(raw)
	if text.AnyOf(t, strings.HasPrefix, outputStarts...) || codeStarts().MatchString(t) {
		return true
	}
	code := 0
	for _, r := range t {
		switch {
		case r < utf8.RuneSelf && strings.IndexByte(`{}[]()<>=;|&$\%`, byte(r)) >= 0:
			code++
		case r >= utf8.RuneSelf && strings.ContainsRune("│┃╭╰├└⎿▌", r):
			return true
		}
	}
	return inColumns(t) || code*8 > len(t)
}

// inColumns reports whether a text is set with blanks: lines are indented, or hold gaps that don't just follow a
// sentence.
func inColumns(t string) bool {
	rows := 0
	for line := range strings.Lines(t) {
		if strings.HasPrefix(line, "  ") || strings.Contains(line, "  ") && gap().MatchString(line) {
			rows++
		}
	}
	return rows > 1 || strings.Contains(t, "     ")
}

var gap = text.Pattern(`[^\s.!?:]  +\S`)

var outputStarts = []string{"$ ", "% ", "> ", "❯", "✓", "✗", "✘", "⏺", "⎿", "+ ",
	"- [", "Error:", "error:",
	"fatal:", "{", "[", "<", "//", "#!", "diff ", "@@", "panic:", "Traceback", "---", "==="}

// codeStarts matches the beginning of a line of code or of a stack trace, whose first words are English too.
var codeStarts = text.Pattern(`^(?:(?:\w+: )*(?:error|warning|fatal|[A-Z]\w*(?:Error|Exception)): |` +
	`import(?:\s+\S+;?$|.* from ['"]|\s*[({'"])|func \S*\(|at \S*[.:/(<])`)
