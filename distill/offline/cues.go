package offline

import (
	"embed"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
	"unicode"

	"recall/internal/text"
)

// Cues are what is known of languages: classes of words and phrases that hint at what a sentence is. There is one file
// per language, with a class and its phrases on each line, "^" for the beginning of a sentence. Phrases of a script
// without spaces count within words too.
//
//go:embed cues/*.txt
var cueFiles embed.FS

// A cueSet holds the classes that a sentence shows, one bit each, indexed by cueNames.
type cueSet uint64

func (c cueSet) has(one cueSet) bool { return c&one != 0 }

// A cuePhrase is the rest of a phrase whose first word is its key.
type cuePhrase struct {
	rest  []string
	class cueSet
	opens bool // only at the beginning of a sentence
}

// cueNames lists the classes in the order of their bits. All languages use the same ones.
var cueNames = strings.Fields("want order name narrate turn menu greet skip later ruled warn next " +
	"cause suppose settle step")

var (
	cueOrder, cueWant = cueOf("order"), cueOf("want")
	cueTurn           = cueOf("turn")
	cueGreet          = cueOf("greet")
	cueNarrate        = cueOf("narrate")
	cueStep           = cueOf("step") // what is done next, if it is said with a call
	cueMenu           = cueOf("menu")
	cueWarn, cueRuled = cueOf("warn"), cueOf("ruled")
	cueSuppose        = cueOf("suppose")
	cueSkip, cueName  = cueOf("skip"), cueOf("name")
)

// cueOf returns the class with that name, which must exist.
func cueOf(name string) cueSet {
	i := slices.Index(cueNames, name)
	if i < 0 {
		panic("distill/offline: no class of cues is called " + name)
	}
	return 1 << i
}

// maxCueWords is the maximum number of words in a phrase.
const maxCueWords = 5

// unspaced is the key of phrases of scripts without spaces.
const unspaced = ""

// cues are the phrases of all languages by their first word, parsed at first use, since most commands distill nothing.
var cues = sync.OnceValue(func() map[string][]cuePhrase {
	all := map[string][]cuePhrase{}
	files, err := cueFiles.ReadDir("cues")
	if err != nil {
		panic(err)
	}
	for _, f := range files { // in order of name
		data, err := cueFiles.ReadFile(path.Join("cues", f.Name()))
		if err != nil {
			panic(err)
		}
		for line := range strings.Lines(string(data)) {
			class, phrases, ok := strings.Cut(strings.TrimSpace(line), ":")
			if !ok || class[0] == '#' {
				continue
			}
			for phrase := range strings.SplitSeq(phrases, ",") {
				after, opens := strings.CutPrefix(strings.TrimSpace(phrase), "^")
				words := strings.Fields(text.Apostrophes.Replace(after))
				if len(words) == 0 || len(words) > maxCueWords {
					panic(fmt.Sprintf("distill/offline: cue %q has no words, or too many", phrase))
				}
				key, rest := words[0], words[1:]
				if strings.ContainsFunc(key, text.Unspaced) {
					key, rest = unspaced, []string{strings.Join(words, " ")}
				}
				all[key] = append(all[key], cuePhrase{rest, cueOf(class), opens})
			}
		}
	}
	return all
})

// cuesIn returns the classes that a text shows.
func cuesIn(said string) cueSet {
	words := strings.FieldsFunc(strings.ToLower(text.Apostrophes.Replace(said)), func(r rune) bool {
		return !unicode.IsLetter(r) && r != '-' && !unicode.IsDigit(r)
	})
	all := cues()
	var out cueSet
	if strings.ContainsFunc(said, text.Unspaced) {
		for _, p := range all[unspaced] {
			if at := strings.Index(said, p.rest[0]); at == 0 || at > 0 && !p.opens {
				out |= p.class
			}
		}
	}
	for i := range words {
		for _, p := range all[words[i]] {
			if (!p.opens || i == 0) && begins(words[i+1:], p.rest) {
				out |= p.class
			}
		}
	}
	return out
}

// begins reports whether words begin with a phrase.
func begins(words, phrase []string) bool {
	for i, w := range phrase {
		if i >= len(words) || words[i] != w {
			return false
		}
	}
	return true
}

// anyCue reports whether one of some sentences has one of some cues.
func anyCue(of []sentence, one cueSet) bool {
	return slices.ContainsFunc(of, func(s sentence) bool { return s.cues.has(one) })
}
