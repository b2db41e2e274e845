package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"
)

// Where Ollama listens unless OLLAMA_HOST says otherwise, and how long it may
// take to say what it has.
const (
	ollamaAddress = "127.0.0.1:11434"
	ollamaWait    = 300 * time.Millisecond
)

// offerOllama tells of an embedding model that Ollama has on this machine, and
// how to use it. Nothing but the question which models there are is sent, and
// that to this machine only.
func (a *app) offerOllama(ctx context.Context) {
	if a.cfg.Query.Vectors != "off" {
		return
	}
	address := ollamaHere(os.Getenv("OLLAMA_HOST"))
	model := ollamaEmbedder(ctx, address)
	if model == "" {
		return
	}
	fmt.Fprintf(a.out, `
Ollama runs here and has %s. To search by meaning, too, put into config.yaml
  query:
    vectors: service
  embed:
    url: http://%s/v1
    model: %s
and run recall embed, then recall calibrate.
`, model, address, model)
}

// ollamaHere is Ollama's address on this machine; "" if it is set to another.
func ollamaHere(env string) string {
	if env == "" {
		return ollamaAddress
	}
	env = strings.TrimSuffix(strings.TrimPrefix(env, "http://"), "/")
	host, port, err := net.SplitHostPort(env)
	if err != nil {
		host, port = env, "11434"
	}
	if host == "localhost" || host == "0.0.0.0" { // the latter is where it listens
		host = "127.0.0.1"
	}
	if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
		return ""
	}
	return net.JoinHostPort(host, port)
}

// ollamaEmbedder names an embedding model that Ollama has; "" if it has none,
// isn't there or takes too long.
func ollamaEmbedder(ctx context.Context, address string) string {
	if address == "" {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, ollamaWait)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/api/tags", nil)
	if err != nil {
		return ""
	}
	direct := &http.Client{Transport: &http.Transport{Proxy: nil, DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := direct.Do(req)
	if err != nil {
		return ""
	}
	defer res.Body.Close()
	var has struct {
		Models []struct {
			Name    string
			Details struct{ Family string }
		}
	}
	if res.StatusCode != http.StatusOK || json.NewDecoder(io.LimitReader(res.Body, 1<<20)).Decode(&has) != nil {
		return ""
	}
	for _, m := range has.Models {
		if strings.Contains(m.Name, "embed") || strings.Contains(m.Details.Family, "bert") {
			return strings.Map(printable, strings.TrimSuffix(m.Name, ":latest"))
		}
	}
	return ""
}

func printable(r rune) rune {
	if r < ' ' || r == 0x7f {
		return -1
	}
	return r
}
