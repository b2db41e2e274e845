package eval

import (
	"context"

	"recall/distill"
	"recall/distill/offline"
	"recall/index"
	"recall/ingest"
)

// Options say what a run measures.
type Options struct {
	Gold []string // folders of gold sets; none: the bundled set
	From string   // folder with the transcripts, at whatever depth

	Distiller distill.Distiller            // nil: the offline one
	Model     string                       // behind the distiller, "" if none
	AtOnce    int                          // sessions that are distilled and judged at the same time; 0: one
	Spent     func(session string) float64 // US dollars that distilling a session has cost; nil: it costs nothing
	Redact    func(*ingest.Session)        // takes secrets out; nil: none
	Budget    int                          // tokens of payload.md; 0: payload.DefaultBudget
	Judge     Judge                        // nil: words

	// Rerank puts an answer's results in another order, and may claim more or less
	// for them; nil: as the index has them. At most AtOnce at the same time.
	Rerank func(ctx context.Context, question string, a *index.Answer) error

	Only []string // names of the searches to compare (see Questions); none: all

	// Shown says how the answer to a question is printed; nil: its first result
	// in full, or nothing if the question's words stand nowhere.
	Shown func(question string, a index.Answer) Shown

	Progress func(done, total int, what string) // nil: none
}

// Shown is what somebody who asks sees first.
type Shown struct {
	Refused bool   // it says that nothing is known
	Weak    bool   // it says that nothing clearly answers, and shows what is near
	First   int    // place in Answer.Ranked of what is printed first; -1 for none
	Text    string // that, as printed
}

func (o Options) distiller() distill.Distiller {
	if o.Distiller == nil {
		return offline.Distiller{}
	}
	return o.Distiller
}

func (o Options) judge() Judge {
	if o.Judge == nil {
		return Words{}
	}
	return o.Judge
}

func (o Options) progress(done, total int, what string) {
	if o.Progress != nil {
		o.Progress(done, total, what)
	}
}
