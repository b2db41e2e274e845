package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"recall/answer"
	"recall/index"
	"recall/internal/text"
	"recall/payload"
)

// Limits of a question, and of an answer in characters: some 2,000 tokens, in which half of people's questions have
// their answer whole.
const (
	mostQuestion = 4_000 // characters
	mostAlso     = 20
	mostIDs      = 10
	mostTold     = 8_000
	usualLimit   = 10
)

type queryIn struct {
	Question string   `json:"question,omitempty"`
	Also     []string `json:"also,omitempty"`
	IDs      []string `json:"ids,omitempty"`
	Project  string   `json:"project,omitempty"`
	Kinds    []string `json:"kinds,omitempty"`
	Since    string   `json:"since,omitempty"`
	Until    string   `json:"until,omitempty"`
	AsOf     string   `json:"as_of,omitempty"`
	Limit    int      `json:"limit,omitempty"`
}

func (s *Server) query(ctx context.Context, m *Memory, in queryIn) (string, error) {
	if len(in.IDs) > 0 {
		return s.details(ctx, m, in.IDs)
	}
	q, err := s.question(m, in)
	if err != nil {
		return "", err
	}
	model, why := m.SecondLook()
	a, err := answer.Ask(ctx, m.Search, model, answer.Question{Query: q, Most: in.limit()})
	if err != nil {
		return "", err
	}
	if why != "" {
		a.Told = append(a.Told, why)
	}
	a.Behind = m.Behind
	a.LookBeyond(m.Library, q.Project)
	return tell(m, &a), nil
}

func (in queryIn) limit() int { return cmp.Or(in.Limit, usualLimit) }

// question checks the arguments and builds the index's query.
func (s *Server) question(m *Memory, in queryIn) (index.Query, error) {
	asked := strings.TrimSpace(in.Question)
	if asked == "" {
		return index.Query{}, wrong("recall: no question. Send question, or ids of an earlier answer.")
	}
	q := index.Query{Text: text.Clip(asked, mostQuestion), Limit: in.limit()}
	for _, w := range in.Also[:min(len(in.Also), mostAlso)] {
		q.Also = append(q.Also, text.Clip(w, 200))
	}
	for _, k := range in.Kinds {
		q.Kinds = append(q.Kinds, payload.Kind(k))
	}
	for _, t := range []struct {
		name, value string
		read        func(string, time.Time) (time.Time, error)
		to          *time.Time
	}{{"since", in.Since, answer.ParseWhen, &q.Since}, {"until", in.Until, answer.ParseWhen, &q.Until},
		{"as_of", in.AsOf, answer.ParseDay, &q.AsOf}} {
		if strings.TrimSpace(t.value) == "" {
			continue
		}
		when, err := t.read(text.Clip(t.value, 40), time.Now())
		if err != nil {
			return q, wrong("recall: %s: %v. Write 2026-04-17, 2026-04, today, last week, or how long ago: 12h, 3d, "+
				"2w, 6m, 1y.", t.name, err)
		}
		*t.to = when
	}
	if !q.Until.IsZero() && !q.Since.Before(q.Until) {
		return q, wrong("recall: since %s isn't before until %s. Until leaves that day itself out.", in.Since, in.Until)
	}
	q.Here, _ = m.Here() // affects the ranking
	var err error
	q.Project, err = projectName(m, in.Project)
	return q, err
}

// projectName returns a project's name in the index, "" for all.
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

// tell lays out an answer, with as many results as fit.
func tell(m *Memory, a *answer.Answer) string {
	doc := struct {
		*answer.Answer
		Shown  []*answer.Result
		AsData string
	}{a, a.Results, asData}
	text := m.Words.Form("answer/agent", doc)
	for utf8.RuneCountInString(text) > mostTold && len(doc.Shown) > 0 {
		doc.Shown = doc.Shown[:len(doc.Shown)-1]
		text = m.Words.Form("answer/agent", doc)
	}
	sh := newSheet()
	sh.add(text)
	for _, r := range doc.Shown {
		if r.Item != nil {
			sh.of(r.Item.ID)
			for _, l := range slices.Concat(r.History[:min(1, len(r.History))], r.Conflict[:min(1, len(r.Conflict))]) {
				sh.of(l.Item.ID)
			}
		}
	}
	return sh.text("")
}

// details returns everything known of items by their ids, naming unknown ids at the end.
func (s *Server) details(ctx context.Context, m *Memory, ids []string) (string, error) {
	sh := newSheet()
	sh.linef(asData)
	var unknown []string
	for _, id := range ids[:min(len(ids), mostIDs)] {
		p, err := m.Index.ItemByID(ctx, payload.ItemID(strings.ToLower(strings.Trim(strings.TrimSpace(id), "[]"))))
		if errors.Is(err, index.ErrNoItem) {
			unknown = append(unknown, payload.Data(id, 40))
			continue
		}
		if err != nil {
			return "", err
		}
		doc, err := answer.Why(ctx, m.Index, p)
		if err != nil {
			return "", err
		}
		if sh.add(m.Words.Form("why-item", &doc)) {
			sh.of(p.Item.ID)
			for _, l := range slices.Concat(doc.Earlier, doc.Later) {
				sh.of(l.Item.ID)
			}
		}
	}
	if len(unknown) > 0 {
		none := fmt.Sprintf("There is no item %s. Ids are the ten characters in [brackets] of recall_query's answer.",
			strings.Join(unknown, ", "))
		if len(unknown) == min(len(ids), mostIDs) {
			return "", wrong("recall: %s", none)
		}
		sh.linef("%s", none)
	}
	if len(ids) > mostIDs {
		sh.linef("Only the first %d ids are shown; ask again for the others.", mostIDs)
	}
	return sh.text("Ask for fewer ids at a time."), nil
}
