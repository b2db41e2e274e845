package main

import (
	"time"

	"recall/index"
	"recall/payload"
)

// answerDoc is the JSON form of an answer. It is stable: fields are added,
// never renamed or removed; schema goes up if that must change.
type answerDoc struct {
	Schema   int         `json:"schema"` // 1
	Question string      `json:"question"`
	Verdict  verdict     `json:"verdict"`  // answered, weak (nothing clearly answers), nothing
	Coverage float64     `json:"coverage"` // 0–1: the share of the question's weight that the first result holds
	Sure     float64     `json:"sure"`     // 0–1: the chance that the question has an answer here, if every second one had
	Narrowed *narrowDoc  `json:"narrowed,omitempty"`
	Widened  *narrowDoc  `json:"widened,omitempty"` // nothing was found within
	Read     []readDoc   `json:"read,omitempty"`    // words taken for mistyped
	Listed   []string    `json:"listed,omitempty"`  // kinds: the question names nothing that it is about, the newest of these are listed
	Results  []resultDoc `json:"results"`           // best first
	Searched searchedDoc `json:"searched"`
	Missing  []string    `json:"missing,omitempty"` // words of the question that stand nowhere
	Left     int         `json:"left"`              // new or grown sessions not taken in yet
	Answer   *paraDoc    `json:"answer,omitempty"`  // with --answer, unless there is nothing to say
}

// paraDoc is an answer in one paragraph.
type paraDoc struct {
	By        string        `json:"by"` // model, rules
	Sentences []sentenceDoc `json:"sentences"`
}

// sentenceDoc is a sentence with the items that it rests on, of the results, their
// history or conflicts, or of a result behind the last that is listed.
type sentenceDoc struct {
	Text  string           `json:"text"`
	Items []payload.ItemID `json:"items"`
}

// paragraphJSON is what a model said, or else what is put together by rules; nil
// if that is nothing.
func paragraphJSON(v verdict, results []index.Result, said []cited) *paraDoc {
	if v == nothing {
		return nil
	}
	sources := sourcesOf(results)
	d := &paraDoc{By: "model"}
	sentences := checked(said, sources)
	if len(sentences) == 0 {
		d.By = "rules"
		sentences = checked(template(results), sources)
	}
	for _, s := range sentences {
		d.Sentences = append(d.Sentences, sentenceDoc{s.text, s.items})
	}
	if len(d.Sentences) == 0 {
		return nil
	}
	return d
}

// narrowDoc is what of a question was taken for a filter.
type narrowDoc struct {
	Words   []string   `json:"words"` // as they stand in the question
	Project string     `json:"project,omitempty"`
	Since   *time.Time `json:"since,omitempty"`
	Until   *time.Time `json:"until,omitempty"` // before then
	Event   string     `json:"event,omitempty"` // what "before the migration" was taken for
}

// readDoc is a word of the question that stands nowhere, and what it was taken for.
type readDoc struct {
	Word string `json:"word"`
	As   string `json:"as"`
}

func readDocs(list []index.Corrected) []readDoc {
	var docs []readDoc
	for _, c := range list {
		docs = append(docs, readDoc(c))
	}
	return docs
}

func narrowedDoc(n index.Narrowed) *narrowDoc {
	if len(n.Words) == 0 {
		return nil
	}
	d := &narrowDoc{Words: n.Words, Project: n.Project, Event: n.Event}
	if !n.Since.IsZero() {
		d.Since = &n.Since
	}
	if !n.Until.IsZero() {
		d.Until = &n.Until
	}
	return d
}

type searchedDoc struct {
	Items    int `json:"items"`
	Sessions int `json:"sessions"`
	Projects int `json:"projects"`
}

// resultDoc is one result: an item, or a turn of a transcript.
type resultDoc struct {
	Type    string        `json:"type"` // item, turn
	Project string        `json:"project"`
	Session string        `json:"session"` // its full id
	Number  int           `json:"number"`  // its place in the project, as of now
	Title   string        `json:"title"`
	Turn    int           `json:"turn,omitempty"` // ordinal of the turn in the session, from 1
	Score   float64       `json:"score"`          // comparable within one answer only
	Item    *payload.Item `json:"item,omitempty"`
	TurnID  string        `json:"turn_id,omitempty"`
	Role    string        `json:"role,omitempty"`
	At      *time.Time    `json:"at,omitempty"`
	Text    string        `json:"text,omitempty"`

	History  []linkedDoc    `json:"history,omitempty"`  // what the item took the place of, newest first
	Conflict []linkedDoc    `json:"conflict,omitempty"` // what contradicts it
	Related  []linkedDoc    `json:"related,omitempty"`  // what may bear on it, older or newer
	Since    map[string]int `json:"since,omitempty"`    // commits since, by file that it speaks of
}

// linkedDoc is another item that bears on one.
type linkedDoc struct {
	Relation payload.Relation `json:"relation"`
	Later    bool             `json:"later"` // it is the later of the two
	Sure     bool             `json:"sure"`  // enough to hide the earlier one
	Maker    payload.Maker    `json:"maker,omitempty"`
	Rule     string           `json:"rule,omitempty"`
	Project  string           `json:"project"`
	Session  string           `json:"session"`
	Number   int              `json:"number"`
	Turn     int              `json:"turn,omitempty"`
	Item     payload.Item     `json:"item"`
}

func linkedDocs(list []index.Linked) []linkedDoc {
	var docs []linkedDoc
	for _, l := range list {
		docs = append(docs, linkedDoc{Relation: l.Link.Relation, Later: l.Link.From == l.Item.ID, Sure: l.Link.Hides(), Maker: l.Link.Maker, Rule: l.Link.Rule,
			Project: l.Project, Session: l.Session, Number: l.SessionN, Turn: l.Turn, Item: l.Item})
	}
	return docs
}

func answerJSON(question string, v verdict, a index.Answer, limit, left int, since map[string]int) answerDoc {
	d := answerDoc{Schema: 1, Question: question, Verdict: v, Coverage: a.Coverage, Sure: a.Sure, Narrowed: narrowedDoc(a.Narrowed), Widened: narrowedDoc(a.Widened), Read: readDocs(a.Corrected), Results: []resultDoc{}, Missing: a.Missing, Left: left,
		Searched: searchedDoc{a.SearchedItems, a.SearchedSessions, a.Projects}}
	for _, k := range a.Listed {
		d.Listed = append(d.Listed, string(k))
	}
	for i, r := range a.Ranked[:min(len(a.Ranked), limit)] {
		at := place(r)
		doc := resultDoc{Project: at.Project, Session: at.Session, Number: at.SessionN, Title: at.SessionTitle, Score: r.Score}
		if r.Item != nil {
			doc.Type, doc.Item, doc.Turn = "item", &r.Item.Item, r.Item.Turn
			doc.History, doc.Conflict, doc.Related = linkedDocs(r.Item.History), linkedDocs(r.Item.Conflict), linkedDocs(r.Item.Related)
			if i == 0 {
				doc.Since = since
			}
		} else {
			t := r.Turn
			doc.Type, doc.Turn, doc.TurnID, doc.Role, doc.Text = "turn", t.N, t.ID, t.Role, t.Text
			if !t.At.IsZero() {
				doc.At = &t.At
			}
		}
		d.Results = append(d.Results, doc)
	}
	return d
}
