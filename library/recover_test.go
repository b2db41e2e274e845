package library_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "recall/library"
	"recall/library/disk"
)

// A library.toml that is gone or can't be read is made again under the
// library's own id, wherever that is still known.
func TestRecover(t *testing.T) {
	for _, c := range []struct{ name, text, how string }{
		{"backup", "", "backup"},
		{"backup", "not toml at all", "backup"},
		{"", "id = 'ID'\nformat = two\n", "still readable"},
		{"", "garbage", "a new id"},
	} {
		l, _ := everyKind(t)
		path := filepath.Join(l.Dir(), "library.toml")
		l.Close()
		var backup *Library
		if c.name == "backup" {
			backup = l
		}
		text := strings.ReplaceAll(c.text, "ID", l.ID())
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if text == "" {
			os.Remove(path)
		}
		o, how, err := Recover(l.Dir(), backup)
		if err != nil {
			t.Fatal(err)
		}
		if same := o.ID() == l.ID(); !strings.Contains(how, c.how) || same == (c.how == "a new id") {
			t.Errorf("%s, %q: id %s of %s, %s", c.name, c.text, o.ID(), l.ID(), how)
		}
		if v := verify(t, o); v.Damage() > 0 || v.Sessions != 2 {
			t.Errorf("%s: %s", c.name, said(v))
		}
		if have, _ := os.ReadFile(path + ".damaged"); string(have) != text {
			t.Errorf("put aside: %q, want %q", have, text)
		}
		o.Close()
	}
	photos := t.TempDir()
	write(t, filepath.Join(photos, "2026", "Norway", "raw", "001.cr2"), "a picture")
	if _, _, err := Recover(photos, nil); !errors.Is(err, ErrNoLibrary) ||
		disk.Exists(filepath.Join(photos, "library.toml")) {
		t.Errorf("a folder of something else: %v", err)
	}
}
