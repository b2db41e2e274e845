package model

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"recall/ingest"
	"recall/ingest/claudecode"
)

// mostTokens is what half of all sessions may take at most, in all requests that are made about one.
const mostTokens = 8_000

// What asking about real sessions takes, instructions, schema and all, as it is guessed: docs/internals/quality.md says
// so. And what of the quotes of items that must be kept is shown for
// it: of those that people wrote down and of those that a model did.
func TestTokensOfRealSessions(t *testing.T) {
	shared := os.Getenv("RECALL_SHARED")
	if shared == "" {
		t.Skip("RECALL_SHARED not set")
	}
	m := New(Options{Model: &scripted{}, Store: newMemory()})
	var takes []int
	all := realSessions(t, shared)
	for _, s := range all {
		if !m.Ripe(s) {
			continue
		}
		z, windows, _, err := m.cut(s, m.o.Window)
		if err != nil {
			t.Fatal(err)
		}
		guessed := max(0, len(windows)-1) * z.carry / 2 // what a later one is told of those before
		for i := range windows {
			guessed += m.size(m.about(s, &windows[i], z, nil).request)
		}
		takes = append(takes, guessed)
	}
	half := median(takes)
	t.Logf("%d of %d sessions are asked about; half take less than %d tokens", len(takes), len(all), half)
	if half > mostTokens {
		t.Errorf("half of the sessions take more than %d tokens", mostTokens)
	}
	page, err := os.ReadFile(filepath.FromSlash("../../docs/internals/quality.md"))
	if err != nil {
		t.Fatal(err)
	}
	said := fmt.Sprintf("Of %d real sessions %d say enough to be asked about; half of these take less than %d,%03d tokens in all "+
		"their requests, instructions and schema among them, as recall guesses.", len(all), len(takes), half/1000, half%1000)
	if !strings.Contains(strings.Join(strings.Fields(string(page)), " "), said) {
		t.Errorf("docs/internals/quality.md says otherwise than: %s", said)
	}
	must, shown := map[string]int{}, map[string]int{}
	for _, files := range []string{peoples, models} {
		for _, c := range goldCases(t, shared, files) {
			blocks, _ := condense(c.session)
			var b strings.Builder
			for _, k := range blocks {
				b.WriteString(k.text)
			}
			text := plain(b.String())
			for _, it := range c.gold.Items {
				if !it.Must {
					continue
				}
				must[files]++
				if strings.Contains(text, plain(it.Quote)) {
					shown[files]++
				} else {
					t.Logf("%.8s %s lost: %s", c.gold.Session, it.ID, it.Quote)
				}
			}
		}
	}
	t.Logf("of quotes that must be kept are shown: people's %d of %d, a model's %d of %d", shown[peoples],
		must[peoples], shown[models], must[models])
	if must[peoples]-shown[peoples] > 4 || must[models]-shown[models] > 10 || must[models] < 400 {
		t.Error("quotes that must be kept are shown less often: people's lacked 4, a model's 10")
	}
}

func median(list []int) int {
	slices.Sort(list)
	return list[len(list)/2]
}

// realSessions are all shared sessions that a person had, each once.
func realSessions(t *testing.T, shared string) (all []*ingest.Session) {
	t.Helper()
	seen := map[ingest.SessionID]bool{}
	for _, dir := range []string{"silver", filepath.Join("transcripts", "dev")} {
		found, err := claudecode.Reader{}.Find(t.Context(), filepath.Join(shared, dir), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			s, err := claudecode.Reader{}.Parse(t.Context(), f)
			if err != nil || seen[s.ID] {
				continue // of a broken one: what can be read is tested where it is parsed
			}
			seen[s.ID] = true
			all = append(all, s)
		}
	}
	return all
}
