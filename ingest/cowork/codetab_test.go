package cowork

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recall/ingest"
)

func TestCodeTabTitles(t *testing.T) {
	data := filepath.Join(t.TempDir(), "odd [name]*")
	store := filepath.Join(data, "claude-code-sessions", "a", "b")
	if err := os.MkdirAll(store, 0o700); err != nil {
		t.Skip("no such folder names here: ", err)
	}
	for name, content := range map[string]string{
		"local_1.json": `{"sessionId":"local_1","cliSessionId":"s1","title":"Price cache","isArchived":true,"completedTurns":3}`,
		"local_2.json": `{"sessionId":"local_2","title":"never started"}`,
		"local_3.json": `{"sessionId":"local_3","cliSess`,
	} {
		if err := os.WriteFile(filepath.Join(store, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, root := range []string{filepath.Join(data, sessionsFolder), filepath.Join(data, "claude-code-sessions")} {
		titles, problems := CodeTabTitles(root)
		if diff := cmp.Diff(map[ingest.SessionID]CodeTab{"s1": {"Price cache", true}}, titles); diff != "" || len(problems) != 1 {
			t.Errorf("%s: problems %v, titles -want +got:\n%s", root, problems, diff)
		}
	}
}
