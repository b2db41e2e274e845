package mcpserver

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"recall/index"
	"recall/payload"
)

// What a question may hold.
const (
	mostQuestion = 4_000 // characters
	mostAlso     = 20
	mostIDs      = 10
	usualLimit   = 8
	mostLimit    = 20
)

type queryIn struct {
	Question string   `json:"question,omitempty" jsonschema:"in the user's words; omit only with ids"`
	Also     []string `json:"also,omitempty" jsonschema:"6-10 terms and synonyms the answer may use instead: libraries, patterns, files, symbols, error codes, abbreviations and long forms"`
	IDs      []string `json:"ids,omitempty" jsonschema:"[ids] of an earlier answer, for details"`
	Project  string   `json:"project,omitempty" jsonschema:"only this one; omit for all"`
	Kinds    []string `json:"kinds,omitempty"`
	Since    string   `json:"since,omitempty" jsonschema:"from this day on: 2026-04-17, yesterday, 2w, 3m"`
	Until    string   `json:"until,omitempty" jsonschema:"before this day"`
	AsOf     string   `json:"as_of,omitempty" jsonschema:"as it stood at the end of this day"`
	Limit    int      `json:"limit,omitempty" jsonschema:"default 8"`
	InShort  bool     `json:"in_short,omitempty" jsonschema:"also one paragraph by the user's own model, where set up; takes seconds"`
}

func (s *Server) addQuery() {
	addTool(s, &mcp.Tool{
		Name: "recall_query", Title: "Ask what was decided",
		Description: `What earlier sessions decided and why, tried and ruled out, found, left open, with the words it rests on. Ask before you choose an approach, before you try what may have been tried, and when the user refers to earlier work.
Always send "also": without it the answer is among the first five half of the time, with it nine times in ten.
Answers are short lines with an [id]; ask again with "ids" for reasons, lost alternatives and quotes.`,
		Annotations: readOnly("Ask what was decided"),
	}, true, map[string]bound{"kinds": kinds(), "limit": {least: 1, most: mostLimit}}, withMemory(s, Fresh, s.query))
}

func (s *Server) query(ctx context.Context, m *Memory, in queryIn) (string, error) {
	if len(in.IDs) > 0 {
		return s.details(ctx, m, in.IDs)
	}
	q, err := s.question(m, in)
	if err != nil {
		return "", err
	}
	var mind *Mind
	if m.Mind != nil {
		mind = m.Mind(ctx, in.InShort)
	}
	if mind != nil {
		q.Limit = max(q.Limit, mind.Most)
	}
	answer, err := m.Index.Search(ctx, q)
	if err != nil {
		return "", err
	}
	if mind != nil {
		mind.Look(ctx, q.Text, &answer)
	}
	v := answer.Verdict()
	if v == index.Nothing && len(in.Also) > 0 && len(answer.Ranked) > 0 {
		v = index.Weak // the question's own words stand nowhere, the further ones do
	}
	var made inShort
	if mind != nil {
		if in.InShort && v != index.Nothing {
			made.said = mind.Paragraph(ctx, q.Text, answer.Ranked[:min(len(answer.Ranked), in.limit())])
		}
		made.told = mind.Told()
	} else if in.InShort {
		made.told = []string{"no model is set up (llm.provider), so there is no paragraph"}
	}
	return tell(answer, v, in.limit(), m.Left, made), nil
}

func (in queryIn) limit() int { return cmp.Or(in.Limit, usualLimit) }

// question checks the arguments and puts the index's question together.
func (s *Server) question(m *Memory, in queryIn) (index.Query, error) {
	text := strings.TrimSpace(in.Question)
	if text == "" {
		return index.Query{}, wrong("recall: no question. Send question, or ids of an earlier answer.")
	}
	q := index.Query{Text: clipEnd(text, mostQuestion), Limit: max(in.limit(), 3)}
	for _, w := range in.Also[:min(len(in.Also), mostAlso)] {
		q.Also = append(q.Also, clipEnd(w, 200))
	}
	for _, k := range in.Kinds {
		q.Kinds = append(q.Kinds, payload.Kind(k))
	}
	for _, t := range []struct {
		name, value string
		read        func(string) (time.Time, error)
		to          *time.Time
	}{{"since", in.Since, s.o.When, &q.Since}, {"until", in.Until, s.o.When, &q.Until}, {"as_of", in.AsOf, s.o.Day, &q.AsOf}} {
		if strings.TrimSpace(t.value) == "" {
			continue
		}
		when, err := t.read(clipEnd(t.value, 40))
		if err != nil {
			return q, wrong("recall: %s: %v. Write 2026-04-17, 2026-04, today, yesterday, or how long ago: 12h, 3d, 2w, 6m, 1y.", t.name, err)
		}
		*t.to = when
	}
	if !q.Until.IsZero() && !q.Since.Before(q.Until) {
		return q, wrong("recall: since %s isn't before until %s. Until leaves that day itself out.", in.Since, in.Until)
	}
	if s.o.Here != nil {
		q.Here, _ = s.o.Here(m.Library) // which of several answers comes first
	}
	var err error
	q.Project, err = projectName(m, in.Project)
	return q, err
}

