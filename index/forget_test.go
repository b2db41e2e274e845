package index

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recall/payload"
)

// Nothing of a forgotten session is left in any of the index's files: not as
// text, not packed, not as a word of a full-text table.
func TestForgetLeavesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.db")
	x, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	ctx := context.Background()
	secret, kept := "quokkazebra", "wombatlemon"
	for i := range 40 {
		word := kept
		if i%10 == 3 {
			word = secret
		}
		long := strings.Repeat(fmt.Sprintf("%s stands in turn %d and is rather long. ", word, i), 20)
		doc := Doc{Session: fmt.Sprintf("s%d", i), Project: "p", Title: "about " + word,
			Turns: []Turn{{ID: "t", N: 1, Role: "user", Text: long, More: word}},
			Items: []Item{{Item: payload.Item{ID: payload.ItemID(fmt.Sprintf("i%d", i)), Kind: payload.Decision, Text: "use " +
				word, Aliases: []string{word}, Evidence: []payload.Evidence{{Turn: "t", N: 1, Quote: word}}}}}}
		if err := x.Put(ctx, doc); err != nil {
			t.Fatal(err)
		}
	}
	if err := x.Tidy(ctx); err != nil {
		t.Fatal(err)
	}
	if holds(t, path, secret) == "" {
		t.Fatal("the search finds nothing even before forgetting")
	}
	if err := x.Forget(ctx, "s3", "s13", "s23", "s33", "never-there"); err != nil {
		t.Fatal(err)
	}
	if at := holds(t, path, secret); at != "" {
		t.Errorf("still in %s", at)
	}
	a, err := x.Search(ctx, Query{Text: kept})
	if err != nil || len(a.Items()) == 0 {
		t.Errorf("the others aren't found any more: %d hits, %v", len(a.Items()), err)
	}
}

// holds says in which file of the index a word stands, "" if in none. Packed texts
// hold a word as it is where it stands first. The full text's words are sorted and leave
// out common beginnings, so a word's end is looked for as well.
func holds(t *testing.T, path, word string) string {
	t.Helper()
	files, err := filepath.Glob(path + "*")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range []string{word, word[1:], word[2:]} {
			if bytes.Contains(data, []byte(part)) {
				return file + " as " + part
			}
		}
	}
	return ""
}
