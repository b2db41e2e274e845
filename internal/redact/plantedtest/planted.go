// Package plantedtest draws secrets of realistic form, for tests to put where nothing derived must have them. None is
// real.
package plantedtest

import (
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

//go:embed kinds.txt
var kinds string

// A Kind is one way in which a secret appears in a transcript.
type Kind struct {
	Class string // vendor, named, prose, block, nested, command, form
	Name  string
	text  string // as in its line of kinds.txt
}

// Kinds returns all kinds that the rules were developed with.
func Kinds() []Kind { return Parse(kinds) }

// Parse reads kinds, one a line: class, "/", name, a tab, the text.
func Parse(list string) (all []Kind) {
	for line := range strings.Lines(list) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		name, text, ok := strings.Cut(line, "\t")
		class, name, named := strings.Cut(name, "/")
		if !ok || !named || !strings.Contains(text, "«") {
			panic(fmt.Sprintf("plantedtest: %q isn't a kind", line))
		}
		all = append(all, Kind{class, name, text})
	}
	return all
}

// Short reports whether what is drawn can be part of a file name: a key recognizable by itself, and nothing else.
func (k Kind) Short() bool {
	return (k.Class == "vendor" || k.Class == "form") && strings.HasPrefix(k.text, "«") &&
		strings.HasSuffix(k.text, "»") &&
		!strings.ContainsAny(k.text, `/\"'<+%$:~.=`) && !strings.Contains(k.text, "{s") && len(k.text) < 60
}

// Draw returns a text as in a transcript, and the secrets in it, which must never leave the machine.
func (k Kind) Draw(r *rand.Rand) (text string, secrets []string) {
	text = strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\t`, "\t", `\e`, "\x1b").Replace(k.text)
	text = drawn(r, text)
	text = wrapped(text, '⟦', '⟧', func(s string) string {
		quoted, _ := json.Marshal(s)
		return string(quoted[1 : len(quoted)-1])
	})
	text = wrapped(text, '⟪', '⟫', func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) })
	for rest := text; ; {
		_, from, ok := strings.Cut(rest, "«")
		if !ok {
			return strings.NewReplacer("«", "", "»", "").Replace(text), secrets
		}
		secret, after, _ := strings.Cut(from, "»")
		secrets, rest = append(secrets, secret), after
	}
}

// wrapped replaces what is in brackets, the innermost first.
func wrapped(text string, open, shut rune, f func(string) string) string {
	for {
		from := strings.LastIndex(text, string(open))
		if from < 0 {
			return text
		}
		begin := from + len(string(open))
		end := begin + strings.Index(text[begin:], string(shut))
		text = text[:from] + f(text[begin:end]) + text[end+len(string(shut)):]
	}
}

const (
	lower = "abcdefghijklmnopqrstuvwxyz"
	upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digit = "0123456789"
	all   = lower + upper + digit
)

// alphabets are what a letter in braces draws from: {h32} is 32 hexadecimal digits.
var alphabets = map[byte]string{'l': lower, 'u': upper + digit, 'U': upper, 'd': digit, 'h': digit + "abcdef",
	'a': all, 's': all + "+/", '_': all + "_-",
	'w': all + "!@#$^&*(-_=+)", 'b': lower + "234567", 'B': upper + "234567", 'z': lower + digit}

var words = strings.Fields("maple river copper lantern walnut saddle thunder velvet magnet harbor pebble " +
	"canyon meadow orchid timber falcon ginger " +
	"marble bucket cactus puzzle rocket tunnel violin window yellow zipper anchor basket candle dragon " +
	"engine forest garden hammer island jungle kettle")

// drawn replaces what is in braces: {a20}, {pw} for letters, digits and marks, {p} for a password of any sort, {words}
// joined by hyphens, {letters} run together.
func drawn(r *rand.Rand, text string) string {
	word := func() string { return words[r.IntN(len(words))] }
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(text, "{")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		code, after, _ := strings.Cut(rest, "}")
		switch n, err := strconv.Atoi(code[min(1, len(code)):]); {
		case code == "pw":
			b.WriteString(strings.ToUpper(word()[:1]) + word() + strconv.Itoa(10+r.IntN(90)) + "!" + word())
		case code == "p":
			b.WriteString(password(r, word))
		case code == "words":
			b.WriteString(word() + "-" + word() + "-" + word() + "-" + random(r, lower, 3))
		case code == "letters":
			b.WriteString(word() + word() + random(r, lower, 3))
		case err == nil && alphabets[code[0]] != "":
			b.WriteString(random(r, alphabets[code[0]], n))
		default:
			b.WriteByte('{')
			text = rest
			continue
		}
		text = after
	}
}

// password draws one as people or programs choose it.
func password(r *rand.Rand, word func() string) string {
	title := func() string { w := word(); return strings.ToUpper(w[:1]) + w[1:] }
	mark := string("!#$%?*"[r.IntN(6)])
	switch r.IntN(8) {
	case 0:
		return title() + random(r, digit, 4) + mark
	case 1:
		return word() + "_" + title() + random(r, digit, 2)
	case 2:
		return title() + title() + random(r, digit, 3) + mark
	case 3:
		return word() + title() + random(r, digit, 2) + random(r, lower, 1)
	case 4:
		return strings.ToUpper(word()) + random(r, digit, 2) + word() + mark + random(r, digit, 2)
	case 5:
		return random(r, all, 11) + mark + random(r, all, 3)
	case 6:
		return random(r, all, 16)
	}
	return word() + "-" + word() + "-" + random(r, digit, 2) + word()
}

// random draws n characters, at least one of each sort if there is room.
func random(r *rand.Rand, alphabet string, n int) string {
	out := make([]byte, n)
	for i := range out {
		out[i] = alphabet[r.IntN(len(alphabet))]
	}
	if n >= 8 {
		for i, sort := range []string{lower, upper, digit} {
			if c := sort[r.IntN(6)]; strings.IndexByte(alphabet, c) >= 0 {
				out[n/4+i*n/4] = c
			}
		}
	}
	return string(out)
}
