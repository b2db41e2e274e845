// Package prompts holds the texts that recall hands to a model, one embedded
// file a task. A prompt's version is the hash of its text, so that what it
// made can be told from what another wording made.
package prompts

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"strings"
)

// A Prompt is named by its files: NAME.txt and, where the answer has a form, NAME.schema.json.
type Prompt string

const (
	Extract   Prompt = "extract"   // a session's items; see Extraction
	Repair    Prompt = "repair"    // the right quotes of items whose quotes don't stand where they were said to
	Reconcile Prompt = "reconcile" // how later items bear on earlier ones
	Answer    Prompt = "answer"    // one paragraph out of what a search found
	Rerank    Prompt = "rerank"    // which of a search's results answer the question
	Judge     Prompt = "judge"     // whether two notes tell the same fact

	// Examples are those of Extract in the whole form of an answer, for models that keep to what they are shown.
	Examples Prompt = "examples"
	// Confirm follows a payload that is handed to the next session: its answer
	// shows whether the payload was understood. One line, without a line break.
	Confirm Prompt = "confirm"
	// WrapUp has an agent that is about to end a session draft its payload, and
	// record each item with its evidence.
	WrapUp Prompt = "wrapup"
	// Handoff has an agent draft the payload for somebody else who takes over.
	Handoff Prompt = "handoff"
)

//go:embed *.txt *.schema.json
var files embed.FS

// Text is what is asked.
func (p Prompt) Text() string { return strings.TrimSpace(string(p.read(".txt"))) }

// Schema is the form of the answer, a JSON Schema in one line: where a model is told of it, layout costs tokens.
func (p Prompt) Schema() json.RawMessage {
	var b bytes.Buffer
	if err := json.Compact(&b, p.read(".schema.json")); err != nil {
		panic(err) // nor is its form broken
	}
	return b.Bytes()
}

func (p Prompt) read(kind string) []byte {
	data, err := files.ReadFile(string(p) + kind)
	if err != nil {
		panic(err) // a prompt of ours has its files
	}
	return data
}

// Extraction is the text of Extract, for a small model with Examples, and the form of its answer; without
// known, both leave out what is said of items known from earlier parts.
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
	fields, _, _ := strings.Cut(string(form), `"earlier"`) // behind it stands nothing else
	return rules + examples, json.RawMessage(strings.TrimRight(fields, ", \n") + "}}}}}")
}

// Version is the version of a prompt's text: 12 hexadecimal digits.
func Version(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:6])
}
