package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"recall/cmd/recall/config"
)

// otherClients are the clients beside Claude Code: what each needs to ask a model at url, and how it is asked once.
var otherClients = []struct {
	word, variable string
	config         func(d *desk, url string) (path, text string)
	asks           []string
}{
	{"codex", "RECALL_CODEX", func(d *desk, url string) (string, string) {
		return ".codex/config.toml", fmt.Sprintf("model = \"gpt-5-codex\"\nmodel_provider = \"here\"\n"+
			"[model_providers.here]\nname = \"here\"\nbase_url = \"%s/v1\"\nwire_api = \"responses\"\n"+
			"env_key = \"OPENAI_API_KEY\"\n[projects.%q]\ntrust_level = \"trusted\"\n", url, d.project)
	}, []string{"exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust"}},
	{"gemini", "RECALL_GEMINI", func(*desk, string) (string, string) {
		return ".gemini/settings.json", `{"security":{"auth":{"selectedType":"gemini-api-key"},"folderTrust":{"enabled":false}},` +
			`"general":{"enableAutoUpdate":false},"privacy":{"usageStatisticsEnabled":false},"telemetry":{"enabled":false}}`
	}, []string{"-p"}},
	{"opencode", "RECALL_OPENCODE", func(_ *desk, url string) (string, string) {
		return "config/opencode/opencode.json", `{"autoupdate":false,"share":"disabled","model":"here/gpt","small_model":"here/gpt",` +
			`"provider":{"here":{"npm":"@ai-sdk/openai-compatible","name":"here","options":{"baseURL":"` + url +
			`/v1","apiKey":"dummy"},"models":{"gpt":{"name":"gpt","limit":{"context":100000,"output":8000}}}}}}`
	}, []string{"run"}},
}

// What was said in Claude Code is told to the real Codex, Gemini CLI and OpenCode: at the start what the last session
// settled, at the prompt what was said long before and bears on it.
func TestRealOtherClientsAreTold(t *testing.T) {
	programs := map[string]string{}
	exe := ""
	for _, c := range otherClients {
		programs[c.word] = os.Getenv(c.variable)
		if programs[c.word] != "" && exe == "" {
			exe = built(t, filepath.Join(t.TempDir(), "recall"))
		}
	}
	for _, c := range otherClients {
		t.Run(c.word, func(t *testing.T) {
			if programs[c.word] == "" {
				t.Skipf("%s names no program; .ci/clients brings one", c.variable)
			}
			d, m := newDesk(t), newOtherAPI(t)
			d.removeAtEnd()
			// Forty sessions later, what the assistant reported at a session's end isn't quoted at the start any more.
			d.says(session(1), "Look at the buoys.",
				"The paging threshold of the buoy alarms is 90 seconds, because a wave takes up to 80.")
			for i := range 41 {
				d.at = d.at.Add(time.Hour)
				d.says(session(i+2), fmt.Sprintf("Let's use chart set %d for harbour %d, not the set of the year before, because "+
					"the pilots of that harbour measured the depths again in spring and printed the new ones.", i, i),
					fmt.Sprintf("Harbour %d uses chart set %d. The depths of the year before aren't read any more.", i, i))
			}
			path, text := c.config(d, m.URL)
			path = filepath.Join(d.home, filepath.FromSlash(path))
			must(t, os.MkdirAll(filepath.Dir(path), 0o700))
			must(t, os.WriteFile(path, []byte(text), 0o600))
			runs := func(program string, args ...string) {
				t.Helper()
				cmd := exec.CommandContext(t.Context(), program, args...)
				cmd.Dir, cmd.WaitDelay = d.project, time.Second
				cmd.Env = []string{"HOME=" + d.home, "XDG_CACHE_HOME=" + filepath.Join(d.home, "cache"), "XDG_CONFIG_HOME=" +
					filepath.Join(d.home, "config"), "PATH=" + os.Getenv("PATH"), "TMPDIR=" + filepath.Join(d.home, "cache"),
					embedProvider + "=" + config.EmbedOff, "OPENAI_API_KEY=dummy", "GEMINI_API_KEY=dummy",
					"GOOGLE_GEMINI_BASE_URL=" + m.URL, "OPENCODE_DISABLE_MODELS_FETCH=1",
					"OPENCODE_DISABLE_LSP_DOWNLOAD=1", "OPENCODE_DISABLE_AUTOUPDATE=1"}
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("%s %q: %v\n%s", filepath.Base(program), args, err, out)
				}
			}
			runs("git", "init", "-q", "-b", "main")
			runs(exe, "init", "--yes")
			runs(exe, "setup", "--all", "--only", "hooks", "--client", c.word)

			runs(programs[c.word], append(c.asks, "Say hello.")...)
			asked := m.asked()
			if !strings.Contains(asked, "use chart set 40 for harbour 40") || strings.Contains(asked, "90 seconds") {
				t.Errorf("at the start the model is asked\n%.6000s", asked)
			}
			for request := range strings.Lines(asked) {
				if strings.Contains(request, "title generator") && strings.Contains(request, "chart set") {
					t.Errorf("for a title the model is asked\n%.6000s", request)
				}
			}
			runs(programs[c.word], append(c.asks, "Change the paging threshold of the buoy alarms to 60 seconds.")...)
			if asked := m.asked(); !strings.Contains(asked, "paging threshold of the buoy alarms is 90 seconds") {
				t.Errorf("at the prompt the model is asked\n%.6000s", asked)
			}
		})
	}
}

