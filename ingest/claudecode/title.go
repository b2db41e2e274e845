package claudecode

import (
	"slices"
	"strings"
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
	s.NameByPrompt(imageOnly)
	s.Helper = s.Helper && strings.HasPrefix(m.entrypoint, "sdk")
	s.Remote = m.entrypoint == "remote_cowork" // it ran in a cloud container
}
