package distill

import (
	"testing"

	"recall/ingest"
)

// A file has its name from the folder that was worked in; one of another repository keeps its
// whole name, wherever the session passed through.
func TestFileNames(t *testing.T) {
	for name, c := range map[string]struct {
		cwds []ingest.CwdCount
		want map[string]string
		root string // the project's
	}{
		"a package of a repository": {cwds: []ingest.CwdCount{{Dir: "/src/app/web", Turns: 9}}, root: "/src/app",
			want: map[string]string{"/src/app/web/page.tsx": "web/page.tsx", "/src/app/b.go": "b.go"}},
		"home, passed": {cwds: []ingest.CwdCount{{Dir: "/home/ann/app", Turns: 9}, {Dir: "/home/ann", Turns: 1}},
			want: map[string]string{"/home/ann/app/a.go": "a.go", "/home/ann/tap/b.rb": "/home/ann/tap/b.rb"}},
		"around it, passed through": {cwds: []ingest.CwdCount{{Dir: "/src/app", Turns: 9}, {Dir: "/src", Turns: 1}},
			want: map[string]string{"/src/app/a.go": "a.go", "/src/tap/b.rb": "/src/tap/b.rb"}},
		"begun around it": {cwds: []ingest.CwdCount{{Dir: "/src/app", Turns: 1}, {Dir: "/src/app/web", Turns: 9}},
			want: map[string]string{"/src/app/web/a.ts": "web/a.ts", "/src/app/b.go": "b.go"}},
		"nowhere at first": {cwds: []ingest.CwdCount{{Turns: 9}, {Dir: "/src/app", Turns: 1}},
			want: map[string]string{"/src/app/a.go": "a.go"}},
		"Cowork's machine": {cwds: []ingest.CwdCount{{Dir: "/sessions/calm", Turns: 9}},
			want: map[string]string{"/sessions/calm/mnt/Docs/a.md": "Docs/a.md", "/sessions/calm/b.py": "b.py"}},
		"at home": {cwds: []ingest.CwdCount{{Dir: "/home/ann", Turns: 9}},
			want: map[string]string{"/home/ann/bin/x": "bin/x"}},
		"a worktree in it": {
			cwds: []ingest.CwdCount{{Dir: "/src/app", Turns: 2}, {Dir: "/src/app/.claude/worktrees/fix", Turns: 9}},
			want: map[string]string{"/src/app/.claude/worktrees/fix/web/a.ts": "web/a.ts", "/src/app/b.go": "b.go"}},
		"renamed beside it": {cwds: []ingest.CwdCount{{Dir: "/src/app", Turns: 9}, {Dir: "/src/apps", Turns: 1}},
			want: map[string]string{"/src/apps/a.go": "a.go"}},
	} {
		s := &ingest.Session{}
		s.Where.Cwds, s.Where.Root = c.cwds, c.root
		roots := Roots(s)
		for p, want := range c.want {
			if got := FileName(roots, p); got != want {
				t.Errorf("%s: %s is named %s, want %s", name, p, got, want)
			}
		}
	}
}
