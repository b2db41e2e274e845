package offline

import (
	"math"
	"path"
	"slices"
	"strings"
)

// features returns a file's features for the model that recognizes the files the work was
// about.
func (f *touched) features(all []*touched) []Feature {
	m := &featureList{}
	written, lines := 0, 0
	for _, o := range all {
		if o.edits > 0 {
			written++
		}
		lines += o.lines
	}
	m.on("file:written", f.edits > 0)
	m.on("file:written-twice", f.edits > 1)
	m.on("file:written-often", f.edits > 4)
	m.on("file:created", f.created)
	m.on("file:said", f.mentions > 0)
	m.on("file:said-often", f.mentions > 2)
	m.on("file:list-of-it", f.said != nil && ofFile(f.said, path.Base(f.path)))
	m.on("file:typed", f.typed > 0)
	m.on("file:in-last", f.saidBy != nil && f.saidBy.last)
	m.on("file:read-only", f.edits == 0)
	m.on("file:read-and-said", f.edits == 0 && f.mentions > 1)
	m.on("file:test", isTest(f.path))
	m.on("file:doc", slices.Contains([]string{".md", ".mdx", ".txt", ".rst", ".adoc"}, strings.ToLower(path.Ext(f.path))))
	m.on("file:outside", strings.HasPrefix(f.path, "/") || strings.HasPrefix(f.path, ".."))
	m.on("file:few-files", written <= 3)
	m.on("file:many-files", written > 8)
	if lines > 0 {
		m.set("file:share", float64(f.lines)/float64(lines))
	}
	m.set("file:log-edits", math.Log1p(float64(f.edits)))
	m.set("file:log-mentions", math.Log1p(float64(f.mentions)))
	if written > 0 {
		m.set("file:rank", f.rank(all))
	}
	m.on("file:deleted", f.deleted)
	m.on("file:renamed", f.was != "")
	m.on("file:by-shell", f.byShell)
	m.on("file:plan", strings.Contains(f.path, "/plans/"))
	m.on("file:hidden", strings.HasPrefix(f.path, ".") && !strings.HasPrefix(f.path, ".."))
	last, most := 0, 0
	for _, o := range all {
		last, most = max(last, o.wroteIn), max(most, o.mentions)
	}
	m.on("file:end", f.edits > 0 && f.wroteIn == last)
	if last > 0 && f.edits > 0 {
		m.set("file:late", float64(f.wroteIn)/float64(last))
	}
	m.set("file:log-written", math.Log1p(float64(written)))
	if most > 0 {
		m.set("file:said-rank", float64(f.mentions)/float64(most))
	}
	return m.list
}

// rank is 1 for the most edited file and 0 for the least edited one.
func (f *touched) rank(all []*touched) float64 {
	below, n := 0, 0
	for _, o := range all {
		if o != f && o.edits > 0 {
			n++
			if o.edits < f.edits {
				below++
			}
		}
	}
	if n == 0 {
		return 1
	}
	return float64(below) / float64(n)
}

// isTest reports whether a file's name or folder says that it is a test.
func isTest(p string) bool {
	words := strings.FieldsFunc(strings.ToLower(p), func(r rune) bool { return strings.ContainsRune("/._-", r) })
	return slices.ContainsFunc(words, func(w string) bool {
		return slices.Contains([]string{"test", "tests", "spec", "specs", "testdata"}, w)
	})
}
