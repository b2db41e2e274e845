package library_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	. "recall/library"
)

func TestVectorsName(t *testing.T) {
	for model, want := range map[string]string{
		"nomic-embed-text/768":   "nomic-embed-text-768.f32",
		"../../etc/passwd":       "etc-passwd.f32",
		`a\b:c*d`:                "a-b-c-d.f32",
		"bge-m3:latest":          "bge-m3-latest.f32",
		"text-embedding-3.small": "text-embedding-3.small.f32",
	} {
		if got := VectorsName(model); got != want {
			t.Errorf("VectorsName(%q) = %q, want %q", model, got, want)
		}
	}
}

func TestSaveVectors(t *testing.T) {
	l := newLib(t)
	addSession(t, l, id, meta(t, l, "T"))
	if got, err := l.Vectors(id, "m/2"); got != nil || err != nil {
		t.Errorf("before: got %q, %v, want nothing", got, err)
	}
	for _, data := range []string{"one", "two"} {
		if err := l.SaveVectors(id, "m/2", []byte(data)); err != nil {
			t.Fatal(err)
		}
		if got, err := l.Vectors(id, "m/2"); string(got) != data || err != nil {
			t.Errorf("got %q, %v, want %q", got, err, data)
		}
	}
	e, err := l.Session(id)
	if err != nil {
		t.Fatal(err)
	}
	fi, err := os.Stat(filepath.Join(e.Folder, "vectors", "m-2.f32"))
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && fi.Mode().Perm() != 0o600 {
		t.Errorf("got mode %v, want 0600", fi.Mode().Perm())
	}
	if _, err := l.Vectors("none", "m/2"); err == nil {
		t.Error("of no session: got no error")
	}
}
