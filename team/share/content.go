package share

import (
	"errors"
	"strings"

	"recall/library"
	"recall/team"
)

// content adds what a session's level shares beside items: the redacted transcript.
func (s *Source) content(e library.Entry, of team.Share, out *team.Session) error {
	if of.Level.Has(team.LevelTranscripts) {
		var all strings.Builder
		for part, err := range s.Library.Transcript(e) {
			if errors.Is(err, library.ErrNotRendered) { // a later sync sends it
				break
			}
			if err != nil {
				return err
			}
			all.Write(part)
		}
		if all.Len() <= team.MostContent {
			out.Transcript = all.String()
		}
	}
	return nil
}
