// Package prompts holds the texts that recall hands to a model, one embedded
// file a task. A prompt's version is the hash of its text, so that what it
// made can be told from what another wording made.
package prompts

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"strings"
)

//go:embed confirm.txt
var confirm string

// Confirm follows a payload that is handed to the next session: its answer
// shows whether the payload was understood. One line, without a line break.
func Confirm() string { return strings.TrimSpace(confirm) }

// Version is the version of a prompt's text: 12 hexadecimal digits.
func Version(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:6])
}
