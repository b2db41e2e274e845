package eval

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"recall/internal/hint"
	"recall/internal/text"
)

// indented is how run files are written.
var indented = json.JoinOptions(jsontext.WithIndent(" "), json.Deterministic(true))

// EncodeRun encodes a run as its file holds it.
func EncodeRun(r *Run) ([]byte, error) { return json.Marshal(r, indented) }

// ReadRun reads a run file, or a baseline file.
func ReadRun(file string) (*Run, error) {
	data, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		return nil, hint.With(fmt.Errorf("%s: no such file", file),
			"give a run: recall-eval payloads --out FILE writes one")
	}
	if err != nil {
		return nil, err
	}
	r := &Run{}
	if err := json.Unmarshal(data, r); err != nil {
		return nil, fmt.Errorf("%s isn't a run of recall-eval: %w", file, err)
	}
	switch {
	case r.Schema > RunSchema:
		return nil, fmt.Errorf("%s was written by a newer recall (schema %d, this one knows %d)", file, r.Schema, RunSchema)
	case r.Schema < 1 || !slices.Contains([]string{"payloads", "questions", "pages"}, r.What) || len(r.Systems) == 0:
		return nil, fmt.Errorf("%s isn't a run of recall-eval", file)
	}
	for _, s := range r.Systems {
		if (s.Payloads != nil) != (r.What == "payloads") || (s.Questions != nil) != (r.What == "questions") ||
			(s.Pages != nil) != (r.What == "pages") {
			return nil, fmt.Errorf("%s: system %q holds no figures of %s", file, s.Name, r.What)
		}
	}
	return r, nil
}

// ReadRuns reads several run files.
func ReadRuns(files []string) (runs []*Run, err error) {
	for _, f := range files {
		r, err := ReadRun(f)
		if err != nil {
			return nil, err
		}
		runs = append(runs, r)
	}
	return runs, nil
}

// KeptRuns lists the run files in a folder, the oldest first; none if there is no such folder.
func KeptRuns(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	var files []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".json") && !strings.HasPrefix(e.Name(), ".") {
			files = append(files, filepath.Join(dir, e.Name()))
		}
	}
	return files, nil
}

// EncodeBaseline encodes what of a run can be kept in a repository as a baseline: what Compare needs of the system
// under test, without anybody's words and without timings, one line per session or question. ReadRun reads it.
func EncodeBaseline(r *Run) ([]byte, error) {
	kept, from := *r, r.Systems[0]
	kept.Command, kept.Agreement, kept.Missing, kept.Problems = nil, nil, nil, nil
	to := System{Name: from.Name, Model: from.Model}
	switch {
	case from.Payloads != nil:
		to.Payloads = &PayloadScore{Grounding: from.Payloads.Grounding}
		for _, s := range from.Payloads.Sessions {
			to.Payloads.Sessions = append(to.Payloads.Sessions, s.withoutText())
		}
	case from.Questions != nil:
		to.Questions = &QuestionScore{}
		for _, q := range from.Questions.Questions {
			q.Q, q.Items, q.First, q.Seconds, q.Coverage = "", nil, "", 0, 0
			to.Questions.Questions = append(to.Questions.Questions, q)
		}
	case from.Pages != nil:
		to.Pages = &PageScore{}
		for _, m := range from.Pages.Sessions {
			m.Title, m.Missed, m.Lines = "", nil, nil
			to.Pages.Sessions = append(to.Pages.Sessions, m)
		}
	}
	kept.Systems = []System{to}
	data, err := json.Marshal(kept, indented, json.OmitZeroStructFields(true))
	return append(innerBreaks().ReplaceAll(data, []byte("$1")), '\n'), err
}

// innerBreaks matches line breaks deeper than the lines of a baseline file, which are the elements of
// systems[0].payloads.sessions, five levels deep.
var innerBreaks = text.Pattern(`\n(?: {6,}| {5}([}\]]))`)

// withoutText returns what a session's counts are computed from.
func (s SessionScore) withoutText() SessionScore {
	out := SessionScore{Session: s.Session, Project: s.Project, Pairs: s.Pairs, Lenient: s.Lenient, Tokens: s.Tokens,
		Cut: s.Cut, Dropped: s.Dropped}
	for _, g := range s.Gold {
		out.Gold = append(out.Gold, GoldItem{ID: g.ID, Kind: g.Kind, Must: g.Must})
	}
	for _, p := range s.Predicted {
		out.Predicted = append(out.Predicted, Predicted{ID: p.ID, Claim: Claim{Kind: p.Kind, Rule: p.Rule},
			Grounded: p.Grounded})
	}
	return out
}
