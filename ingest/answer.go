package ingest

import "recall/ingest/jsonl"

// QuestionFields reads a question that a tool put before the person, and what may be chosen.
func QuestionFields(c *jsonl.Cursor, q *Answer) jsonl.Fields {
	return jsonl.Fields{"question": &q.Question, "header": &q.Header, "multiSelect": &q.Multi, "options": func() {
		c.Array(func() {
			var o Option
			if c.Kind() == '"' {
				o.Label = c.String()
			} else {
				c.Fields(jsonl.Fields{"label": &o.Label, "description": &o.Description})
			}
			q.Options = append(q.Options, o)
		})
	}}
}
