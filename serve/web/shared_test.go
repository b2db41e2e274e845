package web

import (
	"context"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"recall/answer"
	"recall/index"
	"recall/library"
	"recall/payload"
	"recall/pipeline"
)

// The link of what a colleague said leads to what they share of that session, as text.
func TestSharedSession(t *testing.T) {
	l, err := library.Create(filepath.Join(t.TempDir(), "lib"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	s, err := New(Options{Open: func(context.Context, bool) (*Memory, error) {
		return &Memory{Pipeline: &pipeline.Pipeline{Archiver: pipeline.Archiver{Library: l}},
			Close: func() {}, Shared: func(id string) (*answer.Shared, error) {
				if id != "s1@Bob B." {
					return nil, library.ErrNoSession
				}
				return &answer.Shared{Author: "Bob B.", Machine: "elm", Title: "<b>Queue</b>", Transcript: "## Turn 1\n<script>",
					Payload: &payload.Payload{Items: []payload.Item{{ID: "k3v9t2m8qa", Kind: payload.Decision,
						Text: "Retry five times", State: payload.Stands}}}}, nil
			}}, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	get := func(link string) (int, string) {
		r := httptest.NewRequest(http.MethodGet, link, nil)
		r.SetPathValue("id", strings.TrimPrefix(r.URL.Path, "/session/"))
		w := httptest.NewRecorder()
		s.page("session", s.session).ServeHTTP(w, r)
		return w.Code, w.Body.String()
	}
	code, page := get(there(sharedBy(index.Place{Session: "s1", Author: "Bob B."}), ""))
	for _, want := range []string{"shared by Bob B., from elm", "&lt;b&gt;Queue", "Retry five times", "&lt;script&gt;"} {
		if code != http.StatusOK || !strings.Contains(page, want) {
			t.Errorf("%d: no %q in\n%s", code, want, page)
		}
	}
	if code, page := get("/session/s2"); code != http.StatusNotFound {
		t.Errorf("nobody's: %d\n%s", code, page)
	}
}
