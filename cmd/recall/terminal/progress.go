package terminal

import (
	"fmt"
	"io"

	"github.com/schollz/progressbar/v3"

	"recall/pipeline"
)

// progress shows how far long work has come, with the time left; on a
// terminal only.
type progress struct {
	w     io.Writer
	stage string
	bar   *progressbar.ProgressBar
}

func NewProgress(w io.Writer) *progress { return &progress{w: Own(w)} }

func (p *progress) Show(at pipeline.Progress) {
	if !IsTerminal(p.w) || at.Total < 3 {
		return
	}
	if at.Stage != p.stage {
		p.Done()
		p.stage = at.Stage
		p.bar = progressbar.NewOptions(at.Total,
			progressbar.OptionSetWriter(p.w),
			progressbar.OptionSetDescription(fmt.Sprintf("%-8s", at.Stage)),
			progressbar.OptionShowCount(),
			progressbar.OptionSetPredictTime(true),
			progressbar.OptionThrottle(100e6),
			progressbar.OptionClearOnFinish(),
		)
	}
	p.bar.Set(at.Done)
}

func (p *progress) Done() {
	if p.bar != nil {
		p.bar.Finish()
		p.bar = nil
	}
	p.stage = ""
}

// Counts is Show for work of one stage.
func (p *progress) Counts(stage string) func(done, total int) {
	return func(done, total int) { p.Show(pipeline.Progress{Stage: stage, Done: done, Total: total}) }
}
