package ingest

// maxSkips is how many lines that could not be used are named; further ones are counted.
const maxSkips = 1000

// Skip notes a line that could not be used.
func (r *Report) Skip(s Skip) {
	r.SkippedTotal++
	if len(r.Skipped) < maxSkips {
		r.Skipped = append(r.Skipped, s)
	}
}

// Ignore counts a record of a known type that holds nothing to keep.
func (r *Report) Ignore(name string) { count(&r.Ignored, name, 1) }

// Odd counts a record or block of a type that this version doesn't know.
func (r *Report) Odd(name string) { count(&r.Unknown, name, 1) }

func count(counts *map[string]int, name string, n int) {
	if *counts == nil {
		*counts = map[string]int{}
	}
	(*counts)[name] += n
}

// Add adds what was reported of more of the session's files.
func (r *Report) Add(more Report) {
	r.Files += more.Files
	r.Bytes += more.Bytes
	r.Lines += more.Lines
	r.Records += more.Records
	r.Duplicates += more.Duplicates
	r.Blank += more.Blank
	r.Repaired += more.Repaired
	r.SkippedTotal += more.SkippedTotal
	r.Skipped = append(r.Skipped, more.Skipped...)
	r.Skipped = r.Skipped[:min(len(r.Skipped), maxSkips)]
	for name, n := range more.Ignored {
		count(&r.Ignored, name, n)
	}
	for name, n := range more.Unknown {
		count(&r.Unknown, name, n)
	}
	if r.Tail == nil {
		r.Tail = more.Tail
	}
	if r.Newer == "" {
		r.Newer = more.Newer
	}
	r.Conflicts = append(r.Conflicts, more.Conflicts...)
}
