package eval

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// Verdicts keeps what a model judge said of pairs, in one file of a folder, a
// line a pair:
//
//	{"judge":…,"a":…,"b":…,"verdict":"same"}
//
// Safe for concurrent use; several processes may add to it.
type Verdicts struct {
	file string

	mu   sync.Mutex
	said map[verdictOn]string
}

// verdictOn is what a verdict is on: it is the same for a pair as long as judge and
// wording are.
type verdictOn struct {
	Judge string `json:"judge"`
	A     string `json:"a"`
	B     string `json:"b"`
}

type verdictLine struct {
	verdictOn
	Verdict string `json:"verdict"`
}

// OpenVerdicts reads what was kept in a folder. Lines that can't be read, or
// whose verdict is none, are asked about again.
func OpenVerdicts(dir string) (*Verdicts, error) {
	v := &Verdicts{file: filepath.Join(dir, "verdicts.jsonl"), said: map[verdictOn]string{}}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("verdicts: %w", err)
	}
	kept, err := os.ReadFile(v.file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("verdicts: %w", err)
	}
	for line := range bytes.Lines(kept) {
		var l verdictLine
		if json.Unmarshal(line, &l) != nil {
			continue
		}
		if _, known := degrees[l.Verdict]; known {
			v.said[l.verdictOn] = l.Verdict
		}
	}
	return v, nil
}

func (v *Verdicts) of(q verdictOn) (verdict string, ok bool) {
	if v == nil {
		return "", false
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	verdict, ok = v.said[q]
	return verdict, ok
}

// keep adds a line, in one write: other processes add theirs.
func (v *Verdicts) keep(q verdictOn, verdict string) error {
	if v == nil {
		return nil
	}
	var b bytes.Buffer
	b.WriteByte('\n') // the last line may have been cut
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(verdictLine{q, verdict}); err != nil {
		return err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.said[q] = verdict
	f, err := os.OpenFile(v.file, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("verdicts: %w", err)
	}
	_, err = f.Write(b.Bytes())
	return errors.Join(err, f.Close())
}
