// Package demo holds the sample sessions of recall demo: six weeks of an invented developer's work on two projects, in
// the exact form that Claude Code and Cowork write.
//
// Everything is invented: people, companies, figures, keys. The ids of records in samples.zip stay what they are, as
// evidence names them (see eval/testdata/demo).
package demo

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
)

//go:embed samples.zip
var samples []byte

//go:embed answers.json.gz
var answers []byte

// Answers returns what a large model answered about the sample sessions, by the keys under which distill/model stores
// answers: an object, shown by zcat demo/answers.json.gz. TestDemoRecorded in cmd/recall explains how to record them
// again.
func Answers() (map[string]json.RawMessage, error) {
	r, err := gzip.NewReader(bytes.NewReader(answers))
	if err != nil {
		return nil, err
	}
	var kept map[string]json.RawMessage
	return kept, json.NewDecoder(r).Decode(&kept)
}

// Questions are worth asking about the sample sessions, which don't answer the last one.
var Questions = []string{
	"what did we decide about retries?",
	"did we try redis for the cache?",
	"how do we avoid charging a customer twice?",
	"do workers poll the jobs table?",
	"which tide data provider do we use?",
	"why not react-native-maps?",
	"when does the beta start and who is in it?",
	"which font did we pick?",
}

// Write unpacks the sample sessions into dir: a Claude Code root (with
// projects/ in it) and a Cowork root. Files are 0600, folders 0700.
func Write(dir string) (claudeRoot, coworkRoot string, err error) {
	all, err := zip.NewReader(bytes.NewReader(samples), int64(len(samples)))
	if err != nil {
		return "", "", err
	}
	err = fs.WalkDir(all, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		p := filepath.Join(dir, filepath.FromSlash(name))
		if e.IsDir() {
			return os.MkdirAll(p, 0o700)
		}
		text, err := fs.ReadFile(all, name)
		if err != nil {
			return err
		}
		return os.WriteFile(p, text, 0o600)
	})
	return filepath.Join(dir, claudeDir), filepath.Join(dir, filepath.FromSlash(coworkDir)), err
}

const (
	claudeDir = "claude"
	coworkDir = "Claude/local-agent-mode-sessions"
)
