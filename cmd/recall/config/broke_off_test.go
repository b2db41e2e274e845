package config

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync/atomic"
	"testing"

	"recall/internal/llm"
	"recall/library"
	"recall/library/calls"
	"recall/pipeline/improve"
)

// What was sent and broke off stands in the ledger as estimated, whoever speaks
// to the service; what never left doesn't.
func TestBrokenOffIsCounted(t *testing.T) {
	for _, provider := range []string{ProviderOpenAI, ProviderAnthropic, ProviderOllama} {
		t.Run(provider, func(t *testing.T) {
			arrived := make(chan struct{}, 8)
			var hold atomic.Bool
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				io.Copy(io.Discard, r.Body) // or nobody sees that the client has gone
				arrived <- struct{}{}
				if hold.Load() {
					<-r.Context().Done()
					return
				}
				w.Header().Set("Content-Length", "5000")
				fmt.Fprint(w, `{"id":"x"`) // and no more
			}))
			defer s.Close()
			l, err := library.Create(filepath.Join(t.TempDir(), "Recall"))
			if err != nil {
				t.Fatal(err)
			}
			ask := func(ctx context.Context, url string) error {
				at := standIn(t)
				cfg, err := Load(nil, put(t,
					fmt.Sprintf("llm: {provider: %s, model: m, context: 8000, url: %q}", provider, url), at.Working,
					"c.yaml"), at)
				if err != nil {
					t.Fatal(err)
				}
				m, err := cfg.Provider(ctx, func(string) string { return "" })
				if err != nil {
					t.Fatal(err)
				}
				_, err = llm.Metered(m, improve.NewPurse(l, improve.Caps{}, nil), cfg.Prices()).Complete(ctx,
					llm.Request{Task: "extract", Prompt: "what was decided?"})
				return err
			}
			gone := httptest.NewServer(nil)
			gone.Close()
			if err := ask(t.Context(), gone.URL); err == nil {
				t.Error("nobody there: got an answer")
			}
			if err := ask(t.Context(), s.URL); err == nil {
				t.Error("a cut answer was taken")
			}
			hold.Store(true)
			ctx, stop := context.WithCancel(t.Context())
			for len(arrived) > 0 {
				<-arrived
			}
			go func() { <-arrived; stop() }()
			if err := ask(ctx, s.URL); err != context.Canceled {
				t.Errorf("given up: got %v", err)
			}
			late := timeUp{context.Background(), make(chan struct{})}
			go func() { <-arrived; close(late.up) }()
			if err := ask(late, s.URL); err == nil {
				t.Error("too slow: got an answer")
			}
			var got []string
			spent, err := calls.Spending(l)
			for _, line := range spent {
				if err != nil || line.Estimated != (line.In > 0) {
					t.Errorf("%+v %v", line, err)
				}
				got = append(got, fmt.Sprint(line.Fault, " ", line.Estimated))
			}
			want := []string{"unreachable false", "unreachable true", "stopped true", "timed out true"}
			if provider == ProviderOllama { // its client reports a cut answer as an unreadable one
				want[1] = "nonsense true"
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("the ledger has %q, want %q", got, want)
			}
		})
	}
}

// timeUp is a context whose time is up when up is closed: when a request has
// arrived, however slow the machine is.
type timeUp struct {
	context.Context
	up chan struct{}
}

func (c timeUp) Done() <-chan struct{} { return c.up }

func (c timeUp) Err() error {
	select {
	case <-c.up:
		return context.DeadlineExceeded
	default:
		return nil
	}
}
