// Package prompts holds the texts that recall gives to models, one embedded file per task. A prompt's version is the
// hash of its text, so that results of different wordings can be told apart.
package prompts

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"strings"
)

// A Prompt is the name of its files: NAME.txt and, if the answer has a schema, NAME.schema.json.
type Prompt string

const (
	Extract   Prompt = "extract"   // extracts a session's items; see Extraction
	Reconcile Prompt = "reconcile" // decides how later items relate to earlier ones
	Rerank    Prompt = "rerank"    // selects the search results that answer the question
	Judge     Prompt = "judge"     // decides whether two notes state the same fact

	// Examples has the examples of Extract as complete answers, for models that imitate what they are shown.
	Examples Prompt = "examples"
	// Confirm follows a payload handed to the next session; the answer shows whether it was understood. A single
	// line without a newline.
	Confirm Prompt = "confirm"
	// WrapUp makes an agent draft a session's payload before ending it, and record each item with its evidence.
	WrapUp Prompt = "wrapup"
	// Handoff makes an agent draft the payload for somebody else who takes over.
	Handoff Prompt = "handoff"
)

//go:embed *.txt *.schema.json
var files embed.FS

// Text returns the prompt's text.
func (p Prompt) Text() string { return strings.TrimSpace(string(p.read(".txt"))) }

// Schema returns the JSON Schema of the answer on one line, because layout costs tokens when a model is shown it.
func (p Prompt) Schema() json.RawMessage {
	var b bytes.Buffer
	if err := json.Compact(&b, p.read(".schema.json")); err != nil {
		panic(err) // embedded schemas are valid
	}
	return b.Bytes()
}

func (p Prompt) read(kind string) []byte {
	data, err := files.ReadFile(string(p) + kind)
	if err != nil {
		panic(err) // every prompt has its files
	}
	return data
}

// Extraction returns the text of Extract, with Examples for a small model, and the schema of its answer. Without
// known, both omit what concerns items known from earlier parts.
func Extraction(known, small bool) (text string, form json.RawMessage) {
	form = Extract.Schema()
	rules, examples, _ := strings.Cut(Extract.Text(), "# Examples")
	examples = "# Examples" + examples
	if small {
		examples = Examples.Text()
	}
	if known {
		return rules + examples, form
	}
	rules, _, _ = strings.Cut(rules, "# When earlier parts were read already")
	fields, _, _ := strings.Cut(string(form), `"earlier"`) // these fields come last
	return rules + examples, json.RawMessage(strings.TrimRight(fields, ", \n") + "}}}}}")
}

// Version returns the version of a prompt's text: 12 hexadecimal digits.
func Version(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:6])
}
