package disk

import (
	"fmt"
	"os"
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

// Warnings says, for people, why dir is a bad place for a library, whose transcripts hold secrets: because a service
// synchronises it or it is in a git work tree. dir needn't exist yet.
func Warnings(dir string) []string {
	if dir == "" { // no home folder is known
		return nil
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		abs = dir
	}
	paths := []string{abs}
	if real := RealPath(abs); real != abs {
		paths = append(paths, real)
	}
	var out []string
	said := map[string]bool{}
	for _, path := range paths {
		for at := path; ; at = filepath.Dir(at) {
			if what := exposes(at); what != "" && !said[what] {
				said[what] = true
				out = append(out, dir+" is in "+what+" ("+at+"): raw transcripts hold secrets")
			}
			if filepath.Dir(at) == at {
				break
			}
		}
	}
	return out
}

// exposes says by what a folder's content is exposed to others, "" if nothing is known.
func exposes(dir string) string {
	if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
		return "a git work tree"
	}
	name, above := strings.ToLower(filepath.Base(dir)), strings.ToLower(filepath.Base(filepath.Dir(dir)))
	switch {
	case name == "mobile documents", name == "com~apple~clouddocs", strings.HasPrefix(name, "icloud"):
		return "iCloud"
	case name == "onedrive", strings.HasPrefix(name, "onedrive - "),
		above == "cloudstorage" && strings.HasPrefix(name, "onedrive"):
		return "OneDrive"
	case name == "dropbox", strings.HasPrefix(name, "dropbox ("),
		above == "cloudstorage" && strings.HasPrefix(name, "dropbox"), Exists(filepath.Join(dir, ".dropbox")):
		return "Dropbox"
	case above == "cloudstorage":
		return "a synchronised folder"
	}
	return ""
}

// Within rejects a path that leads, by a symbolic link, out of the folder it was found under: root, or its own folder
// if that is elsewhere. Those themselves may be links, as their owner put them there.
func Within(root, path string) error {
	if path == "" || path == root {
		return nil
	}
	base := root
	if root == "" || !Below(root, path) {
		base = filepath.Dir(path)
	}
	realBase, err := filepath.EvalSymlinks(base)
	if err != nil {
		return err
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	if !Below(realBase, real) {
		return fmt.Errorf("a link out of %s; not followed", base)
	}
	return nil
}

// Below reports whether a path, by its name, is a folder or in it.
func Below(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// RealPath returns a path, absolute and without links in the part of it that exists.
func RealPath(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	if parent := filepath.Dir(path); parent != path {
		return filepath.Join(RealPath(parent), filepath.Base(path))
	}
	return path
}
