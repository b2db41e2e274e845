package pipeline_test

import (
	"sync"

	"recall/pipeline"
	"recall/pipeline/improve"
)

var askers sync.Map

// asker asks for a pipeline: one for each.
func asker(p *pipeline.Pipeline) *improve.Asker {
	a, _ := askers.LoadOrStore(p, &improve.Asker{Pipeline: p})
	return a.(*improve.Asker)
}
