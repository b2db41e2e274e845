package main

import (
	"bytes"
	"fmt"
	"index/suffixarray"
	"io/fs"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"recall/index/indextest"
	"recall/internal/redact/plantedtest"
	"recall/library/state"
)

// plantedTable is the file that the table of all kinds is written to, "" where a
// sample is enough. It is read before tests clear the environment.
var plantedTable = os.Getenv("RECALL_PLANTED")

// keyFiles may say exactly where something is: they are as raw as raw/ is, and so
// is the list of what the session.json files say. What is derived names those
// places by what library.Project.Show makes of them.
var keyFiles = map[string]bool{"session.json": true, "projects.toml": true, state.Name: true}

// A secret may stand anywhere in a transcript, in the name of a folder, a
// branch, a tool too. It is nowhere but in raw/ and in the keys by which things
// are found again: not in a derived file or a file's name, not in the index, not
// in what a command prints, not in what a model is asked.
func TestPlantedSecretsStayInRaw(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: -short")
	}
	if apart(t) {
		return
	}
	d := newDesk(t)
	b := &bed{t: t, r: rand.New(rand.NewPCG(7, 11)), kinds: plantedtest.Kinds(), secrets: map[string]plot{},
		at: time.Now().UTC().Add(-60 * 24 * time.Hour)}
	if b.sessions = 20; plantedTable != "" { // each kind in half a dozen places
		b.sessions = len(b.kinds) / 8
	}
	code, cowork := filepath.Join(d.home, "code", "projects"), filepath.Join(d.home, "cowork", "local-agent-mode-sessions")
	codex, gemini := filepath.Join(d.home, "codex"), filepath.Join(d.home, "gemini")
	openCode := filepath.Join(d.home, "opencode")
	for i := range b.sessions {
		b.session(code, i)
		b.cowork(cowork, i)
		b.codex(codex, i)
		b.gemini(gemini, i)
		b.openCode(openCode, i)
	}
	b.spaces(cowork, b.sessions)
	if len(b.secrets) < 1000 {
		t.Fatalf("%d secrets planted: this test proves too little", len(b.secrets))
	}
	var bodies bytes.Buffer
	var mu sync.Mutex
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		_, _ = bodies.ReadFrom(r.Body)
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w,
			`{"id":"1","object":"chat.completion","model":"small","choices":[{"index":0,"message":{"role":"assistant",`+
				`"content":"{\"items\":[]}"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":9,`+
				`"total_tokens":18}}`)
	}))
	defer service.Close()
	b.file(filepath.Join(d.home, "config", "recall", "config.yaml"),
		[]byte("sources:\n  claude_code: ["+filepath.Dir(code)+"]\n  cowork: ["+cowork+"]\n  codex: ["+codex+"]\n"+
			"  gemini: ["+gemini+"]\n  opencode: ["+openCode+"]\n"+
			"llm: {provider: openai, model: small, url: '"+service.URL+"/v1'}\n"))
	outputs := b.printed()
	for what, out := range outputs {
		b.look("what recall "+what+" prints", out)
	}
	if n := bytes.Count(bodies.Bytes(), []byte("‹")); n < 500 {
		t.Errorf("%d placeholders were sent: this test proves nothing", n)
	}
	b.look("what a model was asked", bodies.Bytes())
	entries, err := os.ReadDir(d.home) // the library, the cache, logs, exports, what hooks left
	must(t, err)
	for _, e := range entries {
		switch dir := filepath.Join(d.home, e.Name()); {
		case dir == filepath.Dir(code), dir == filepath.Dir(cowork), dir == codex, dir == gemini, dir == openCode,
			dir == d.project:
		case e.IsDir():
			b.lookIn(dir)
		default:
			text, err := os.ReadFile(dir)
			must(t, err)
			b.look(e.Name(), text)
		}
	}
	b.lookAtIndex()
	b.table()
}

