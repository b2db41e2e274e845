// Package demo holds the sample sessions that `recall demo` shows recall with:
// six weeks of one invented developer's work on two projects, told in short
// scripts (scripts/*.txt), and the generator that turns them into transcripts
// of the exact form that Claude Code and Cowork write.
//
// All is invented: people, companies, figures, keys. The same scripts give the
// same bytes on every machine, record ids included, so that evidence can name
// them (see eval/testdata/demo).
package demo

import (
	"embed"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"
)

//go:embed scripts/*.txt
var scripts embed.FS

// A Question is worth asking of the sample sessions.
type Question struct {
	Text string
	Note string // what a good answer says
}

// Questions lists questions with their answers in short, the last one without
// an answer in the sessions.
func Questions() []Question {
	return []Question{
		{"what did we decide about retries?",
			"Exponential backoff with full jitter, five attempts, then dead_jobs; it replaced the fixed 30 second delay, which made all workers come back at once."},
		{"did we try redis for the cache?",
			"Yes, measured and ruled out: 0.61 ms a lookup against under a microsecond in process, and another server to run."},
		{"how do we avoid charging a customer twice?",
			"The idempotency key is the invoice id and the charge's sequence number, sent to the provider on every attempt; a lock per customer was ruled out."},
		{"do workers poll the jobs table?",
			"Not every two seconds any more: LISTEN/NOTIFY wakes them, a poll each 30 seconds is only the safety net."},
		{"which tide data provider do we use?",
			"Norrsken Marine, since October: Tidemark, chosen in September, forbids predictions kept on the device."},
		{"why not react-native-maps?",
			"Measured at 11 frames a second with 4,000 soundings, and no offline tiles; MapLibre it is."},
		{"when does the beta start and who is in it?",
			"On 19 October with 40 paddlers of two clubs, iOS only; Android is put off until the first crash-free week."},
		{"which font did we pick?", "Nothing: no session speaks of one."},
	}
}

// Write unpacks the sample sessions into dir: a Claude Code root (with
// projects/ in it) and a Cowork root. Files are 0600, folders 0700.
func Write(dir string) (claudeRoot, coworkRoot string, err error) {
	files, err := generate()
	if err != nil {
		return "", "", err
	}
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		p := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o700); err != nil {
			return "", "", err
		}
		if err := os.WriteFile(p, files[name], 0o600); err != nil {
			return "", "", err
		}
	}
	return filepath.Join(dir, claudeDir), filepath.Join(dir, filepath.FromSlash(coworkDir)), nil
}

const (
	claudeDir = "claude"
	coworkDir = "Claude/local-agent-mode-sessions"
)

// generate turns all scripts into files by slash-separated path.
func generate() (map[string][]byte, error) {
	all, err := load()
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, name := range sortedKeys(all) {
		s, err := tell(all[name], all)
		if err != nil {
			return nil, err
		}
		if all[name].head["source"] == "cowork" {
			err = writeCowork(s, files)
		} else {
			err = writeClaude(s, files)
		}
		if err != nil {
			return nil, fmt.Errorf("demo %s: %w", name, err)
		}
	}
	files[coworkBase+"/spaces.json"] = spaces(all)
	return files, nil
}

// load parses every script, by name without extension.
func load() (map[string]*script, error) {
	entries, err := scripts.ReadDir("scripts")
	if err != nil {
		return nil, err
	}
	all := map[string]*script{}
	for _, e := range entries {
		text, err := scripts.ReadFile(path.Join("scripts", e.Name()))
		if err != nil {
			return nil, err
		}
		name := strings.TrimSuffix(e.Name(), ".txt")
		if all[name], err = parse(name, string(text)); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
