package index

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"recall/distill/offline"
	"recall/ingest/claudecode"
)

// The index may take little more than a tenth of what the transcripts take, with what sessions did: tool output isn't
// stored again.
func TestSizeOfDev(t *testing.T) {
	found, _ := claudecode.Reader{}.Find(t.Context(), filepath.Join(shared(t), "transcripts/dev"), nil)
	var docs []Doc
	for _, f := range found {
		s, err := claudecode.Reader{}.Parse(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		p, err := offline.Distiller{}.Distill(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		docs = append(docs, DocOf(s, p, "dev"))
	}
	x := openWith(t)
	if err := x.PutAll(t.Context(), docs); err != nil {
		t.Fatal(err)
	}
	if err := x.Tidy(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	fi, err := os.Stat(x.path)
	if err != nil {
		t.Fatal(err)
	}
	var raw int64
	err = filepath.WalkDir(filepath.Join(shared(t), "transcripts/dev"), func(p string, d fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(p) == ".jsonl" {
			i, err := d.Info()
			if err != nil {
				return err
			}
			raw += i.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes of index for %d of transcripts: %.1f %%", fi.Size(), raw, 100*float64(fi.Size())/float64(raw))
	if fi.Size()*100 > raw*11 {
		t.Errorf("the index takes %d bytes, more than 11 %% of %d", fi.Size(), raw)
	}
}
