package claudecode

import (
	"strings"

	"recall/ingest"
	"recall/ingest/jsonl"
)

// reply is the response to an AskUserQuestion call.
type reply struct {
	answers  map[string]string
	notes    map[string]string
	skipped  map[string]bool
	response string
	timedOut bool
}

// askReply reads the structured result of AskUserQuestion.
func askReply(raw []byte) (r reply) {
	c := jsonl.NewCursor(raw)
	if c.Kind() != '{' {
		return r
	}
	r.answers, r.notes, r.skipped = map[string]string{}, map[string]string{}, map[string]bool{}
	c.Fields(jsonl.Fields{
		"answers": func() {
			c.Object(func(q []byte) {
				if c.Kind() != '{' {
					r.answers[jsonl.Unquote(q)] = answerText(c)
				}
			})
		},
		"annotations": func() {
			c.Object(func(q []byte) {
				question, notes := jsonl.Unquote(q), ""
				c.Fields(jsonl.Fields{"notes": &notes, "unanswered": func() { r.skipped[question] = c.Text() != "" }})
				r.notes[question] = notes
			})
		},
		"response":     &r.response,
		"afkTimeoutMs": func() { r.timedOut = c.Kind() != 'n' },
	})
	return r
}

// answerText reads one answer, joining a list as the client does.
func answerText(c *jsonl.Cursor) string {
	if c.Kind() != '[' {
		return c.Text()
	}
	var parts []string
	c.Array(func() { parts = append(parts, c.Text()) })
	return strings.Join(parts, ", ")
}

// answered fills in the person's choices; unanswered questions are omitted.
func answered(questions []ingest.Question, r reply) []ingest.Answer {
	if r.timedOut {
		return nil
	}
	var out []ingest.Answer
	for _, q := range questions {
		got, ok := r.answers[q.Question]
		if !ok || strings.TrimSpace(got) == "" || r.skipped[q.Question] {
			continue
		}
		q.Notes = r.notes[q.Question]
		if q.Choose(got); q.Free {
			q.Answer = replaceOther(q.Answer)
		}
		if len(q.Chosen) > 0 {
			out = append(out, q.Answer)
		}
	}
	if len(out) == 0 && strings.TrimSpace(r.response) != "" && len(questions) > 0 {
		q := questions[0].Answer
		q.Chosen, q.Free = []string{r.response}, true
		out = append(out, q)
	}
	return out
}

// answeredSoFar parts the questions that a person wanted to talk about from those that they had answered before.
func answeredSoFar(questions []ingest.Question, text string) (had, open []ingest.Answer) {
	for _, q := range questions {
		_, after, _ := strings.Cut(text, `- "`+q.Question+`"`)
		line, _, _ := strings.Cut(strings.TrimSpace(after), "\n")
		if said, ok := strings.CutPrefix(line, "Answer: "); ok {
			q.Choose(said)
			had = append(had, q.Answer)
		} else {
			open = append(open, q.Answer)
		}
	}
	return had, open
}

// replaceOther replaces the choice "Other", which says nothing itself, by the person's note.
func replaceOther(q ingest.Answer) ingest.Answer {
	said := q.Chosen
	q.Chosen, q.Free = nil, false
	for _, s := range said {
		if strings.EqualFold(strings.Trim(s, " ."), "other") {
			s, q.Notes = strings.TrimSpace(q.Notes), ""
		}
		if s == "" {
			continue
		}
		q.Chosen = append(q.Chosen, s)
		q.Free = q.Free || !q.Offers(s)
	}
	return q
}
