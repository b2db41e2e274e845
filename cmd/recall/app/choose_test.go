package app

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// What is offered is what docs/internals/quality.md says was measured: how many of people's questions the first
// result answers over a model's items, and over those of rules.
func TestTheOfferSaysWhatWasMeasured(t *testing.T) {
	page, err := os.ReadFile("../../../docs/internals/quality.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "<!-- figures: questions -->")
	table, rest, _ := strings.Cut(table, "<!-- end -->")
	questions, sum := 0.0, 0.0
	rows := regexp.MustCompile(`(?m)^\| (\d+) questions \|.*\| answer@1 \| answer@5 \|\n.*\n`+
		`\| offline/\d+ \|.*\| (\d\.\d+) \([^|]*\) \| [^|]* \|$`).FindAllStringSubmatch(table, -1)
	for _, row := range rows {
		n, _ := strconv.ParseFloat(row[1], 64)
		first, _ := strconv.ParseFloat(row[2], 64)
		questions, sum = questions+n, sum+n*first
	}
	model := regexp.MustCompile(`\| (\d+) questions \| answer@1 \|.*\n.*\n\| the model's items \| 0\.(\d\d) `).
		FindStringSubmatch(rest)
	if len(rows) < 2 || model == nil || model[1] != fmt.Sprint(questions) {
		t.Fatalf("the page has %d tables of %v questions without a model, and with one %q", len(rows), questions, model)
	}
	want := fmt.Sprintf("With a model's payloads the first result answered %s of 100 questions, with those of rules %.0f.",
		model[2], 100*sum/questions)
	if got := strings.Join(strings.Fields(offer), " "); !strings.Contains(got, want) {
		t.Errorf("got %q, the page says %q", got, want)
	}
}
