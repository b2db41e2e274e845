package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recall/cmd/recall/app"
	"recall/cmd/recall/config"
)

// recall init --provider: tried once, said what leaves, written as one line;
// what doesn't answer isn't written.
func TestInitProvider(t *testing.T) {
	const secret = "sk-init-0123456789"
	status, asked := http.StatusUnauthorized, 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		if r.Header.Get("Authorization") != "Bearer "+secret {
			t.Errorf("Authorization: got %q", r.Header.Get("Authorization"))
		}
		w.WriteHeader(status)
		if status != http.StatusOK {
			fmt.Fprintf(w, `{"error":{"message":"Incorrect API key provided: %s","code":"invalid_api_key"}}`, secret)
			return
		}
		io.WriteString(w,
			`{"model":"tiny","choices":[{"message":{"role":"assistant","content":"yes"},"finish_reason":"stop"}],`+
				`"usage":{"prompt_tokens":12,"completion_tokens":1}}`)
	}))
	defer s.Close()
	home := t.TempDir()
	for _, v := range []string{"HOME", "USERPROFILE"} {
		t.Setenv(v, home)
	}
	for v, dir := range map[string]string{"XDG_CONFIG_HOME": "config", "AppData": "config", "XDG_CACHE_HOME": "cache",
		"LocalAppData": "cache"} {
		t.Setenv(v, filepath.Join(home, dir))
	}
	t.Setenv("RECALL_LLM_KEY", secret)
	t.Chdir(home)
	init := func(args ...string) (code int, out, errs string) {
		var o, e bytes.Buffer
		code = run(t.Context(), append([]string{"init"}, args...), strings.NewReader(""), &o, &e)
		if all := o.String() + e.String(); strings.Contains(all, secret) {
			t.Errorf("init %q prints the key:\n%s", args, all)
		}
		return code, o.String(), e.String()
	}
	conf, err := os.UserConfigDir()
	must(t, err)
	file := filepath.Join(conf, "recall", "config.yaml")

	code, _, errs := init("--provider", "openai", "--url", s.URL+"/v1", "--model", "tiny")
	if code != app.ExitError || !strings.Contains(errs, "not used: openai/tiny: unauthorized (401)") ||
		!strings.Contains(errs, "hint: check the key in the environment of the process that runs recall (RECALL_LLM_KEY)") ||
		asked != 1 {
		t.Errorf("a key that is wrong: got %d, %d requests, %s", code, asked, errs)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("what doesn't answer was written all the same")
	}
	status = http.StatusOK
	code, out, errs := init("--provider", "openai", "--url", s.URL+"/v1", "--model", "tiny")
	if code != app.ExitOK || asked != 2 || !strings.Contains(out, "openai/tiny answered") ||
		!strings.Contains(out, "Nothing leaves this machine.") || !strings.Contains(out, file) {
		t.Errorf("got %d, %d requests\n%s%s", code, asked, out, errs)
	}
	text, err := os.ReadFile(file)
	if want := "llm:\n  provider: openai\n  model: tiny\n  url: " + s.URL + "/v1\n"; err != nil || string(text) != want {
		t.Errorf("config.yaml: got %q, %v, want %q", text, err, want)
	}
	if code, out, _ := init("--provider", "none"); code != app.ExitOK ||
		!strings.Contains(out, "Nothing leaves this machine.") {
		t.Errorf("none: got %d\n%s", code, out)
	}
	if c, err := config.Load(nil, "", config.ThisSystem()); err != nil || c.Distill.Distiller != config.ByRules {
		t.Errorf("after none: got %+v, %v", c, err)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "llm:\n  provider: none\n" {
		t.Errorf("after none: got %q, %v, want nothing left of the one before", text, err)
	}
	for _, args := range [][]string{{"--model", "m"}, {"--provider", "magic"}} {
		if code, _, errs := init(args...); code != app.ExitError || !strings.Contains(errs, "hint:") {
			t.Errorf("init %q: got %d, %s", args, code, errs)
		}
	}
	if asked != 2 {
		t.Errorf("asked %d times, want 2", asked)
	}
}
