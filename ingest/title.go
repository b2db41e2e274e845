package ingest

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// NameByPrompt titles an untitled session by its first prompt but picture, of those that were taken back last, and
// tells one that recall held with a model.
func (s *Session) NameByPrompt(picture string) {
	if i := slices.IndexFunc(s.Turns, func(t Turn) bool { return t.Role == User }); i >= 0 {
		s.Helper = s.Helper || strings.HasPrefix(s.Turns[i].Text, ModelCall)
	}
	for _, abandoned := range []bool{false, true} {
		for i := range s.Turns {
			t := &s.Turns[i]
			if s.Title != "" || t.Abandoned != abandoned || t.Kind != Prompt && t.Kind != PlanTurn {
				continue
			}
			if title := TitleOf(t.OwnText()); title != picture && title != "" {
				s.Title, s.TitleFrom = title, "prompt"
			}
		}
	}
}

// TitleOf makes a title of a prompt: its first line, at most 80 runes.
func TitleOf(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	line = strings.TrimLeft(line, "#> ")
	if utf8.RuneCountInString(line) <= 80 {
		return line
	}
	line = string([]rune(line)[:79])
	if k := strings.LastIndexByte(line, ' '); k > 40 {
		line = line[:k]
	}
	return line + "…"
}
