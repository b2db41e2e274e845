package share

import (
	"errors"

	"recall/library"
	"recall/team"
)

// content adds what a session's level shares beside items: the redacted transcript.
func (s *Source) content(e library.Entry, of team.Share, out *team.Session) error {
	if of.Level.Has(team.LevelTranscripts) {
		said, err := s.Library.Transcript(e)
		if err != nil && !errors.Is(err, library.ErrNotRendered) { // a later sync sends it
			return err
		}
		if len(said) <= team.MostContent {
			out.Transcript = string(said)
		}
	}
	return nil
}

// leavesNothing reports whether a session would leave nothing in the team.
func leavesNothing(s team.Session) bool {
	return len(s.Items) == 0 && s.Transcript == ""
}
