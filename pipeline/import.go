package pipeline

// LookAgain makes the next sync look through the library for sessions that came
// into it by another way than a sync.
func (p *Archiver) LookAgain() error { return p.unfinished().set() }
