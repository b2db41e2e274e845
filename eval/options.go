package eval

import (
	"cmp"

	"recall/answer"
	"recall/distill"
	"recall/distill/offline"
	"recall/ingest"
)

// Options say what a run measures.
type Options struct {
	Gold []string // folders of gold sets; none: the bundled set
	From string   // folder with the transcripts, at any depth

	Transcripts []Transcript // used instead of those below From; nil: none

	Distiller distill.Distiller            // nil: the offline one
	Model     string                       // behind the distiller, "" if none
	AtOnce    int                          // sessions distilled and judged at the same time; 0: one
	Spent     func(session string) float64 // US dollars that distilling a session cost; nil: free
	Redact    func(*ingest.Session)        // removes secrets; nil: none
	Budget    int                          // tokens of payload.md; 0: payload.DefaultBudget
	Judge     Judge                        // nil: words

	// SecondLook is a model that re-ranks what the search under test found, for at most AtOnce questions at a time;
	// nil: none.
	SecondLook *answer.SecondLook

	Only []string // names of the searches to compare (see Questions); none: all

	Vectors string // file in which the passages' vectors are kept between runs; "": they are made each time

	Progress func(done, total int, what string) // nil: none
}

func (o Options) distiller() distill.Distiller {
	return cmp.Or[distill.Distiller](o.Distiller, offline.Distiller{})
}

func (o Options) judge() Judge { return cmp.Or[Judge](o.Judge, Words{}) }
