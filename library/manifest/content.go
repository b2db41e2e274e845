package manifest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"recall/ingest"
)

// Contents returns, by path, the exact contents of files that the session wrote with file tools, reconstructed from
// the writes and edits in its archived lines. A file whose edits don't fit is omitted: a command must have changed it
// in between.
func (m Manifest) Contents(found ingest.Found) (map[string][]byte, error) {
	ids := map[string]bool{}
	for _, f := range m.made() {
		for _, id := range f.Calls {
			ids[id] = true
		}
	}
	out := map[string][]byte{}
	if len(ids) == 0 {
		return out, nil
	}
	inputs := map[string]toolInput{}
	for _, f := range found.Files {
		switch f.Role {
		case ingest.Transcript, ingest.SubagentFile, ingest.AuditLog:
			if err := readInputs(f, ids, inputs); err != nil {
				return nil, fmt.Errorf("%s: %w", f.Name, err)
			}
		}
	}
	for _, f := range m.made() {
		if text, ok := replay(f.Calls, inputs); ok {
			out[f.Path] = text
		}
	}
	return out, nil
}

// made returns all files that the session made or changed.
func (m Manifest) made() []Made {
	return slices.Concat(m.Intermediate, m.Outputs)
}

// toolInput is the input of a file tool's call.
type toolInput struct {
	Content *string `json:"content"`
	toolEdit
	Edits []toolEdit `json:"edits"`
}

type toolEdit struct {
	Old *string `json:"old_string"`
	New string  `json:"new_string"`
	All bool    `json:"replace_all"`
}

// readInputs reads the inputs of the wanted calls from a transcript. Lines that can't be read are skipped.
func readInputs(f ingest.File, ids map[string]bool, into map[string]toolInput) error {
	r, err := f.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	lines := bufio.NewReaderSize(r, 256<<10)
	for {
		line, err := lines.ReadBytes('\n')
		if bytes.Contains(line, []byte(`"tool_use"`)) {
			var rec struct {
				Message struct {
					Content json.RawMessage `json:"content"`
				} `json:"message"`
			}
			var blocks []struct {
				ID    string          `json:"id"`
				Input json.RawMessage `json:"input"`
			}
			if json.Unmarshal(line, &rec) == nil && json.Unmarshal(rec.Message.Content, &blocks) == nil {
				for _, b := range blocks {
					var in toolInput
					if ids[b.ID] && json.Unmarshal(b.Input, &in) == nil {
						into[b.ID] = in
					}
				}
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// replay performs the writes and edits of calls; false if one is missing or doesn't fit.
func replay(calls []string, inputs map[string]toolInput) ([]byte, bool) {
	text, begun := "", false
	for _, id := range calls {
		in, ok := inputs[id]
		switch {
		case !ok:
			return nil, false
		case in.Content != nil:
			text, begun = *in.Content, true
			continue
		}
		edits := in.Edits
		if in.Old != nil {
			edits = []toolEdit{in.toolEdit}
		}
		for _, e := range edits {
			ambiguous := e.Old == nil || *e.Old == "" || !e.All && strings.Count(text, *e.Old) != 1 ||
				!strings.Contains(text, *e.Old)
			if ambiguous {
				return nil, false
			}
			text = strings.ReplaceAll(text, *e.Old, e.New)
		}
		if len(edits) == 0 {
			return nil, false
		}
	}
	return []byte(text), begun
}
