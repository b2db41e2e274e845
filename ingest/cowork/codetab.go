package cowork

import (
	"fmt"
	"os"
	"path/filepath"

	"recall/ingest"
)

// CodeTab is what the app's Code tab knows of a Claude Code session whose
// transcript lies in the usual place.
type CodeTab struct {
	Title    string
	Archived bool
}

// CodeTabTitles reads the Code tab's records, which lie beside a root in
// claude-code-sessions/<account>/<organisation>/local_<id>.json, by the id of
// the Claude Code session that each is of. They are no sessions of their own.
func CodeTabTitles(root string) (map[ingest.SessionID]CodeTab, []ingest.Problem) {
	const store = "claude-code-sessions"
	if filepath.Base(root) != store {
		root = filepath.Join(filepath.Dir(root), store)
	}
	names, err := filepath.Glob(filepath.Join(escapeGlob(root), "*", "*", "local_*.json"))
	if err != nil {
		return nil, []ingest.Problem{{Path: root, Reason: err.Error()}}
	}
	titles := map[ingest.SessionID]CodeTab{}
	var problems []ingest.Problem
	for _, name := range names {
		r, err := recordAt(name)
		if err != nil {
			problems = append(problems, ingest.Problem{Path: name, Reason: fmt.Sprint(reason(err))})
			continue
		}
		if r.cli != "" {
			titles[ingest.SessionID(r.cli)] = CodeTab{r.title, r.archived}
		}
	}
	return titles, problems
}

func recordAt(name string) (record, error) {
	fi, err := os.Lstat(name)
	if err != nil {
		return record{}, err
	}
	if !fi.Mode().IsRegular() {
		return record{}, fmt.Errorf("not a regular file")
	}
	b, err := os.ReadFile(name)
	if err != nil {
		return record{}, err
	}
	return readRecord(b)
}

// escapeGlob makes a pattern of a path that may hold a pattern's characters.
func escapeGlob(path string) string {
	out := make([]byte, 0, len(path))
	for i := 0; i < len(path); i++ {
		switch path[i] {
		case '*', '?', '[':
			out = append(out, '[', path[i], ']')
		default:
			out = append(out, path[i])
		}
	}
	return string(out)
}
