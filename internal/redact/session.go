package redact

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"recall/internal/escape"
	"recall/internal/text"
)

// A Redactor redacts the texts of one session. It is not safe for concurrent use.
type Redactor struct {
	names  map[string]string // placeholder by secret
	counts map[string]int    // different secrets by kind
	known  known
	scan   scan
	inner  scan // of text within a text, unescaped
}

// Counts returns how many distinct secrets were found, by kind.
func (r *Redactor) Counts() map[string]int {
	return maps.Clone(r.counts)
}

// maxPasses bounds how often a text is scanned: more than two passes are needed only where secrets are nested.
const maxPasses = 16

// Text returns the text without its secrets. One found in an earlier text of the session is recognized without context.
func (r *Redactor) Text(text string) string {
	text = r.visibleIfSecret(text, r.find)
	for range maxPasses {
		r.find(text)
		if len(r.scan.found) == 0 {
			break
		}
		text = r.replace(text, r.scan.merged())
	}
	return text
}

// visibleIfSecret returns the visible form of a text if that contains a secret. Invisible characters are dropped
// wherever text leaves recall, so a key that they split would be whole there.
func (r *Redactor) visibleIfSecret(text string, find func(string)) string {
	if shown := escape.Page(text, escape.Terminal); shown != text {
		if find(shown); len(r.scan.found) > 0 {
			return shown
		}
	}
	return text
}

// find collects the secrets of a text in r.scan.
func (r *Redactor) find(text string) {
	plain, moved := unnumbered(text)
	r.scan.look(plain)
	r.nested(plain)
	r.known.each(plain, r.scan.try)
	for i := range r.scan.found {
		f := &r.scan.found[i]
		v := plain[f.from:f.to]
		if f.from, f.to = moved.at(f.from), moved.at(f.to-1)+1; text[f.from:f.to] != v {
			f.secret = cmp.Or(f.secret, v)
		}
	}
}

// Known returns the text without the secrets found so far. It is cheap: a second look that catches occurrences before
// the one that gave the secret away.
func (r *Redactor) Known(text string) string {
	text = r.visibleIfSecret(text, r.findKnown)
	if r.findKnown(text); len(r.scan.found) == 0 {
		return text
	}
	return r.replace(text, r.scan.merged())
}

func (r *Redactor) findKnown(text string) {
	r.scan = scan{text: text, found: r.scan.found[:0], around: r.scan.around}
	r.known.each(r.scan.text, r.scan.try)
}

// Name redacts a name that several sessions share, such as a folder's, with unnumbered placeholders.
func (r *Redactor) Name(text string) string {
	return withNumber().ReplaceAllString(r.Text(text), open+"$1"+shut)
}

var withNumber = text.Pattern(open + `([a-z0-9-]+) [0-9]+` + shut)

// replace replaces spans, ordered and not overlapping, by placeholders.
func (r *Redactor) replace(text string, spans []span) string {
	var b strings.Builder
	b.Grow(len(text))
	at := 0
	for _, s := range spans {
		b.WriteString(text[at:s.from])
		b.WriteString(r.placeholder(s.kind, cmp.Or(s.secret, text[s.from:s.to])))
		at = s.to
	}
	b.WriteString(text[at:])
	return b.String()
}

func (r *Redactor) placeholder(kind, secret string) string {
	if name, ok := r.names[secret]; ok {
		return name
	}
	r.counts[kind]++
	name := fmt.Sprintf("%s%s %d%s", open, kind, r.counts[kind], shut)
	r.names[secret] = name
	r.known.keep(secret, false)
	for _, v := range variants(secret) {
		r.learn(name, v)
	}
	if bare := strings.TrimRight(secret, ".,;:!?"); bare != secret && r.names[bare] == "" {
		r.names[bare] = name
		r.known.keep(bare, false)
	}
	if kind == "private-key" {
		for line := range strings.SplitSeq(strings.ReplaceAll(secret, `\n`, "\n"), "\n") {
			if line = line[skipGutter(line, 0):]; len(line) >= runLeast && !strings.Contains(line, ": ") {
				r.learn(name, strings.TrimSpace(line))
			}
		}
	}
	return name
}