// otherAPI stands in for the services of OpenAI's (responses, chat completions) and Gemini's form: it says "Done." and
// keeps what it is asked.
type otherAPI struct {
	*httptest.Server
	mu     sync.Mutex
	bodies []string
}

func newOtherAPI(t *testing.T) *otherAPI {
	m := &otherAPI{}
	m.Server = httptest.NewServer(http.HandlerFunc(m.serve))
	t.Cleanup(m.Close)
	return m
}

// asked joins what the model was asked since the last call.
func (m *otherAPI) asked() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := strings.Join(m.bodies, "\n")
	m.bodies = nil
	return all
}

func (m *otherAPI) serve(w http.ResponseWriter, r *http.Request) {
	raw, _ := io.ReadAll(r.Body)
	m.mu.Lock()
	m.bodies = append(m.bodies, string(raw))
	m.mu.Unlock()
	var asked struct{ Stream bool }
	_ = json.Unmarshal(raw, &asked) // what isn't JSON asks for no stream
	data := func(lines ...string) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, line := range lines {
			fmt.Fprintf(w, "data: %s\n\n", line)
		}
	}
	const said = `{"id":"m1","type":"message","role":"assistant","status":"completed",` +
		`"content":[{"type":"output_text","text":"Done.","annotations":[]}]}`
	const chat = `{"id":"c1","object":"chat.completion.chunk","created":1,"model":"gpt","choices":[{"index":0,`
	const generated = `{"candidates":[{"content":{"role":"model","parts":[{"text":"%s"}]},"finishReason":"STOP","index":0}],` +
		`"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":1,"totalTokenCount":10}}`
	switch path := r.URL.Path; {
	case strings.HasSuffix(path, "/responses"):
		data(`{"type":"response.created","response":{"id":"r1","status":"in_progress","output":[]}}`,
			`{"type":"response.output_item.done","output_index":0,"item":`+said+`}`,
			`{"type":"response.completed","response":{"id":"r1","status":"completed","output":[`+said+`],"usage":{"input_tokens":9,`+
				`"input_tokens_details":{"cached_tokens":0},"output_tokens":1,"output_tokens_details":{"reasoning_tokens":0},`+
				`"total_tokens":10}}}`)
	case strings.HasSuffix(path, "/chat/completions") && asked.Stream:
		data(chat+`"delta":{"role":"assistant","content":"Done."},"finish_reason":null}]}`,
			chat+`"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}`, "[DONE]")
	case strings.HasSuffix(path, ":streamGenerateContent"):
		data(fmt.Sprintf(generated, "Done."))
	case strings.HasSuffix(path, ":generateContent"): // which model, asked of another one
		fmt.Fprintf(w, generated, `{\"complexity_reasoning\":\"x\",\"complexity_score\":9}`)
	case strings.HasSuffix(path, ":countTokens"):
		fmt.Fprint(w, `{"totalTokens":9}`)
	default:
		http.NotFound(w, r)
	}
}
