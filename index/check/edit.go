package check

import (
	"path"
	"strings"
)

// tells says whether a file tells rather than does.
func tells(p string) bool {
	switch strings.ToLower(path.Ext(p)) {
	case ".md", ".txt", ".rst", ".adoc", ".mdx", ".csv", ".log":
		return true
	}
	return false
}

// isTest says whether a file holds tests, by its name or its folder.
func isTest(p string) bool {
	for _, part := range wordOf(strings.ReplaceAll(p, `\`, "/")).parts {
		if part == "test" || part == "spec" {
			return true
		}
	}
	return false
}

// denies says whether lines say of something that it isn't there: tests that what
// was ruled out stays away name it.
func denies(lines []string) bool {
	for _, l := range lines {
		start := 0
		for i := 1; i <= len(l); i++ { // NotContains, assert_not, .not.toBe
			if i < len(l) && isLetter(l[i]) == isLetter(l[i-1]) && !(isUpper(l[i]) && !isUpper(l[i-1])) {
				continue
			}
			if denials[strings.ToLower(l[start:i])] {
				return true
			}
			start = i
		}
	}
	return false
}

func isUpper(c byte) bool  { return 'A' <= c && c <= 'Z' }
func isLetter(c byte) bool { return isUpper(c) || 'a' <= c && c <= 'z' }

var denials = set("no not never without empty none absent refute forbidden nothing excludes lacks missing zero false isnt")

// locks are files that package managers write, with what others need in them.
var locks = set("package-lock.json yarn.lock pnpm-lock.yaml bun.lock go.sum Cargo.lock poetry.lock uv.lock Gemfile.lock composer.lock .gitignore .dockerignore CODEOWNERS")

// edit reads what comes into a file and what goes out of it.
func (d *deed) edit(a Action) {
	if len(a.Paths) == 0 {
		return
	}
	var paths []word
	for _, p := range a.Paths {
		w := wordOf(strings.ReplaceAll(p, `\`, "/"))
		w.text, w.path = strings.ToLower(strings.ReplaceAll(p, `\`, "/")), true
		paths = append(paths, w)
		if w.stem == "" {
			w.stem = "/"
		}
		d.moves = append(d.moves, move{stance: touches, head: []word{w}, words: []word{w}, exact: true})
	}
	d.all = append(d.all, content(paths)...)
	if tells(a.Paths[0]) || locks[path.Base(strings.ReplaceAll(a.Paths[0], `\`, "/"))] || a.New == "" && a.Old == "" {
		return
	}
	news, olds := codeLines(clip(a.New)), codeLines(clip(a.Old))
	added, gone := minus(news, olds), minus(olds, news)
	if isTest(a.Paths[0]) && denies(added) {
		return
	}
	d.swaps, d.where = swaps(gone, added), content(paths)
	d.added, d.gone = wordsIn(added), wordsIn(gone)
	for _, s := range d.swaps {
		m := move{stance: takesUp, head: s.key, place: d.where, exact: true, edit: true, loose: true, flips: true}
		switch was, is := switched[strings.ToLower(s.old)], switched[strings.ToLower(s.new)]; {
		case was == "off" && is == "on":
			d.add(m)
		case was == "on" && is == "off":
			m.stance = givesUp
			d.add(m)
		}
	}
	for _, line := range added {
		if w := named(line, olds); len(w) > 0 {
			d.add(move{stance: takesUp, head: w, place: content(paths), exact: true, edit: true, loose: true})
		}
	}
	for _, line := range gone {
		if w := named(line, news); len(w) > 0 {
			d.add(move{stance: givesUp, head: w, place: content(paths), unsaid: true})
		}
	}
}

// switched is what a value says of something that can be had or not.
var switched = map[string]string{"n": "off", "no": "off", "false": "off", "off": "off", "0": "off", "disabled": "off", "y": "on", "yes": "on", "true": "on", "on": "on", "1": "on", "enabled": "on"}

// codeLines are a text's lines without comments.
func codeLines(s string) []string {
	var out []string
	for line := range strings.Lines(s) {
		t := strings.TrimSpace(line)
		if t == "" || strings.HasPrefix(t, "//") || strings.HasPrefix(t, "#") && !strings.HasPrefix(t, "#include") || strings.HasPrefix(t, "*") || strings.HasPrefix(t, "/*") || strings.HasPrefix(t, "--") || strings.HasPrefix(t, ";") || strings.HasPrefix(t, `"""`) || strings.HasPrefix(t, "<!--") {
			continue
		}
		if i := strings.Index(t, " // "); i > 0 {
			t = t[:i]
		}
		if i := strings.Index(t, "  # "); i > 0 {
			t = t[:i]
		}
		out = append(out, t)
	}
	return out
}

func minus(a, b []string) []string {
	have := map[string]bool{}
	for _, s := range b {
		have[s] = true
	}
	var out []string
	for _, s := range a {
		if !have[s] {
			out = append(out, s)
		}
	}
	return out
}

// codeWords cuts a line of code.
func codeWords(line string) []word {
	return cut(strings.Map(func(r rune) rune {
		if strings.ContainsRune(`"'(){}[]=,;:<>&|+*!`+"`", r) {
			return ' '
		}
		return r
	}, line))
}

func wordsIn(lines []string) []word {
	var out []word
	for _, l := range lines {
		out = append(out, content(codeWords(l))...)
	}
	return out
}

// named are the words of a line of code that the other side doesn't have.
func named(line string, other []string) []word {
	words := codeWords(line)
	for _, w := range words {
		switch w.text {
		case "no", "not", "without", "removed", "deprecated", "unsupported", "never", "error", "errorf", "println", "log.printf", "fmt.errorf", "throw", "raise", "assert":
			return nil
		}
		if strings.HasPrefix(w.text, "no-") || strings.HasPrefix(w.text, "no_") || hasStem([]word{w}, "forbid") { // what keeps it away names it
			return nil
		}
	}
	var have []word
	for _, o := range other {
		have = append(have, content(codeWords(o))...)
	}
	var out []word
	for _, w := range content(words) {
		if !has(have, w) {
			out = append(out, w)
		}
	}
	return out
}