// learn replaces another form or a part of a secret like the secret itself.
func (r *Redactor) learn(name, part string) {
	if _, ok := r.names[part]; !ok && len(part) >= knownLeast-2 {
		r.names[part] = name
		r.known.keep(part, true)
	}
}

const (
	open = "‹"
	shut = "›"
)

// known finds the secrets that a session has already shown, without the context that gave them away then.
type known struct{ *literals }

const (
	knownShort = 8       // bytes; anything shorter can be anything
	knownLeast = 10      // bytes; shorter ones can be words
	knownMost  = 4 << 10 // bytes; longer ones are whole key files
)

// keep adds a secret that can't be mistaken for a word or an identifier, or is sure. Others must begin a word, and be a
// whole word if only its boundary distinguishes them.
func (k *known) keep(secret string, sure bool) {
	if len(secret) < knownShort || len(secret) > knownMost || strings.Contains(secret, open) {
		return
	}
	strong := len(secret) >= knownLeast && (mixed(secret) || jumbled(secret))
	if !strong && !sure && !unusual(secret) {
		return
	}
	if k.literals == nil {
		k.literals = &literals{}
	}
	secret = strings.Clone(secret) // so as not to retain the whole text
	k.add(secret, func(s *scan, from, to int) {
		alone := s.text[from:to] == secret && (sure || !is(s.before(from), alnum) && (strong || !is(s.at(to), alnum)))
		if alone {
			s.add(from, to, knownKind)
		}
	})
}

// unusual reports whether a non-random secret can't be a word, name or path: marks and digits, or four or more words.
func unusual(v string) bool {
	t := shapeIn(v)
	password := strings.ContainsAny(v, "!@#$%^&*+?_") || t.lower > 0 && t.upper > 0 && !numbered(v)
	hyphens := strings.Count(v, "-")
	return numeric(v) || t.digits > 0 && (password || t.other > 0 && len(v) >= knownLeast) && t.lower+t.upper >= 4 ||
		hyphens >= 3 && !hasSecretName(v) || len(v) >= 16 && t.lower == len(v)
}

// variants returns other spellings of a secret: in capitals, in a URL, in a JSON string, encoded.
func variants(secret string) []string {
	common := len(secret) < knownShort || len(secret) > 512 || shapeIn(secret).digits == 0 && !unusual(secret) ||
		!mixed(secret) && !unusual(secret)
	if common {
		return nil
	}
	all := []string{strings.ToLower(secret), strings.ToUpper(secret), url.QueryEscape(secret),
		url.PathEscape(secret), percent(secret)}
	all = append(all, hex.EncodeToString([]byte(secret)), strings.ToUpper(hex.EncodeToString([]byte(secret))))
	quoted := strconv.Quote(secret)
	all = append(all, quoted[1:len(quoted)-1])
	for shift := range 3 { // bytes before it in the encoded text
		text := strings.Repeat("\x00", shift) + secret
		text = text[:len(text)/3*3]
		whole := base64.StdEncoding.EncodeToString([]byte(text))[(shift*8+5)/6:]
		if len(whole) >= 12 {
			all = append(all, whole, strings.NewReplacer("+", "-", "/", "_").Replace(whole))
		}
	}
	return slices.DeleteFunc(all, func(v string) bool { return v == secret })
}

// percent encodes everything but letters and digits, as some programs do.
func percent(v string) string {
	var b strings.Builder
	for i := range len(v) {
		if is(v[i], alnum) {
			b.WriteByte(v[i])
		} else {
			fmt.Fprintf(&b, "%%%02X", v[i])
		}
	}
	return b.String()
}
