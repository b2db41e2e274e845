package baseline

import (
	"cmp"
	"slices"
	"strings"

	"recall/ingest"
	"recall/internal/text"
	"recall/payload/tokens"
)

// pageTokens is what a page may hold, as recall's own.
const pageTokens = 1000

// Page returns the simplest page a session can be taken up from: the assistant's last message, the subjects of the
// commits, and what was typed, the longest first, what was typed later a little before what was typed earlier.
func Page(s *ingest.Session) string {
	var b strings.Builder
	room := func(line string) {
		if tokens.Count(b.String())+tokens.Count(line) <= pageTokens {
			b.WriteString("- " + line + "\n")
		}
	}
	for _, p := range LastAssistant(s) {
		for _, said := range Statements(p.Text) {
			room(said)
		}
	}
	for _, c := range ingest.EachCall(s.Turns) {
		if c.CommitMessage != "" && c.Worked() {
			subject, _, _ := strings.Cut(c.CommitMessage, "\n")
			room(subject)
		}
	}
	typed := parts(s, func(t ingest.Turn) bool { return t.Role == ingest.User && t.Kind == ingest.Prompt })
	weight := make(map[ingest.TurnID]float64, len(typed))
	for i, p := range typed {
		weight[p.Turn] = float64(min(len(p.Text), 300)) * (1 + float64(i)/float64(len(typed)))
	}
	slices.SortStableFunc(typed, func(a, b Part) int { return cmp.Compare(weight[b.Turn], weight[a.Turn]) })
	for _, p := range typed {
		room(text.HeadWords(text.OneLine(p.Text), 300))
	}
	return b.String()
}
