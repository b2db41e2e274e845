package setup

import (
	"fmt"

	"recall/answer"
	"recall/cmd/recall/app"
	"recall/config"
	"recall/library"
	"recall/pipeline"
	"recall/pipeline/improve"
)

// modelDoc is how it stands with the model that distills.
type modelDoc struct {
	Name    string `json:"name"`              // provider and model, as configured
	Waiting int    `json:"waiting"`           // sessions that it is to be asked about; some may say too little
	Failed  int    `json:"failed"`            // of those: it failed at them before
	Batches int    `json:"batches,omitempty"` // requests that are on their way with a batch
}

func modelStatus(a *app.App, l *library.Library) (*modelDoc, error) {
	c := a.Config
	if c.Distill.Distiller != config.ByModel {
		return nil, nil
	}
	name := c.LLM.Model
	if name == "" {
		name = config.UsualModel[c.LLM.Provider]
	}
	d := &modelDoc{Name: c.LLM.Provider}
	if name != "" {
		d.Name += "/" + name
	}
	var err error
	if d.Waiting, d.Failed, err = improve.Waiting(&pipeline.Pipeline{Library: l}, c.Distill.Quiet); err != nil {
		return nil, err
	}
	if d.Batches, err = improve.OnTheWay(l); err != nil {
		return nil, err
	}
	return d, nil
}

func (d *modelDoc) lines() []string {
	first := d.Name
	if d.Waiting > 0 {
		first += fmt.Sprintf(": %s for it", app.Waits(d.Waiting))
		if d.Failed > 0 {
			first += fmt.Sprintf(" (it failed at %d before)", d.Failed)
		}
		first += "; recall sync asks"
	}
	all := []string{first}
	if d.Batches > 0 {
		all = append(all, answer.Count(d.Batches, "request")+
			" on the way with a batch; a later recall sync takes in the answers")
	}
	return all
}
