package replay

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"recall/llm"
)

// Recorder is a model whose answers are recorded. Safe for concurrent use.
type Recorder struct {
	llm.Model
	folder string
}

// Record puts a recorder around a model. It makes the folder if there is none.
func Record(m llm.Model, folder string) (*Recorder, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	return &Recorder{m, folder}, nil
}

// Complete implements llm.Model. Errors are passed on and not recorded. An
// answer that can't be recorded is an error: it is what the recorder is for.
func (m *Recorder) Complete(ctx context.Context, r llm.Request) (llm.Response, error) {
	res, err := m.Model.Complete(ctx, r)
	if err != nil {
		return res, err
	}
	var rec recording
	q, a := &rec.Request, &rec.Response
	q.Task, q.System, q.Prompt, q.Max = r.Task, r.System, r.Prompt, r.Max
	if r.Schema != nil {
		q.Schema = r.Schema.JSON
	}
	a.Text, a.Model, a.Usage = res.Text, res.Model, res.Usage
	if err := llm.Put(filepath.Join(m.folder, r.Hash()+".json"), rec); err != nil {
		return res, fmt.Errorf("record the answer of %s: %w", m.Name(), err)
	}
	return res, nil
}
