package model

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What weak models make of the form, and how it is read.
func TestLooseForms(t *testing.T) {
	a, err := decodeAnswer(`{"items":[
		{"kind":"decision","text":"Use a heap","evidence":{"turn":2,"quote":"a heap"},"alternatives":"list","about":null,"confidence":0.8},
		{"kind":"decision","text":{"en":"Use a heap"}},
		"Use a heap",
		{"kind":"flag","text":"Watch out","evidence":[],"why":null,"more":1}],
		"closed":"none"}`)
	if err != nil {
		t.Fatal(err)
	}
	want := []found{
		{Kind: "decision", Text: "Use a heap", Evidence: []cited{{"2", "a heap"}}, Alternatives: []word{"list"},
			Confidence: "0.8"},
		{Kind: "flag", Text: "Watch out", Evidence: many[cited]{}},
	}
	if d := cmp.Diff(want, a.Items); d != "" || a.bad != 2 || a.Closed != nil {
		t.Errorf("bad %d, closed %v, items (-want +got):\n%s", a.bad, a.Closed, d)
	}
	for _, turn := range []word{"t12", "12", "T12", "turn 12", "[t12]", "## t12 user"} {
		if got := (cited{Turn: turn}).label(); got != "t12" {
			t.Errorf("%q: got %q, want t12", turn, got)
		}
	}
	for in, want := range map[word]float64{"high": 0.9, "Low": 0.5, "0.8": 0.8, "0.1": 0.5, "1": 0.9, "very": 0.7,
		"": 0.7, "80": 0.7} {
		if got := confidenceOf(in); got != want {
			t.Errorf("sure %q: got %v, want %v", in, got, want)
		}
	}
}

// What doesn't fit is told in terms of the JSON that a model wrote, if nothing does.
func TestMisfitsInTermsOfTheJSON(t *testing.T) {
	form := "its pairs have another form than the schema: pairs"
	for answer, want := range map[string]string{
		`[]`:              `it is not an object with the list "pairs"`,
		`{"pairs":null}`:  `it is not an object with the list "pairs"`,
		`{"pairs":{}}`:    `it is not an object with the list "pairs"`,
		`{"pairs":["2"]}`: form + "[0] is of another form: string",
		`{"pairs":[{"number":1.5},{"number":"2"}]}`: form + "[0].number is of another form: number 1.5",
		`{"pairs":[{"number":1,"why":["x"]}]}`:      form + "[0].why is of another form: array",
		`{"pairs":[{"number":1},{"number":"2"}]}`:   "",
	} {
		_, bad, err := elements[ruling](answer, "pairs")
		if err == nil && (want != "" || bad != 1) || err != nil && err.Error() != want {
			t.Errorf("%s says\n%v, want\n%s", answer, err, want)
		}
	}
}
