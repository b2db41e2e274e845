package raw

import (
	"bytes"
	"testing"
)

// Whatever versions.jsonl holds, reading it doesn't panic, every line is
// either used or reported, and what is used is a sequence without gaps.
func FuzzVersions(f *testing.F) {
	sum := "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	f.Add(`{"file":"a","version":1,"keep":0,"add":["0-4-` + sum + `.zst"],"size":4}` + "\n" +
		`{"file":"a","version":2,"from":1,"keep":1,"add":[],"size":4}` + "\n")
	f.Add(`{"file":"a","version":9,"keep":-1}` + "\nnull\n[]\n{\"add\":[\"0--1-x.zst\"]}\n{torn")
	f.Fuzz(func(t *testing.T, text string) {
		lines := bytes.Split([]byte(text), []byte("\n"))
		v := ParseVersions("versions.jsonl", lines)
		used := 0
		for name, all := range v.Files {
			for n, ver := range all {
				used++
				var size int64
				for _, s := range ver.Segs {
					if s.Offset != size || s.Length < 0 {
						t.Errorf("%s version %d: segment %v after byte %d", name, n+1, s, size)
					}
					size += s.Length
				}
			}
		}
		if used > len(lines)-len(v.Lost) {
			t.Errorf("%d versions of %d lines, %d of them lost", used, len(lines), len(v.Lost))
		}
	})
}
