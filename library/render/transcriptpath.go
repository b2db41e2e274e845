package render

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"recall/ingest"
)

// inVM is what all paths in a session's virtual machine begin with.
const inVM = "/sessions/"

// sidesOf returns a pattern for the beginnings of paths that are known to be in a session's virtual machine or on its
// host. It is nil if the source makes no such difference.
func sidesOf(s *ingest.Session) *regexp.Regexp {
	if s.Source != ingest.Cowork {
		return nil
	}
	begin := inVM
	for _, dir := range append([]string{s.Where.Storage}, s.Where.Folders...) {
		if len(dir) > 1 && !strings.HasPrefix(dir, inVM) {
			begin += "|" + regexp.QuoteMeta(strings.TrimRight(dir, `/\`))
		}
	}
	return regexp.MustCompile(`(?:^|://|[^\w/.+@%~:,=#-])(` + begin + ")") // not in the middle of a longer path
}

// sidesIn says where the paths in a text are: "VM", "host" or both, as far as that is known.
func (t *transcript) sidesIn(text string) (on []string) {
	if t.sides == nil {
		return nil
	}
	for _, m := range t.sides.FindAllStringSubmatch(text, -1) {
		on = append(on, map[bool]string{true: "VM", false: "host"}[m[1] == inVM])
	}
	slices.Sort(on)
	return slices.Compact(on)
}

// marked is code followed by where the paths in it are.
func (t *transcript) marked(text string) string {
	out := code(text)
	for _, side := range t.sidesIn(text) {
		out += " **" + side + "**"
	}
	return out
}

// files lists the files given to a Cowork session or produced by it.
func (t *transcript) files(what string, refs []ingest.FileRef) {
	if len(refs) == 0 {
		return
	}
	const most = 100
	t.buf.WriteString("\n" + what + ":\n\n")
	for i, f := range refs {
		if i == most {
			t.buf.WriteString(fmt.Sprintf("- … and %d more\n", len(refs)-most))
			break
		}
		t.buf.WriteString("- " + code(oneLine(f.Name, 200)))
		if kept := t.about.Outputs["outputs/"+f.Name]; kept != "" && !strings.ContainsAny(kept, "<>\n") {
			t.buf.WriteString(" · kept as [" + plainText(kept) + "](<" + kept + ">)")
		}
		if f.Path != "" {
			t.buf.WriteString(" · " + code(oneLine(f.Path, 300)) + " **host**")
		}
		t.buf.WriteByte('\n')
	}
}
