package check

import (
	"path"
	"strings"

	"recall/text"
)

// edit reads what comes into a file and what goes out of it.
func (d *deed) edit(a Action) {
	for _, p := range a.Paths {
		d.paths = append(d.paths, pathOf(p))
	}
	if len(a.Paths) == 0 || a.New == "" && a.Old == "" {
		return
	}
	news, olds := codeLines(text.Head(a.New, readMost)), codeLines(text.Head(a.Old, readMost))
	added, gone := minus(news, olds), minus(olds, news)
	name := strings.ReplaceAll(a.Paths[0], `\`, "/")
	p := phrase{way: edit, ordered: true, fixed: true, told: tells(name) || locks[path.Base(name)]}
	p.taken, p.given = fresh(added, gone), fresh(gone, added)
	p.asked = denies(added) // what keeps a thing away names it
	p.place = content(d.paths)
	d.add(p)
	d.swaps = swaps(gone, added)
}

// fresh are the words of some lines that others don't have.
func fresh(lines, others []string) []word {
	have := map[string]bool{}
	for _, l := range others {
		for _, w := range codeWords(l) {
			have[w.text] = true
		}
	}
	var out []word
	for _, l := range lines {
		for _, w := range codeWords(l) {
			if w.stem != "" && !have[w.text] {
				out = append(out, w)
			}
		}
	}
	return out
}

// tells reports whether a file tells or tests rather than does.
func tells(p string) bool {
	switch strings.ToLower(path.Ext(p)) {
	case ".md", ".txt", ".rst", ".adoc", ".mdx", ".csv", ".log":
		return true
	}
	for _, part := range wordOf(p).parts {
		if part == "test" || part == "spec" {
			return true
		}
	}
	return false
}

// denies reports whether lines say of something that it isn't there.
func denies(lines []string) bool {
	for _, l := range lines {
		for _, w := range cut(strings.Map(blankPunctuation, l)) {
			for _, p := range append(w.parts, w.text) {
				if denials[p] {
					return true
				}
			}
		}
	}
	return false
}

var denials = text.Set(`no not never without none absent refute forbidden forbid nothing excludes lacks missing removed
	deprecated unsupported error errorf throw raise assert`)

// locks are files that package managers write, with what others need in them.
var locks = text.Set(`package-lock.json yarn.lock pnpm-lock.yaml bun.lock go.sum Cargo.lock poetry.lock uv.lock
	Gemfile.lock composer.lock .gitignore .dockerignore CODEOWNERS`)

// codeLines are a text's lines without comments.
func codeLines(s string) []string {
	var out []string
	for line := range strings.Lines(s) {
		t := strings.TrimSpace(line)
		comment := strings.HasPrefix(t, "#") && !strings.HasPrefix(t, "#include")
		for _, mark := range []string{"//", "*", "/*", "--", ";", `"""`, "<!--"} {
			comment = comment || strings.HasPrefix(t, mark)
		}
		if t == "" || comment {
			continue
		}
		for _, mark := range []string{" // ", "  # "} {
			t, _, _ = strings.Cut(t, mark)
		}
		out = append(out, t)
	}
	return out
}

func minus(a, b []string) []string {
	have := text.Set("")
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

func blankPunctuation(r rune) rune {
	if strings.ContainsRune("\"'(){}[]=,;:<>&|+*!`", r) {
		return ' '
	}
	return r
}

// codeWords cuts a line of code.
func codeWords(line string) []word { return cut(strings.Map(blankPunctuation, line)) }

// A swap is a line of an edit that stays as it is but for one value:
// "retention: 90d" becomes "retention: 14d".
type swap struct {
	key      []word // the rest of the line, words of content
	old, new string // the values, as written
}

// swaps pairs lines that went with lines that came.
func swaps(gone, added []string) []swap {
	const most = 64 // lines of each side
	gone, added = gone[:min(most, len(gone))], added[:min(most, len(added))]
	var out []swap
	for _, g := range gone {
		for _, a := range added {
			if s, ok := swapOf(g, a); ok {
				out = append(out, s)
			}
		}
	}
	return out
}

func swapOf(g, a string) (swap, bool) {
	from := 0
	for from < len(g) && from < len(a) && g[from] == a[from] {
		from++
	}
	end := 0
	for end < len(g)-from && end < len(a)-from && g[len(g)-1-end] == a[len(a)-1-end] {
		end++
	}
	inValue := func(c byte) bool { return strings.IndexByte(" \t\"'`=:,;()[]{}<>", c) < 0 }
	for from > 0 && inValue(g[from-1]) { // the whole of the value
		from--
	}
	for end > 0 && inValue(g[len(g)-end]) {
		end--
	}
	old, new := g[from:len(g)-end], a[from:len(a)-end]
	if old == "" || new == "" || strings.ContainsAny(old+new, " \t(){}<>") {
		return swap{}, false
	}
	key := content(codeWords(g[:from]))
	return swap{key: key, old: old, new: new}, len(key) > 0
}
