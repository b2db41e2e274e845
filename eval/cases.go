package eval

import (
	"context"
	"fmt"
	"path/filepath"

	"recall/ingest"
	"recall/ingest/claudecode"
	"recall/payload"
)

// A Case is a session with what people would keep of it.
type Case struct {
	Gold    *Gold
	Session *ingest.Session
}

// LoadCases reads the gold sets below gold and parses their transcripts.
func LoadCases(ctx context.Context, gold, transcripts string) ([]*Case, error) {
	sets, err := LoadGold(gold)
	if err != nil {
		return nil, err
	}
	var cases []*Case
	for _, g := range sets {
		s, err := ParseTranscript(ctx, filepath.Join(transcripts, filepath.FromSlash(g.Transcript)))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", g.File, err)
		}
		cases = append(cases, &Case{g, s})
	}
	return cases, nil
}

// ParseTranscript parses the one session of a file.
func ParseTranscript(ctx context.Context, file string) (*ingest.Session, error) {
	found, problems := claudecode.Reader{}.Find(ctx, file, nil)
	if len(found) == 0 {
		return nil, fmt.Errorf("no session in %s %v", file, problems)
	}
	return claudecode.Reader{}.Parse(ctx, found[0])
}

// Fit says which gold item of a kind a predicted item is most like, and how
// much; -1 where none is like enough.
func Fit(s *ingest.Session, gold *Gold, it payload.Item) (best int, similar float64) {
	turns := turnsOf(s)
	p := predicted(it, turns)
	best = -1
	for j, g := range gold.Items {
		if g.Kind != it.Kind {
			continue
		}
		if x := similarity(p, wanted(g, turns)); x >= Threshold && x > similar {
			best, similar = j, x
		}
	}
	return best, similar
}
