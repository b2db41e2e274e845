package library

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"recall/ingest"
)

const (
	maxFolder = 80  // characters of a folder's name
	maxBytes  = 200 // bytes of its title; file systems allow 255 for all of it
)

// safeName makes text a file name that works on Linux, macOS and Windows and
// reads well: no control or reserved characters, no dot or space at the ends,
// no device names, at most max characters, cut at a word where possible. It
// may return "".
func safeName(text string, max int) string {
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
	if deviceName(name) {
		name = "_" + name
	}
	return name
}

// clip shortens text to max characters and maxBytes bytes, at a word's end if
// that costs less than a third of it.
func clip(text string, max int) string {
	n, cut := 0, len(text)
	for i := range text {
		if n == max || i > maxBytes-utf8.UTFMax {
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

// deviceName reports whether Windows takes a name for a device, whatever its
// extension.
func deviceName(name string) bool {
	base, _, _ := strings.Cut(name, ".")
	base = strings.ToUpper(strings.TrimRight(base, " "))
	switch base {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$":
		return true
	}
	rest, ok := strings.CutPrefix(base, "COM")
	if !ok {
		rest, ok = strings.CutPrefix(base, "LPT")
	}
	return ok && utf8.RuneCountInString(rest) == 1 && strings.Contains("0123456789¹²³", rest)
}

// validID refuses ids that could leave a folder or can't name one.
func validID(id ingest.SessionID) bool {
	if id == "" || len(id) > 128 || id[0] == '.' || id[len(id)-1] == '.' || deviceName(string(id)) {
		return false
	}
	for _, r := range id {
		if r > unicode.MaxASCII || !(unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-_.", r)) {
			return false
		}
	}
	return true
}

// idPart is the beginning of an id that a folder's name ends in: eight
// characters, without Cowork's "local_", or as many more, in steps of five, as
// tell it from the others. It has no space in it, so that two folders of a
// project never have the same name, whatever their titles.
func idPart(id ingest.SessionID, others []ingest.SessionID) string {
	own := bareID(id)
	n := 8
	for _, o := range others {
		other := bareID(o)
		for other != own && n < len(own) && strings.HasPrefix(other, own[:n]) {
			n += 5
		}
		if other == own && o != id { // differ in "local_" or in case only
			return string(id)
		}
	}
	return own[:min(n, len(own))]
}

func bareID(id ingest.SessionID) string {
	return strings.ToLower(strings.TrimPrefix(string(id), "local_"))
}

// folderName is "2026-04-17 Fix duplicate jobs 7f3c1a2b".
func folderName(e Entry, idPart string) string {
	date := "undated"
	if !e.Start.IsZero() {
		date = e.Start.UTC().Format("2006-01-02")
	}
	title := safeName(e.Named, maxFolder-len(date)-len(idPart)-2)
	if title == "" {
		return date + " " + idPart
	}
	return date + " " + title + " " + idPart
}
