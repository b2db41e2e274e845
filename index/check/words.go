package check

import (
	"slices"
	"strings"
	"unicode"

	"recall/text"
)

// A word is one word or identifier of a text.
type word struct {
	text  string   // as written, without punctuation, in lower case
	stem  string   // of the whole; "" for words that say nothing of the topic
	parts []string // stems of an identifier's parts: "go-redis" is go, redis
	name  bool     // says which thing is meant, not what kind of thing
	ends  rune     // what stands behind it: '.', ':', ',', '?', '—' or ' '
	owner bool     // "the gateway's"
	path  bool     // it has a slash or is a file's name
}

// generic are words for kinds of things: they don't tell one thing from another.
var generic = text.Set(`queue cache index job jobs code data file files table page service api test tests new
	old user users server client list type value default mode option support version library lib tool system app
	package dependency dependencies module function method class field column row key name path folder directory
	request response call calls handler error errors bug issue problem change changes update way approach idea
	solution thing part usage import place step run build script command config configuration setting settings
	flag parameter number time first last next big small simple own whole real single right left full based
	style like work make work works implementation logic layer side case db database store storage project repo
	repository branch main line lines text endpoint endpoints route routes component components view screen
	feature button form input output message messages instead back away everything everywhere always already
	here there today good better best faster slower slow fast quick direct directly plain custom existing
	current want need let please go maybe think`)

// cut cuts a text into words; every word that a sentence is made of is there,
// the small ones without a stem.
func cut(text string) []word {
	var out []word
	for _, chunk := range strings.Fields(text) {
		if chunk == "—" || chunk == "–" || chunk == "-" || chunk == "--" || chunk == "=>" || chunk == "->" {
			if len(out) > 0 {
				out[len(out)-1].ends = '—'
			}
			continue
		}
		bare := strings.TrimLeft(chunk, "\"'`([{<*_“‘")
		end := strings.TrimRight(bare, "\"'`)]}>*_”’.,;:!?…")
		tail := bare[len(end):]
		if end == "" {
			continue
		}
		if end == "w/" || end == "W/" {
			end = "with"
		}
		w := wordOf(end)
		w.ends = ' '
		switch {
		case strings.Contains(tail, "?"):
			w.ends = '?'
		case strings.Contains(tail, ":"):
			w.ends = ':'
		case strings.ContainsAny(tail, ".;!…"):
			w.ends = '.'
		case strings.Contains(tail, ","):
			w.ends = ','
		}
		out = append(out, w)
	}
	return out
}

func wordOf(s string) word {
	lower := strings.ToLower(strings.ReplaceAll(s, "’", "'"))
	if full := hasty[lower]; full != "" {
		lower = full
		s = full
	}
	w := word{text: lower, owner: strings.HasSuffix(lower, "'s"), path: strings.ContainsAny(s, `/\`) || dotted(s)}
	if text.Stop(lower) || text.Stop(strings.TrimSuffix(strings.TrimSuffix(lower, "'s"), "n't")) {
		return w
	}
	s = strings.TrimSuffix(strings.TrimSuffix(s, "'s"), "’s")
	lower = strings.TrimSuffix(lower, "'s")
	all := text.Split(s)
	if len(all) == 0 {
		return w
	}
	w.stem = text.Stem(all[0])
	if len(all) > 1 { // the whole of a path is its last name
		base := lower[strings.LastIndexAny(lower, `/\`)+1:]
		w.stem = text.Stem(strings.NewReplacer("-", "", "_", "", ".", "").Replace(base))
		for _, p := range all {
			if stem := text.Stem(p); stem != w.stem && !text.Stop(p) {
				w.parts = append(w.parts, stem)
			}
		}
		if strings.ContainsAny(lower, `/\`) {
			w.parts = append(w.parts, w.stem)
		}
	}
	w.name = len(w.stem) > 1 && !generic[lower] && !generic[strings.TrimSuffix(lower, "s")] && !plainNumber(lower)
	return w
}

// hasty are words as they are typed in a hurry.
var hasty = func() map[string]string {
	out := map[string]string{"lets": "let's", "thats": "that's", "whats": "what's"}
	for w := range text.Set("don't can't won't didn't doesn't isn't aren't wasn't shouldn't wouldn't couldn't haven't") {
		out[strings.ReplaceAll(w, "'", "")] = w
	}
	return out
}()

func plainNumber(s string) bool {
	return strings.Trim(s, "0123456789.,%") == ""
}

// dotted recognizes "server.go" and "v1.2"; not the end of a sentence.
func dotted(s string) bool {
	i := strings.LastIndexByte(s, '.')
	return i > 0 && i < len(s)-1 && unicode.IsLetter(rune(s[i+1]))
}

// has reports whether a word stands among others: itself, or all its parts.
func has(list []word, w word) bool {
	for _, o := range list {
		if o.stem != "" && same(o, w) {
			return true
		}
	}
	if len(w.parts) == 0 {
		return false
	}
	for _, p := range w.parts {
		if !hasStem(list, p) {
			return false
		}
	}
	return true
}

func hasStem(list []word, stem string) bool {
	for _, o := range list {
		if alike(o.stem, stem) {
			return true
		}
		for _, p := range o.parts {
			if alike(p, stem) {
				return true
			}
		}
	}
	return false
}

func same(a, b word) bool {
	if alike(a.stem, b.stem) {
		return true
	}
	for _, p := range a.parts { // "redis" in "go-redis", "queue.go" in "src/queue.go"
		if alike(p, b.stem) {
			return true
		}
	}
	return false
}

// alike also takes "postgres" for "postgresql".
func alike(a, b string) bool {
	if a == b {
		return a != ""
	}
	if len(a) > len(b) {
		a, b = b, a
	}
	return len(a) >= 6 && len(b)-len(a) <= 3 && strings.HasPrefix(b, a)
}

// isIn reports whether a word stands among others whole.
func isIn(list []word, w word) bool {
	return w.stem != "" && slices.ContainsFunc(list, func(o word) bool { return alike(o.stem, w.stem) })
}

// weight is what a word counts in a share.
func (w word) weight() float64 {
	switch {
	case w.stem == "":
		return 0
	case w.name:
		return 2
	}
	return 1
}

// share is how much of the weight of some words stands among others.
func share(of, in []word) float64 {
	var sum, there float64
	for _, w := range of {
		sum += w.weight()
		if has(in, w) {
			there += w.weight()
		}
	}
	if sum == 0 {
		return 0
	}
	return there / sum
}

func content(list []word) []word {
	var out []word
	for _, w := range list {
		if w.stem != "" {
			out = append(out, w)
		}
	}
	return out
}
