package claudecode

import (
	"slices"
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
	present  bool // there is a structured reply in a known form
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
			r.present = c.Kind() == '{'
			c.Object(func(q []byte) {
				r.present = r.present && c.Kind() != '{'
				r.answers[jsonl.Unquote(q)] = answerText(c)
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
func answered(questions []ingest.Question, r reply, text string) []ingest.Answer {
	if r.timedOut {
		return nil
	}
	if !r.present {
		r.readText(questions, text)
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

var answerOpenings = []string{
	"User has answered your questions:", "Your questions have been answered:", "The user answered:",
}

// readText reads the answers from the text given to the model, where there is no structured form. Quotes in it aren't
// escaped, so each known question is searched for literally.
func (r *reply) readText(questions []ingest.Question, text string) {
	r.answers, r.notes = map[string]string{}, map[string]string{}
	body := strings.TrimSpace(text)
	opening := slices.IndexFunc(answerOpenings, func(o string) bool { return strings.HasPrefix(body, o) })
	if opening < 0 {
		return
	}
	body = body[len(answerOpenings[opening]):]
	type place struct {
		q          string
		from, body int
	}
	var places []place
	for _, q := range questions {
		key := `"` + q.Question + `"="`
		if k := strings.Index(body, key); k >= 0 {
			places = append(places, place{q.Question, k, k + len(key)})
		}
	}
	slices.SortFunc(places, func(a, b place) int { return a.from - b.from })
	for i, p := range places {
		end := len(body)
		if i+1 < len(places) {
			end = places[i+1].from
		}
		r.answers[p.q], r.notes[p.q] = answerIn(body[p.body:end], i+1 == len(places))
	}
}

// answerIn extracts an answer and its note from the client's wording: answer" selected preview: … user notes: …, then a
// comma or, after the last, a closing sentence.
func answerIn(s string, last bool) (answer, note string) {
	if last {
		for _, closing := range []string{". You can now", ".\nYou can now"} {
			if k := strings.LastIndex(s, closing); k >= 0 {
				s = s[:k]
			}
		}
	}
	s = strings.TrimRight(s, ", \n")
	cut := len(s)
	for _, mark := range []string{`" selected preview:`, `" user notes:`} {
		if k := strings.Index(s, mark); k >= 0 && k < cut {
			cut = k
		}
	}
	if _, after, ok := strings.Cut(s[cut:], " user notes:"); ok {
		note = strings.TrimSpace(after)
	}
	answer = strings.TrimSpace(s[:cut])
	if cut == len(s) {
		answer = strings.TrimSuffix(strings.TrimSuffix(answer, "."), `"`)
	}
	return answer, note
}
