package claudecode

import (
	"slices"
	"strings"
	"unicode/utf8"

	"recall/ingest"
)

// finishTitle picks the best of the titles.
func (p *parser) finishTitle() {
	s, m := p.s, &p.meta
	custom := m.custom
	if slices.Contains(m.worktrees, custom) {
		custom = ""
	}
	set := func(title, from string) {
		title = strings.TrimSpace(title)
		if s.Title == "" && title != "" {
			s.Title, s.TitleFrom = title, from
		}
	}
	set(custom, "custom-title")
	set(m.renamed, "rename")
	set(m.ai, "ai-title")
	set(m.agent, "agent-name")
	for i := len(m.summaries) - 1; i >= 0; i-- {
		if _, ok := p.byID[m.summaries[i].leaf]; ok {
			set(m.summaries[i].text, "summary")
		}
	}
	for _, abandoned := range []bool{false, true} {
		for i := range s.Turns {
			t := &s.Turns[i]
			if s.Title == "" && t.Abandoned == abandoned && (t.Kind == ingest.Prompt || t.Kind == ingest.PlanTurn) {
				if title := TitleOf(t.OwnText()); title != imageOnly {
					set(title, "prompt")
				}
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
