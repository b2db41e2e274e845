package library

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"recall/ingest"
	"recall/library/disk"
	"recall/library/raw"
)

// Models' answers lie in cache/<first two of the key>/<key>.zst, redacted as what was asked about was, with zstd's
// checksum. Each is JSON whose list "of" names the sessions that it holds words of: forgetting one drops those alone.
// They are a cache, but what was paid for isn't made again for nothing.

// Answer returns what was kept under a key; not ok if nothing was, or it can't be read: then it is asked for again.
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

// KeepAnswer durably keeps data under a key ([a-z0-9-], 3 to 64 bytes), in place of what was there.
func (l *Library) KeepAnswer(key string, data []byte) error {
	if err := l.ReadOnly(); err != nil {
		return err
	}
	path, err := l.answerPath(key)
	if err != nil {
		return err
	}
	packed := raw.Pack(data)
	for try := 0; ; try++ {
		err = errors.Join(disk.MakeDirs(filepath.Dir(path)), l.put(path, packed))
		if !errors.Is(err, fs.ErrNotExist) || try == 3 { // all were dropped at this moment
			break
		}
	}
	if err != nil {
		err = fmt.Errorf("answer %s: %w", key, err)
	}
	return err
}

// DropAnswers removes those that hold words of one of the sessions. One that doesn't say of which, or can't be read,
// may hold them, and goes too.
func (l *Library) DropAnswers(ids ...ingest.SessionID) error { return l.dropAnswers(ids, nil) }

func (l *Library) dropAnswers(ids []ingest.SessionID, texts *Needles) error {
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
		disk.Unlink(dir) // if that was the last one
	}
	return err
}

// AnswerStays reports whether a file of cache/ holds words of none of the sessions, and none of the texts.
func AnswerStays(path string, ids []ingest.SessionID, texts *Needles) bool {
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

// CacheName is the folder of what models answered.
const CacheName = "cache"

// SaveVectors keeps the vectors that a model made of a session's items, as vectors/<model>.f32 in its folder. What is
// in it is the caller's matter.
func (l *Library) SaveVectors(id ingest.SessionID, model string, data []byte) error {
	if err := l.putSummed(id, "vectors/"+vectorsName(model), bytes.NewReader(data), false); err != nil {
		return fmt.Errorf("session %s: vectors: %w", id, err)
	}
	return nil
}

// Vectors gives what SaveVectors kept of a model; nil if it kept nothing.
func (l *Library) Vectors(id ingest.SessionID, model string) ([]byte, error) {
	b, err := l.readFile(id, "vectors/"+vectorsName(model))
	if err != nil {
		err = fmt.Errorf("session %s: vectors: %w", id, err)
	}
	return b, err
}

// vectorsName is a model's name as a file's. Two may share it: what is in the file says whose it is.
func vectorsName(model string) string { return strings.Trim(disk.SafeName(model, 80), ".-") + ".f32" }
