package library

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"recall/ingest"
	"recall/library/disk"
	"recall/library/needle"
	"recall/library/raw"
)

// Models' answers are kept in cache/<first two characters of the key>/<key>.zst, with zstd's checksum, redacted as
// the text asked about was. Each is JSON whose list "of" names the sessions whose words it holds, so that forgetting
// a session drops only those answers. They are a cache, but making one again costs money.

// Answer returns what is kept under a key. ok is false if there is nothing or it can't be read, so that it is asked
// for again.
func (l *Library) Answer(key string) (data []byte, ok bool, err error) {
	path, err := l.answerPath(key)
	if err != nil {
		return nil, false, err
	}
	packed, err := disk.ReadIfThere(path)
	if err != nil {
		return nil, false, fmt.Errorf("answer %s: %w", key, err)
	}
	if packed == nil {
		return nil, false, nil
	}
	data, err = raw.Unpack(packed)
	return data, err == nil, nil
}

// KeepAnswer durably stores data under a key ([a-z0-9-], 3 to 64 bytes), replacing what was there.
func (l *Library) KeepAnswer(key string, data []byte) error {
	if err := l.ReadOnly(); err != nil {
		return err
	}
	path, err := l.answerPath(key)
	if err != nil {
		return err
	}
	if err = cmp.Or(disk.MakeDirs(filepath.Dir(path)), l.Put(path, raw.Pack(data))); err != nil {
		err = fmt.Errorf("answer %s: %w", key, err)
	}
	return err
}

// DropAnswers removes the answers that hold words of any of the sessions, or one of the texts, which may be nil. One
// that can't be read or names no session might, and is removed too.
func (l *Library) DropAnswers(ids []ingest.SessionID, texts *needle.Needles) error {
	if len(ids) == 0 && texts == nil {
		return nil
	}
	changed := map[string]bool{}
	err := disk.Walk(filepath.Join(l.dir, CacheName), func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || d.IsDir() || AnswerStays(path, ids, texts) {
			return err
		}
		changed[filepath.Dir(path)] = true
		return disk.RemoveIfThere(path)
	})
	for dir := range changed {
		err = errors.Join(err, disk.SyncDir(dir))
	}
	return err
}

// AnswerStays reports whether a file in cache/ is known to hold no words of the sessions and none of the texts.
func AnswerStays(path string, ids []ingest.SessionID, texts *needle.Needles) bool {
	packed, err := disk.ReadPlain(path)
	if err != nil {
		return false
	}
	data, err := raw.Unpack(packed)
	var answer struct {
		Of []string `json:"of"`
	}
	if err != nil || json.Unmarshal(data, &answer) != nil || len(answer.Of) == 0 || texts.In(data) {
		return false
	}
	return !slices.ContainsFunc(ids, func(id ingest.SessionID) bool { return slices.Contains(answer.Of, string(id)) })
}

func (l *Library) answerPath(key string) (string, error) {
	if len(key) < 3 || len(key) > 64 || strings.Trim(key, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
		return "", fmt.Errorf("answer %q: not a key", key)
	}
	return filepath.Join(l.dir, CacheName, key[:2], key+".zst"), nil
}

// CacheName is the folder of models' answers.
const CacheName = "cache"
