package offline

import (
	"strings"
	"unicode"
)

// keywords are the words of a text that say what it is about, cut to their
// stems, names split at their humps and punctuation.
func keywords(text string) map[string]bool {
	m := map[string]bool{}
	for _, w := range splitWords(text) {
		if len(w) >= 2 && !commonWords[w] {
			m[stem(w)] = true
		}
	}
	return m
}

func (s *sentence) keys() map[string]bool {
	if s.words == nil {
		s.words = keywords(s.Text + " " + s.More)
	}
	return s.words
}

// splitWords gives the lower-case words of a text.
func splitWords(text string) []string {
	var out []string
	start, prev := -1, rune(0)
	for i, r := range text {
		letter := unicode.IsLetter(r) || unicode.IsDigit(r)
		hump := unicode.IsUpper(r) && unicode.IsLower(prev)
		if start >= 0 && (!letter || hump) {
			out = append(out, strings.ToLower(text[start:i]))
			start = -1
		}
		if letter && start < 0 {
			start = i
		}
		prev = r
	}
	if start >= 0 {
		out = append(out, strings.ToLower(text[start:]))
	}
	return out
}

// stem cuts the commonest English endings.
func stem(w string) string {
	for _, end := range []string{"ations", "ation", "ings", "ing", "ies", "ied", "ers", "er", "es", "ed", "ly", "s", "e"} {
		if strings.HasSuffix(w, end) && len(w)-len(end) >= 3 {
			return w[:len(w)-len(end)]
		}
	}
	return w
}

var commonWords = wordSet(`a an and are as at be been both but by can could did do does for from had has have how i if in into
	is it its just let ll me more no not of on only or our out own re so than that the their them then there these they this those
	to too up us ve was we were what when where which while who why will with would you your also already now still instead because
	one new use used using via per make made should whether don doesn didn isn want need like get ok okay yes please maybe here
	some any all each about after before other same way thing things see look`)

func wordSet(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// looksLikePath tells a file's or folder's name.
func looksLikePath(w string) bool {
	w = strings.Trim(w, "`\"'(),:;")
	if w == "" || strings.ContainsAny(w, " <>|*") || strings.HasPrefix(w, "http") || strings.HasPrefix(w, "-") {
		return false
	}
	base := w[strings.LastIndexByte(w, '/')+1:]
	dot := strings.LastIndexByte(base, '.')
	ext := base[dot+1:]
	if dot >= 0 && len(ext) >= 1 && len(ext) <= 6 && strings.IndexFunc(ext, func(r rune) bool { return !unicode.IsLower(r) && !unicode.IsDigit(r) }) < 0 &&
		strings.IndexFunc(ext, unicode.IsLower) >= 0 && (strings.Contains(w, "/") || fileEndings[ext]) {
		return true
	}
	return false
}

var fileEndings = wordSet(`go py js ts tsx jsx mjs cjs rb rs java kt swift c h cc cpp hpp cs php sh bash zsh ps1 sql md mdx txt rst json
	jsonl yaml yml toml ini cfg conf env lock mod sum xml html css scss vue svelte proto tf gradle mk csv tsv ipynb dockerfile lua ex
	exs erl hs scala clj dart r jl m mm plist xcconfig gitignore docx xlsx pptx pdf`)

// worthReading leaves out what is no statement: headings, labels, pasted
// output, bare commands and paths.
func worthReading(s *sentence, sp *speech) bool {
	words := strings.Fields(s.Text)
	if len(words) < 3 || s.Block == quoted && !sp.user {
		return false
	}
	plainWords, odd := 0, 0
	for _, w := range words {
		t := strings.Trim(w, "`\"'(),.:;!?*_")
		if t != "" && strings.IndexFunc(t, func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' && r != '’' && r != '-' }) < 0 {
			plainWords++
		} else if !strings.HasPrefix(w, "`") {
			odd++
		}
	}
	if plainWords < 2 || odd > 2*plainWords {
		return false
	}
	return !(sp.user && s.Pasted)
}

// looksPasted tells output and code from talk.
func looksPasted(raw string) bool {
	t := strings.TrimSpace(raw)
	for _, p := range []string{"$ ", "% ", "> ", "❯", "at ", "✓", "✗", "✘", "⏺", "⎿", "+ ", "- [", "Error:", "error:", "fatal:", "{", "[", "<", "//", "#!", "func ", "import ", "import(", "diff ", "@@", "panic:", "Traceback", "---", "==="} {
		if strings.HasPrefix(t, p) {
			return true
		}
	}
	if strings.Count(t, "  ") > 3 || strings.ContainsAny(t, "│┃╭╰├└⎿▌") {
		return true
	}
	code := 0
	for _, r := range t {
		if strings.ContainsRune("{}[]()<>=;|&$\\%", r) {
			code++
		}
	}
	return code*8 > len(t)
}
