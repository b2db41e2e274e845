package offline

import (
	"math"
	"path"
	"strings"
)

// The features of files.
var (
	fileWritten      = numbered("file:written")
	fileWrittenTwice = numbered("file:written-twice")
	fileWrittenOften = numbered("file:written-often")
	fileCreated      = numbered("file:created")
	fileRefused      = numbered("file:refused")
	fileSaid         = numbered("file:said")
	fileSaidOften    = numbered("file:said-often")
	fileListOfIt     = numbered("file:list-of-it")
	fileTyped        = numbered("file:typed")
	fileInLast       = numbered("file:in-last")
	fileReadOnly     = numbered("file:read-only")
	fileReadOften    = numbered("file:read-often")
	fileReadAndSaid  = numbered("file:read-and-said")
	fileTest         = numbered("file:test")
	fileDoc          = numbered("file:doc")
	fileOutside      = numbered("file:outside")
	fileFewFiles     = numbered("file:few-files")
	fileManyFiles    = numbered("file:many-files")
	fileShare        = numbered("file:share")
	fileLogEdits     = numbered("file:log-edits")
	fileLogMentions  = numbered("file:log-mentions")
	fileRank         = numbered("file:rank")
	fileDeleted      = numbered("file:deleted")
	fileRenamed      = numbered("file:renamed")
	fileByAgent      = numbered("file:by-agent")
	fileByShell      = numbered("file:by-shell")
	filePlan         = numbered("file:plan")
	fileLate         = numbered("file:late")
	fileEnd          = numbered("file:end")
	fileWritten8     = numbered("file:log-written")
	fileSaidRank     = numbered("file:said-rank")
	fileHidden       = numbered("file:hidden")
)

// features of a file, for the model that tells which ones the work turned on.
func (f *touched) features(m *noted, all []*touched) []Feature {
	written, lines := 0, 0
	for _, o := range all {
		if o.edits > 0 {
			written++
		}
		lines += o.lines
	}
	m.on(fileWritten, f.edits > 0)
	m.on(fileWrittenTwice, f.edits > 1)
	m.on(fileWrittenOften, f.edits > 4)
	m.on(fileCreated, f.created)
	m.on(fileRefused, f.refused > 0)
	m.on(fileSaid, f.mentions > 0)
	m.on(fileSaidOften, f.mentions > 2)
	m.on(fileListOfIt, f.said != nil && ofFile(f.said, path.Base(f.path)))
	m.on(fileTyped, f.typed > 0)
	m.on(fileInLast, f.saidBy != nil && f.saidBy.last)
	m.on(fileReadOnly, f.edits == 0)
	m.on(fileReadOften, f.edits == 0 && f.reads > 2)
	m.on(fileReadAndSaid, f.edits == 0 && f.mentions > 1)
	m.on(fileTest, isTest(f.path))
	m.on(fileDoc, isDoc(f.path))
	m.on(fileOutside, strings.HasPrefix(f.path, "/") || strings.HasPrefix(f.path, ".."))
	m.on(fileFewFiles, written <= 3)
	m.on(fileManyFiles, written > 8)
	if lines > 0 {
		m.set(fileShare, float64(f.lines)/float64(lines))
	}
	m.set(fileLogEdits, math.Log1p(float64(f.edits)))
	m.set(fileLogMentions, math.Log1p(float64(f.mentions)))
	if written > 0 {
		m.set(fileRank, f.rank(all))
	}
	m.on(fileDeleted, f.deleted)
	m.on(fileRenamed, f.was != "")
	m.on(fileByAgent, f.byAgent)
	m.on(fileByShell, f.byShell)
	m.on(filePlan, strings.Contains(f.path, "/plans/"))
	m.on(fileHidden, strings.HasPrefix(f.path, ".") && !strings.HasPrefix(f.path, ".."))
	last, most := 0, 0
	for _, o := range all {
		last, most = max(last, o.wroteIn), max(most, o.mentions)
	}
	m.on(fileEnd, f.edits > 0 && f.wroteIn == last)
	if last > 0 && f.edits > 0 {
		m.set(fileLate, float64(f.wroteIn)/float64(last))
	}
	m.set(fileWritten8, math.Log1p(float64(written)))
	if most > 0 {
		m.set(fileSaidRank, float64(f.mentions)/float64(most))
	}
	return m.list()
}

// rank is 1 for the file with the most edits, 0 for the one with the fewest.
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

// isTest tells a file of tests by its name or folder.
func isTest(p string) bool {
	for name := range strings.SplitSeq(strings.ToLower(p), "/") {
		for word := range strings.FieldsFuncSeq(name, func(r rune) bool { return strings.ContainsRune("._-", r) }) {
			switch word {
			case "test", "tests", "spec", "specs", "testdata":
				return true
			}
		}
	}
	return false
}

func isDoc(p string) bool {
	switch strings.ToLower(path.Ext(p)) {
	case ".md", ".mdx", ".txt", ".rst", ".adoc":
		return true
	}
	return false
}
