package disk

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"recall/internal/text"
)

// maxName is how many bytes of text a name may have; file systems allow 255 in total.
const maxName = 200

// SafeName makes text a readable file name for Linux, macOS and Windows: without control or reserved characters, dots
// or spaces at the ends, or a device name, and at most max characters, cut at a word if possible. It may return "".
func SafeName(text string, max int) string {
	var b strings.Builder
	space := false
	for _, r := range strings.ToValidUTF8(text, "") {
		switch {
		case unicode.IsSpace(r):
			space = true
			continue
		case unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == utf8.RuneError:
			continue
		case strings.ContainsRune(`<>:"/\|?*`, r):
			r = '-'
		}
		if space && b.Len() > 0 {
			b.WriteByte(' ')
		}
		space = false
		b.WriteRune(r)
	}
	name := strings.TrimRight(clip(strings.TrimLeft(b.String(), ". "), max), ". ")
	if DeviceName(name) {
		name = "_" + name
	}
	return name
}

// clip shortens text to max characters and maxName bytes, at the end of a word if that costs less than a third.
func clip(text string, max int) string {
	n, cut := 0, len(text)
	for i := range text {
		if n == max || i > maxName-utf8.UTFMax {
			cut = i
			break
		}
		n++
	}
	if cut == len(text) {
		return text
	}
	if i := strings.LastIndexByte(text[:cut+1], ' '); i > cut*2/3 {
		cut = i
	}
	return text[:cut]
}

// Plain replaces everything but ASCII letters and digits, dots, dashes and underscores.
func Plain(name, with string) string { return unplain().ReplaceAllString(name, with) }

var unplain = text.Pattern(`[^A-Za-z0-9._-]`)

// DeviceName reports whether Windows takes a name for a device, whatever its extension.
func DeviceName(name string) bool { return device().MatchString(name) }

var device = text.Pattern(`(?i)^(?:CON|PRN|AUX|NUL|CONIN\$|CONOUT\$|(?:COM|LPT)[0-9¹²³]) *(?:\.|$)`)

// FreeName returns dir/name, or the first free dir/name~2, …: two ids may be the same name on a case-insensitive
// system.
func FreeName(dir, name string) string {
	path := filepath.Join(dir, name)
	for n := 2; Exists(path); n++ {
		path = filepath.Join(dir, fmt.Sprintf("%s~%d", name, n))
	}
	return path
}
