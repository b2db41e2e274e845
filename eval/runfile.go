package eval

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"recall/internal/hint"
	"recall/internal/text"
)

// EncodeRun encodes a run as its file holds it.
func EncodeRun(r *Run) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	err := enc.Encode(r)
	return b.Bytes(), err
}

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

// EncodeBaseline encodes what of a run can be kept in a repository as a baseline: the system under test without
// anybody's words and without timings, one line per session or question. That is all Compare needs; ReadRun
// reads it.
func EncodeBaseline(r *Run) ([]byte, error) {
	kept := *r
	kept.Systems = r.Systems[:1]
	data, err := json.Marshal(kept)
	if err != nil {
		return nil, err
	}
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		return nil, err
	}
	if data, err = json.MarshalIndent(pruned(v), "", " "); err != nil {
		return nil, err
	}
	return append(innerBreaks().ReplaceAll(data, []byte("$1")), '\n'), nil
}

// innerBreaks matches line breaks deeper than the lines of a baseline file, which are the elements of
// systems[0].payloads.sessions, five levels deep.
var innerBreaks = text.Pattern(`\n(?: {6,}| {5}([}\]]))`)

// textFields are names of text that somebody wrote, or that isn't compared; a number of such a name is kept.
// timingFields differ between any two runs.
var (
	textFields = text.Set(`command problems agreement missing title text why path turns quote by about q first items
		false_claim missed lines`)
	timingFields = text.Set(`seconds coverage`)
)

// pruned removes text, timings and empty values, and rounds; it returns nil for an empty value.
func pruned(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			_, figure := x.(float64)
			if v[k] = pruned(x); v[k] == nil || textFields[k] && !figure || timingFields[k] {
				delete(v, k)
			}
		}
		if len(v) == 0 {
			return nil
		}
	case []any:
		if len(v) == 0 {
			return nil
		}
		for i, x := range v {
			if _, number := x.(float64); !number { // keep numbers: a rank of 0 means something
				v[i] = pruned(x)
			}
		}
	case string:
		if v == "" {
			return nil
		}
	case bool:
		if !v {
			return nil
		}
	case float64:
		if v == 0 {
			return nil
		}
		return math.Round(v*1e4) / 1e4
	}
	return v
}
