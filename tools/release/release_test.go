package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"
)

// The same files give the same archive, with one folder and programs that run.
func TestPack(t *testing.T) {
	at := time.Date(2026, 4, 17, 14, 0, 0, 0, time.UTC)
	members := []member{{"recall", []byte("program"), 0o755}, {"man/man1/recall.1", []byte("page"), 0o644}}
	for _, pack := range []func(string, []member, time.Time) ([]byte, error){tarball, zipped} {
		one, err := pack("recall-1.0.0", members, at)
		if err != nil {
			t.Fatal(err)
		}
		two, err := pack("recall-1.0.0", members, at)
		if err != nil || !bytes.Equal(one, two) {
			t.Errorf("not the same twice: %v", err)
		}
	}
	data, _ := tarball("recall-1.0.0", members, at)
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	h, err := tar.NewReader(z).Next()
	if err != nil || h.Name != "recall-1.0.0/recall" || h.Mode != 0o755 || !h.ModTime.Equal(at) || h.Uname != "" ||
		h.Uid != 0 {
		t.Errorf("got %+v, %v", h, err)
	}
	data, _ = zipped("recall-1.0.0", members, at)
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil || len(r.File) != 2 || r.File[1].Name != "recall-1.0.0/man/man1/recall.1" {
		t.Fatalf("got %v, %v", r, err)
	}
	f, err := r.File[1].Open()
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if text, err := io.ReadAll(f); err != nil || string(text) != "page" {
		t.Errorf("got %q, %v", text, err)
	}
}

// The formula and the manifest name each archive where it will lie, with its sum.
func TestOffers(t *testing.T) {
	b := &build{version: "1.0.0", baseURL: "BASE_URL/v1.0.0", sums: map[string]string{}}
	for i, target := range targets {
		b.sums[b.archive(target[0], target[1])] = strings.Repeat(string(rune('a'+i)), 64)
	}
	formula, err := b.offer("recall.rb")
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := b.offer("recall.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range targets {
		name := b.archive(target[0], target[1])
		in := formula
		if target[0] == "windows" {
			in = manifest
		}
		url, sum := strings.Index(in, `"BASE_URL/v1.0.0/`+name+`"`), strings.Index(in, b.sums[name])
		if url < 0 || sum < 0 {
			t.Errorf("%s or its sum is missing in\n%s", name, in)
		}
	}
	var doc struct {
		Version      string
		Architecture map[string]struct{ URL, Hash string }
	}
	if err := json.Unmarshal([]byte(manifest), &doc); err != nil || doc.Version != "1.0.0" ||
		len(doc.Architecture) != 2 || doc.Architecture["arm64"].Hash != strings.Repeat("f", 64) {
		t.Errorf("manifest: %+v, %v", doc, err)
	}
	if strings.Count(formula, "do\n") != strings.Count(formula, "end\n")-2 { // of the class and of install
		t.Errorf("formula isn't balanced:\n%s", formula)
	}
}
