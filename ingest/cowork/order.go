package cowork

import (
	"slices"

	"recall/ingest"
	"recall/ingest/claudecode"
)

// inOrder are the transcripts, oldest first by their own times and the current one last.
func inOrder(files []ingest.File, current string) []ingest.File {
	list := ingest.Found{Files: files}.Of(ingest.Transcript)
	slices.SortStableFunc(list, func(a, b ingest.File) int {
		if last := stem(a.Name) == current; last != (stem(b.Name) == current) {
			return map[bool]int{true: 1, false: -1}[last]
		}
		return claudecode.Started(a).Compare(claudecode.Started(b))
	})
	return list
}
