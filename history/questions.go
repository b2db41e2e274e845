package history

import (
	"slices"
	"strings"

	"recall/library"
	"recall/payload"
	"recall/text"
)

// Questions are questions that the newest sessions decided, n at most.
func Questions(l *library.Library, n int) (questions []string) {
	entries, err := l.Sessions()
	if err != nil {
		return nil
	}
	slices.SortStableFunc(entries, func(a, b library.Entry) int { return b.End.Compare(a.End) })
	for _, e := range entries {
		p, err := l.Payload(e.ID)
		if err != nil {
			continue
		}
		for _, it := range p.Items {
			if it.Kind != payload.Decision || !it.Current() {
				continue
			}
			question, _, asked := strings.Cut(line(it.Text), "? → ")
			if !asked {
				question = "what did we decide about " + strings.TrimRight(text.Clip(line(e.Title), 60), ".?!…")
			}
			if question += "?"; !slices.Contains(questions, question) {
				questions = append(questions, question)
			}
			if len(questions) == n {
				return questions
			}
		}
	}
	return questions
}
