package pipeline_test

import (
	"encoding/json"
	"strings"
	"testing"

	"recall/library"
	"recall/payload"
	"recall/pipeline"
)

// What newer rules know for a secret goes from what is taken over of an older payload, too: other words, and items that
// aren't found any more.
func TestNewerRulesCleanWhatIsTakenOver(t *testing.T) {
	const id, secret = "aaaaaaaa-0000-4000-8000-000000000007", "ghp_AbCdEfGhIjKlMnOpQrStUvWxYz0123456789"
	root := t.TempDir()
	p := open(t, t.TempDir())
	k := talk{id: id, start: day, said: []string{"Let's go with variant 1 for the importer instead of the old one, please.",
		"Done, the importer goes by variant 1."}}
	sync := func() *payload.Payload {
		t.Helper()
		k.write(t, root)
		if _, err := p.Sync(t.Context(), pipeline.Options{From: []string{root}}); err != nil {
			t.Fatal(err)
		}
		got, err := p.Library.Payload(id)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	old := sync()
	if len(old.Items) == 0 {
		t.Fatal("nothing was found")
	}
	old.Made.Rules = "rules of before"
	old.Items[0].Aliases = []string{"log in with " + secret}
	gone := old.Items[0]
	gone.ID, gone.Text, gone.State = "zzzzzzzzzz", "The importer logs in with "+secret, payload.Retired
	old.Retired = append(old.Retired, gone)
	if err := p.Library.SavePayload(id, library.Derived{Payload: old, Markdown: []byte(old.Written),
		Seen: []byte(old.Written)}); err != nil {
		t.Fatal(err)
	}
	k.said = append(k.said, "And let's go with variant 9 for the exporter instead of the old one, please.", "Done.")
	now := sync()
	data, err := json.Marshal(now)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(data), secret) {
		t.Errorf("the payload still holds the secret:\n%s", data)
	}
	if !strings.Contains(string(data), "log in with ‹") || !strings.Contains(string(data), "logs in with ‹") {
		t.Errorf("what was taken over is gone:\n%s", data)
	}
}
