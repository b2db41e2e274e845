package web

import (
	"context"
	"net/http"
	"os"
	"time"

	"recall/ingest"
)

// live reports changes as server-sent events until the page is left. While a session's page is open, what its client
// adds to it is taken in as it comes.
func (s *Server) live(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(w)
	last, tried := s.o.Stamp(), ""
	for tick := time.NewTicker(2 * time.Second); ; {
		if err := out.Flush(); err != nil {
			return
		}
		select {
		case <-r.Context().Done():
			tick.Stop()
			return
		case <-tick.C:
		}
		if id := r.URL.Query().Get("session"); id != "" && !s.o.ReadOnly {
			tried = s.takeIn(r.Context(), ingest.SessionID(id), tried)
		}
		word := ": still here\n\n"
		if now := s.o.Stamp(); now != last {
			last, word = now, "event: changed\ndata: \n\n"
		}
		if _, err := w.Write([]byte(word)); err != nil {
			return
		}
	}
}

// takeIn syncs if a session's sources have grown: not twice for the same growth, which a stamp identifies.
func (s *Server) takeIn(ctx context.Context, id ingest.SessionID, tried string) string {
	m, err := s.o.Open(ctx, false)
	if err != nil {
		return tried
	}
	defer m.Close()
	e, err := m.Library.Session(id)
	if err != nil {
		return tried
	}
	var sources []string
	behind := false
	for _, f := range e.Files {
		for _, source := range f.Sources {
			sources = append(sources, source.Path)
			fi, err := os.Stat(source.Path)
			behind = behind || err == nil && fi.Size() > f.Size
		}
	}
	stamp := StampOf(sources...)
	if !behind || stamp == tried {
		return stamp
	}
	if fresh, err := s.o.Open(ctx, true); err == nil {
		fresh.Close()
	}
	return stamp
}