// projectName is the project that is meant as the index has it, "" for all.
func projectName(m *Memory, name string) (string, error) {
	if strings.TrimSpace(name) == "" {
		return "", nil
	}
	p, err := m.Library.Project(name)
	if err != nil {
		return "", fmt.Errorf("%s: %w", payload.Data(name, 60), err)
	}
	return p.Name, nil
}

// inShort is what a model made of an answer.
type inShort struct {
	said []Sentence
	told []string // how that went
}

// tell lays an answer out, a line a result.
func tell(a index.Answer, v index.Verdict, limit, left int, in inShort) string {
	told := 0
	sh := newSheet()
	switch v {
	case index.Nothing:
		sh.linef("Nothing decided about this that recall knows of. Searched %d items and %d sessions.", a.SearchedItems, a.SearchedSessions)
		limit = min(limit, 1)
	case index.Weak:
		sh.linef("Nothing clearly answers this; the nearest of %d items and %d sessions.", a.SearchedItems, a.SearchedSessions)
	}
	if v != index.Nothing || len(a.Ranked) > 0 {
		sh.linef(asData)
	}
	if text := wording(in.said); text != "" && sh.add(text) {
		for _, s := range in.said {
			for _, id := range s.Items {
				sh.of(id)
			}
		}
	}
	for _, r := range a.Ranked[:min(len(a.Ranked), limit)] {
		if !sh.add(resultText(r)) {
			continue
		}
		sh.note(r)
		told++
	}
	for _, t := range in.told {
		sh.linef("About the user's model: %s.", payload.Data(t, 300))
	}
	if left > 0 {
		sh.linef("This answer doesn't know %d new or grown sessions yet; ask again in a minute for them.", left)
	}
	if told > 0 && v != index.Nothing {
		sh.linef("Details of a line: recall_query with ids. The conversation around it: recall_session with session and turn.")
	}
	return sh.text("Ask with a smaller limit, a project or kinds.")
}

// note notes the items that a result tells of.
func (s *sheet) note(r index.Result) {
	if r.Item == nil {
		return
	}
	s.of(r.Item.Item.ID)
	for _, list := range [][]index.Linked{r.Item.History[:min(1, len(r.Item.History))], r.Item.Conflict} {
		for _, l := range list {
			s.of(l.Item.ID)
		}
	}
}

// resultText is a result as short as it can be understood: an item with what
// contradicts it and what it took the place of, or a turn's words.
func resultText(r index.Result) string {
	if r.Turn != nil {
		t := r.Turn
		return fmt.Sprintf("[turn] %s, %s · %s: %s\n", where(t.Place, t.N), day(t.At), t.Role, quoted(around(t.Text, t.Terms)))
	}
	h := r.Item
	var b strings.Builder
	b.WriteString(short(&h.Item, h.Place, h.Turn))
	if by := h.Doubted(); by != nil {
		fmt.Fprintf(&b, "  %s on %s by [%s]\n", strings.ToUpper(by.Doubt().Word(h.Item.Kind)), day(by.At), by.From)
	}
	for _, l := range h.Conflict {
		fmt.Fprintf(&b, "  IN CONFLICT with [%s] %s · %s, %s\n", l.Item.ID, sentence(&l.Item), day(l.Item.At), where(l.Place, l.Turn))
	}
	for _, l := range h.History[:min(1, len(h.History))] {
		fmt.Fprintf(&b, "  before [%s] %s · %s, superseded\n", l.Item.ID, payload.Data(l.Item.Text, 200), day(l.Item.At))
	}
	return b.String()
}

// around is the part of a turn's text that holds the question's words.
func around(text string, terms []string) string {
	at := -1
	low := strings.ToLower(text)
	for _, w := range terms {
		if i := strings.Index(low, strings.ToLower(w)); i >= 0 && i < len(text) && (at < 0 || i < at) {
			at = i
		}
	}
	if at <= mostText/2 {
		return text
	}
	return "…" + strings.ToValidUTF8(text[at-mostText/4:], "")
}
