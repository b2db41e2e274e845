package ingest

// Count numbers a turn, adds it to the session and counts it in its sums.
func (s *Session) Count(t Turn) {
	t.N = len(s.Turns) + 1
	s.Turns = append(s.Turns, t)
	if t.Dir != "" && (t.Kind == Prompt || t.Kind == Message || t.Kind == PlanTurn) {
		s.CountDir(t.Dir, 1)
	}
	if t.Model != "" {
		s.Models = Union(s.Models, t.Model)
	}
	s.UsageAll.Add(t.Usage)
	if !t.Abandoned {
		s.Usage.Add(t.Usage)
	}
	s.Carried = Union(s.Carried, t.Carried...)
	if t.Role == User {
		s.Pasted = Union(s.Pasted, PayloadIDs(t.Text, false)...)
	}
	if t.At.IsZero() {
		return
	}
	if s.Start.IsZero() || t.At.Before(s.Start) {
		s.Start = t.At
	}
	if t.At.After(s.End) {
		s.End = t.At
	}
	for i := range t.Calls {
		if at := t.Calls[i].At; at.After(s.End) {
			s.End = at
		}
	}
}

// CountDir notes a working directory, and turns that ran there.
func (s *Session) CountDir(dir string, turns int) {
	for i := range s.Where.Cwds {
		if c := &s.Where.Cwds[i]; c.Dir == dir {
			c.Turns += turns
			return
		}
	}
	s.Where.Cwds = append(s.Where.Cwds, CwdCount{Dir: dir, Turns: turns})
}
