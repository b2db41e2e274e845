package cowork

import (
	"slices"
	"time"

	"recall/ingest"
	"recall/ingest/claudecode"
)

// inOrder are the transcripts, oldest first by their own times and the current one last.
func inOrder(files []ingest.File, current string) []ingest.File {
	type dated struct {
		ingest.File
		first time.Time
	}
	var list []dated
	for _, f := range files {
		if f.Role == ingest.Transcript {
			list = append(list, dated{File: f})
		}
	}
	if len(list) > 1 {
		for i := range list {
			list[i].first = claudecode.Started(list[i].File)
		}
		slices.SortStableFunc(list, func(a, b dated) int {
			if c := rank(a.Name, current) - rank(b.Name, current); c != 0 {
				return c
			}
			return a.first.Compare(b.first)
		})
	}
	out := make([]ingest.File, len(list))
	for i := range list {
		out[i] = list[i].File
	}
	return out
}

func rank(name, current string) int {
	if stem(name) == current {
		return 1
	}
	return 0
}
