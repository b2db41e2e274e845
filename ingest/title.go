package ingest

import (
	"strings"
	"unicode/utf8"
)

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
