package library

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What is damaged in a library never takes the place of what a backup of it
// has, and is told of.
func TestBackupKeepsWhatIsDamagedHere(t *testing.T) {
	ctx := context.Background()
	one, two := strings.Repeat("one\n", 2000), strings.Repeat("two\n", 2000)
	for name, harm := range map[string]func(l *Library, segs []string) error{
		"gone": func(_ *Library, segs []string) error { return os.Remove(segs[0]) },
		"cut":  func(_ *Library, segs []string) error { return os.Truncate(segs[0], 20) },
		"packed and gone": func(l *Library, _ []string) error {
			return afterPacking(l, os.Remove)
		},
		"packed and flipped": func(l *Library, _ []string) error {
			return afterPacking(l, func(path string) error {
				text, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				text[len(text)/2] ^= 1
				return os.WriteFile(path, text, 0o600)
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			l, src, dir := newLib(t), t.TempDir(), filepath.Join(t.TempDir(), "backup")
			write(t, filepath.Join(src, "transcript.jsonl"), one)
			archive(t, l, find(t, id, src))
			write(t, filepath.Join(src, "transcript.jsonl"), one+two)
			archive(t, l, find(t, id, src))
			if _, err := l.Backup(ctx, dir, nil); err != nil {
				t.Fatal(err)
			}
			if err := harm(l, segmentsOf(t, l)); err != nil {
				t.Fatal(err)
			}
			l = again(t, l)
			m, err := l.Backup(ctx, dir, nil)
			if err != nil {
				t.Fatal(err)
			}
			if len(m.Problems) == 0 && name != "gone" && name != "cut" {
				t.Error("nothing was told of the damage")
			}
			b, err := Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer b.Close()
			if v := verify(t, b, VerifyOptions{}); v.Damage() > 0 {
				t.Errorf("the backup:\n%s", said(v))
			}
			if got := content(t, b, id, "transcript.jsonl"); got != one+two {
				t.Errorf("the backup has %d bytes, want %d", len(got), len(one+two))
			}
		})
	}
}

func afterPacking(l *Library, harm func(path string) error) error {
	if _, err := l.Pack(context.Background(), id); err != nil {
		return err
	}
	segs, err := filepath.Glob(filepath.Join(l.Dir(), "*", "*", "raw", "*.zst"))
	if err != nil {
		return err
	}
	return harm(segs[0])
}

// segmentsOf are the segments' files of a library with one session.
func segmentsOf(t *testing.T, l *Library) []string {
	t.Helper()
	segs, err := filepath.Glob(filepath.Join(l.Dir(), "*", "*", "raw", "*.zst"))
	if err != nil || len(segs) == 0 {
		t.Fatalf("%d segments, %v", len(segs), err)
	}
	return segs
}
