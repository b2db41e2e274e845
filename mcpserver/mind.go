package mcpserver

import (
	"context"
	"fmt"
	"strings"

	"recall/index"
	"recall/payload"
)

// A Mind is the user's own model, asked about one question within the time that
// the user lets it have. When it fails, the question is answered as without it.
type Mind struct {
	Most int // results that it is shown
	// Look puts an answer's results in the order in which they answer.
	Look func(ctx context.Context, question string, a *index.Answer)
	// Paragraph words an answer out of results, each sentence held against the
	// items that it cites; none where it can't.
	Paragraph func(ctx context.Context, question string, found []index.Result) []Sentence
	// Told is what the user should know of how it went.
	Told func() []string
}

// A Sentence is one of a paragraph, with the items that it rests on.
type Sentence struct {
	Text  string
	Items []payload.ItemID
}

// wording lays a paragraph out; "" if there is none.
func wording(said []Sentence) string {
	if len(said) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("In short, worded by the user's model out of the lines below:\n")
	for _, s := range said {
		var ids []string
		for _, id := range s.Items {
			ids = append(ids, string(id))
		}
		fmt.Fprintf(&b, "> %s [%s]\n", payload.Data(s.Text, 2*mostText), strings.Join(ids, ", "))
	}
	return b.String()
}
