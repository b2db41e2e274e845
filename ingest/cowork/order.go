package cowork

import (
	"bytes"
	"slices"
	"time"

	"recall/ingest"
	"recall/ingest/jsonl"
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
			list[i].first = openingOf(list[i].File).at
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

// opening is what the first lines of a transcript tell.
type opening struct {
	at     time.Time // the first time stated
	remote bool      // it ran in a cloud container
}

func openingOf(f ingest.File) opening {
	var o opening
	b, _, err := f.Head(peekMax)
	if err != nil {
		return o // who parses the file reports it
	}
	for line := range bytes.Lines(b) {
		c := jsonl.NewCursor(line)
		if c.Kind() != '{' {
			continue
		}
		entrypoint := ""
		c.Fields(jsonl.Fields{"entrypoint": &entrypoint, "timestamp": func() {
			if at := moment(c); o.at.IsZero() {
				o.at = at
			}
		}})
		if entrypoint != "" && !o.at.IsZero() {
			o.remote = entrypoint == "remote_cowork"
			break
		}
	}
	return o
}
