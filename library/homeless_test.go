package library_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recall/ingest"
	"recall/library/disk"
)

// A session whose project isn't in projects.toml is found, and isn't homeless
// after repair and the distilling that repair asks for.
func TestProjectsLost(t *testing.T) {
	for _, c := range []struct {
		name, says, how string
		renders         int
		damage          func(text, id string) string // "" deletes
		seal            bool                         // the damage comes with a good last line
	}{
		{"deleted", "it is gone", "added again", 1, func(string, string) string { return "" }, false},
		{"another id", "checksum in its last line", "the projects of 1 sessions", 1,
			func(text, id string) string { return strings.Replace(text, id, "a"+id[:9], 1) }, false},
		{"another id, sealed", "lacks the projects of 1 of the sessions", "the projects of 1 sessions", 1,
			func(text, id string) string { return strings.Replace(text, id, "a"+id[:9], 1) }, true},
		{"another id and root", "lacks the projects", "the projects of 1 sessions", 1, func(text, id string) string {
			return strings.ReplaceAll(strings.Replace(text, id, "a"+id[:9], 1), "billing", "selling")
		}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			l, src := newLib(t), t.TempDir()
			dir := filepath.Join(src, "home", "billing", id)
			write(t, filepath.Join(dir, "transcript.jsonl"), "{}\n")
			if err := syncOne(l, dir); err != nil {
				t.Fatal(err)
			}
			e, err := l.Session(id)
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(l.Dir(), "projects.toml")
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			bad := c.damage(string(text), e.Project)
			if at := strings.LastIndex(bad, "# check"); c.seal {
				bad = string(disk.TOML.Seal([]byte(bad[:at])))
			}
			if bad == "" {
				err = os.Remove(path)
			} else {
				err = os.WriteFile(path, []byte(bad), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			l = again(t, l)
			if v := verify(t, l); !strings.Contains(said(v), c.says) {
				t.Fatalf("verify said %q, want %q", said(v), c.says)
			}
			r := repair(t, l)
			if len(r.Mended) != 1 || !r.Mended[0].Done || !strings.Contains(r.Mended[0].How, c.how) ||
				len(r.Render) != c.renders {
				t.Errorf("repair did %+v, to render %v; want %q and %d", r.Mended, r.Render, c.how, c.renders)
			}
			if err := syncOne(l, dir); err != nil {
				t.Fatal(err)
			}
			if e, err = l.Session(id); err != nil {
				t.Fatal(err)
			}
			if _, err := l.Project(e.Project); err != nil {
				t.Error(err)
			}
			if v := verify(t, again(t, l)); len(v.Findings) > 0 {
				t.Errorf("afterwards: %s", said(v))
			}
		})
	}
}

// A project that was merged into another one is found by the id it had.
func TestMergedIsNotLost(t *testing.T) {
	l := newLib(t)
	var ids []string
	for _, root := range []string{"/home/ann/a", "/home/ann/b"} {
		p, err := l.ProjectFor(ingest.Project{Root: root, Name: filepath.Base(root)})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, p.ID)
	}
	dir := filepath.Join(t.TempDir(), "a", id)
	write(t, filepath.Join(dir, "transcript.jsonl"), "{}\n")
	archive(t, l, find(t, id, dir))
	m := meta(t, l, "one")
	m.Project = ids[0]
	if err := l.Place(id, m); err != nil {
		t.Fatal(err)
	}
	if err := l.MergeProjects(ids[0], ids[1]); err != nil {
		t.Fatal(err)
	}
	if v := verify(t, again(t, l)); len(v.Findings) > 0 {
		t.Errorf("got %s", said(v))
	}
}