// table reports more than one leak in a hundred, and writes how many of each kind
// leaked to the file that RECALL_PLANTED names.
func (b *bed) table() {
	type row struct{ planted, leaked int }
	rows := map[string]*row{}
	for secret, p := range b.secrets {
		for _, name := range []string{"all", p.kind.Class + "/" + p.kind.Name} {
			if rows[name] == nil {
				rows[name] = &row{}
			}
			rows[name].planted++
			if b.leaked[secret] {
				rows[name].leaked++
			}
		}
	}
	var out strings.Builder
	out.WriteString("| kind | leaked of planted |\n|---|---|\n")
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		fmt.Fprintf(&out, "| %s | %d / %d |\n", name, rows[name].leaked, rows[name].planted)
	}
	if plantedTable == "" {
		plantedTable = os.DevNull
	}
	if err := os.WriteFile(plantedTable, []byte(out.String()), 0o600); err != nil {
		b.t.Fatal(err)
	}
	if all := rows["all"]; all.leaked*100 > all.planted {
		b.t.Errorf("%d of %d planted secrets leaked, want at most 1 %%", all.leaked, all.planted)
	}
}

// head is how many bytes of a secret are looked up at once.
const head = 6

// look reports the planted secrets in a text, in any case of letters.
func (b *bed) look(where string, text []byte) {
	if b.heads == nil {
		b.heads, b.leaked = map[[head]byte][]string{}, map[string]bool{}
		for secret := range b.secrets {
			low := strings.ToLower(secret)
			b.heads[[head]byte([]byte(low[:head]))] = append(b.heads[[head]byte([]byte(low[:head]))], secret)
		}
	}
	low := bytes.ToLower(text)
	here := map[string]bool{}
	for i := range max(len(low)-head+1, 0) {
		for _, secret := range b.heads[[head]byte(low[i:i+head])] {
			if here[secret] || !bytes.HasPrefix(low[i:], []byte(strings.ToLower(secret))) {
				continue
			}
			here[secret], b.leaked[secret] = true, true
			place := b.secrets[secret]
			b.t.Logf("%s holds the secret of a %s: %.70q", where, place, low[max(0, i-20):min(len(low), i+50)])
		}
	}
}

func (b *bed) lookIn(dir string) {
	eachFile(b.t, dir, func(path string, _ fs.DirEntry) {
		folder := filepath.Base(filepath.Dir(path))
		rel, _ := filepath.Rel(dir, path)
		if folder == "raw" {
			return
		}
		if folder != "outputs" { // their names are raw
			b.look("the name "+rel, []byte(rel))
		}
		if keyFiles[filepath.Base(path)] {
			return
		}
		text, err := os.ReadFile(path)
		if err != nil {
			b.t.Fatal(err)
		}
		b.look(rel, text)
	})
}

// lookAtIndex looks at all that the index holds, unpacked.
func (b *bed) lookAtIndex() {
	eachFile(b.t, os.Getenv("XDG_CACHE_HOME"), func(path string, _ fs.DirEntry) {
		if filepath.Base(path) != "index.db" {
			return
		}
		all, err := indextest.Dump(path)
		if err != nil {
			b.t.Fatal(err)
		}
		for _, want := range []string{"a heap instead of a sorted list", "budget is fixed", "‹"} {
			if !bytes.Contains(all, []byte(want)) {
				b.t.Fatalf("the dump of the index doesn't hold %q: this test proves nothing", want)
			}
		}
		b.look("the index", all)
		secrets := suffixarray.New([]byte(strings.ToLower(strings.Join(slices.Collect(maps.Keys(b.secrets)), "\n"))))
		words := map[string]bool{}
		for word := range strings.Lines(string(all)) {
			words[strings.ToLower(strings.TrimSpace(word))] = true
		}
		for word := range words {
			if len(word) < 12 || strings.Contains(word, " ") || secrets.Lookup([]byte(word), 1) == nil {
				continue
			}
			for secret := range b.secrets {
				if strings.Contains(strings.ToLower(secret), word) {
					b.leaked[secret] = true
					b.t.Logf("the index holds %q, a part of a secret of a %s", word, b.secrets[secret])
				}
			}
		}
	})
}
