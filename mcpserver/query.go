package mcpserver

import (
	"context"
	"fmt"
	"slices"
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
	Question string   `json:"question,omitempty" jsonschema:"what you want to know, in the user's words; leave out only if ids is given"`
	Also     []string `json:"also,omitempty" jsonschema:"6-10 technical terms and synonyms that the answer may use instead of the question's words: names of libraries, patterns, files, symbols, error codes, abbreviations and their long forms"`
	IDs      []string `json:"ids,omitempty" jsonschema:"ids in [brackets] of an earlier answer, for their details: reasons, alternatives that lost, verbatim quotes, what came before and after"`
	Project  string   `json:"project,omitempty" jsonschema:"only this project, by its name; leave out to search all"`
	Kinds    []string `json:"kinds,omitempty" jsonschema:"only items of these kinds: decision, eliminated (ruled out), deferred, question, next, flag, goal, hypothesis, file, status"`
	Since    string   `json:"since,omitempty" jsonschema:"only from this day on: 2026-04-17, yesterday, 2w, 3m"`
	Until    string   `json:"until,omitempty" jsonschema:"only before this day"`
	AsOf     string   `json:"as_of,omitempty" jsonschema:"answer as it stood at the end of this day"`
	Limit    int      `json:"limit,omitempty" jsonschema:"results wanted, 1-20; 8 if left out"`
	InShort  bool     `json:"in_short,omitempty" jsonschema:"also put the answer into one paragraph, worded by the model that the user has given recall; takes seconds, and is left out where there is none"`
}

// The outputs' text is called answer, and so comes first: a client may show its
// model the structured content alone, in the order of its names.
type queryOut struct {
	Text    string      `json:"answer" jsonschema:"the answer: one line per result, ids in [brackets]; quoted data between recall's markers"`
	Verdict string      `json:"verdict" jsonschema:"answered, weak (nothing clearly answers; the nearest are shown), nothing, or details (of the ids asked for)"`
	Results []resultOut `json:"results" jsonschema:"where each result stands, best first"`
	Left    int         `json:"left" jsonschema:"new or grown sessions that this answer doesn't know yet"`
}

// resultOut says where a result stands; its words are in the answer.
type resultOut struct {
	ID      string `json:"id,omitempty" jsonschema:"of an item; absent for a turn of a transcript"`
	Kind    string `json:"kind" jsonschema:"an item's kind, or turn"`
	Session string `json:"session" jsonschema:"full id"`
	Turn    int    `json:"turn,omitempty"`
}

func (s *Server) addQuery() {
	mcp.AddTool(s.mcp, &mcp.Tool{
		Name: "recall_query", Title: "Ask what was decided",
		Description: `Answers from all earlier sessions of this user: what was decided and why, what was tried and ruled out, what is open, with the words it rests on. Use it before choosing an approach, before trying something that may have been tried, and whenever the user refers to earlier work.
Always send "also": 6-10 technical terms and synonyms that the answer may use instead of the question's words (for "retry policy": backoff, jitter, exponential, attempts, dead-letter queue, idempotent, timeout). It raises the chance that the answer is among the first five from 0.50 to over 0.9.
Answers come in layers: short lines with an id first; ask again with "ids" for reasons, lost alternatives and quotes, and recall_session for the conversation around a turn. Verdict "nothing" means that recall knows of no such thing; "weak" that none of the lines may be the answer.`,
		Annotations: readOnly("Ask what was decided"),
	}, handler(s, Fresh, s.query))
}

// readOnly are the annotations of a tool that changes nothing.
func readOnly(title string) *mcp.ToolAnnotations {
	no := false
	return &mcp.ToolAnnotations{Title: title, ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: &no, DestructiveHint: &no}
}

// handler opens the memory around a tool's work, and has its text also stand
// alone for clients that read no structured content.
func handler[In any, Out interface{ said() string }](s *Server, need Need, do func(context.Context, *Memory, In) (Out, error)) mcp.ToolHandlerFor[In, Out] {
	return func(ctx context.Context, _ *mcp.CallToolRequest, in In) (*mcp.CallToolResult, Out, error) {
		var none Out
		m, err := s.o.Open(ctx, need)
		if err != nil {
			return nil, none, s.failed(err)
		}
		defer m.Close()
		out, err := do(ctx, m, in)
		if err != nil {
			return nil, none, s.failed(err)
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: out.said()}}}, out, nil
	}
}

func (o queryOut) said() string { return o.Text }

func (s *Server) query(ctx context.Context, m *Memory, in queryIn) (queryOut, error) {
	if len(in.IDs) > 0 {
		return s.details(ctx, m, in.IDs)
	}
	q, err := s.question(m, in)
	if err != nil {
		return queryOut{}, err
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
		return queryOut{}, err
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

func (in queryIn) limit() int {
	if in.Limit <= 0 {
		return usualLimit
	}
	return min(in.Limit, mostLimit)
}

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
		kind := payload.Kind(strings.ToLower(strings.TrimSpace(k)))
		if !slices.Contains(payload.Kinds, kind) {
			return q, wrong("recall: %q is no kind of item. Kinds are %s.", clipEnd(k, 40), kindList())
		}
		q.Kinds = append(q.Kinds, kind)
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
		q.Here = s.o.Here(m.Library)
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

func kindList() string {
	var names []string
	for _, k := range payload.Kinds {
		names = append(names, string(k))
	}
	return strings.Join(names, ", ")
}

// inShort is what a model made of an answer.
type inShort struct {
	said []Sentence
	told []string // how that went
}

// tell lays an answer out, a line a result.
func tell(a index.Answer, v index.Verdict, limit, left int, in inShort) queryOut {
	out := queryOut{Verdict: string(v), Results: []resultOut{}, Left: left}
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
		out.Results = append(out.Results, resultOf(r))
	}
	for _, t := range in.told {
		sh.linef("About the user's model: %s.", payload.Data(t, 300))
	}
	if left > 0 {
		sh.linef("This answer doesn't know %d new or grown sessions yet; ask again in a minute for them.", left)
	}
	if len(out.Results) > 0 && v != index.Nothing {
		sh.linef("Details of a line: recall_query with ids. The conversation around it: recall_session with session and turn.")
	}
	out.Text = sh.text("Ask with a smaller limit, a project or kinds.")
	return out
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

func resultOf(r index.Result) resultOut {
	if t := r.Turn; t != nil {
		return resultOut{Kind: "turn", Session: t.Session, Turn: t.N}
	}
	return resultOut{string(r.Item.Item.ID), string(r.Item.Item.Kind), r.Item.Session, r.Item.Turn}
}
