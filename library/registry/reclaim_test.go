package registry

import "testing"

// A space has no root to be found by: its sessions' id is that of its name.
func TestReclaim(t *testing.T) {
	right := idOf("name:notes")
	r := &Registry{Projects: []Project{{ID: "flipped", Name: "My notes", Base: "notes"},
		{ID: "x", Base: "app", Root: "/app"}}}
	r.Reclaim([]string{right, idOf("name:app")})
	if p := r.Find(right); p == nil || p.Name != "My notes" {
		t.Errorf("%+v", r.Projects)
	}
	if r.Projects[1].ID != "x" {
		t.Error("one with a root is found by that")
	}
}
