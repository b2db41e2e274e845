package ingest

import (
	"strings"
	"unicode/utf8"
)

// NameByPrompt titles an untitled session by its first prompt but picture, and tells one that recall held with a model.
func (s *Session) NameByPrompt(picture string) {
	first := true
	for i := range s.Turns {
		t := &s.Turns[i]
		if t.Role == User && first {
			first = false
			s.Helper = s.Helper || strings.HasPrefix(t.Text, ModelCall)
		}
		if t.Kind != Prompt && t.Kind != PlanTurn || s.Title != "" {
			continue
		}
		if title := TitleOf(t.OwnText()); title != picture && title != "" {
			s.Title, s.TitleFrom = title, "prompt"
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
