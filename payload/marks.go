package payload

import (
	"slices"
	"strings"
	"unicode"
)

// Mark is what a person changes of a session's marks; what isn't given stays.
type Mark struct {
	Star    *bool    `json:"star,omitempty"`
	Archive *bool    `json:"archive,omitempty"`
	Tag     []string `json:"tag,omitempty"`
	Untag   []string `json:"untag,omitempty"`
}

// Marks are what people said of a session as a whole, beside its title.
type Marks struct {
	Starred  bool     `json:"starred,omitempty"`
	Archived bool     `json:"archived,omitempty"` // out of lists and answers unless they are asked for it
	Tags     []string `json:"tags,omitempty"`     // sorted
}

// MarksOf are the marks that edits, done in order, come to.
func MarksOf(edits []Edit) (m Marks) {
	for _, e := range edits {
		if e.Op != OpMark || e.Mark == nil {
			continue
		}
		if e.Mark.Star != nil {
			m.Starred = *e.Mark.Star
		}
		if e.Mark.Archive != nil {
			m.Archived = *e.Mark.Archive
		}
		m.Tags = slices.DeleteFunc(append(m.Tags, e.Mark.Tag...), func(t string) bool {
			return slices.Contains(e.Mark.Untag, t)
		})
		slices.Sort(m.Tags)
		m.Tags = slices.Compact(m.Tags)
	}
	if len(m.Tags) == 0 {
		m.Tags = nil
	}
	return m
}

// Tag is a tag as it is kept: #Retry is retry; "" where a text is none, such as one with blanks in it.
func Tag(text string) string {
	tag := strings.ToLower(strings.TrimPrefix(strings.TrimSpace(text), "#"))
	odd := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_./", r)
	}
	if len(tag) > 60 || strings.ContainsFunc(tag, odd) {
		return ""
	}
	return tag
}
