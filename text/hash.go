package text

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// Hash is the beginning of a text's SHA-256, so many bytes of it, in hex.
func Hash(s string, bytes int) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:bytes])
}

// BareID is a session's id without what its client puts before each: people name it by how this begins.
func BareID[ID ~string](id ID) string {
	return strings.TrimPrefix(strings.TrimPrefix(string(id), "local_"), "ses_")
}

// Slug is a text as part of a file's name: its letters and digits, in lower case, dashes between.
func Slug(s string) string {
	return strings.Trim(notInNames().ReplaceAllString(strings.ToLower(s), "-"), "-")
}

var notInNames = Pattern(`[^\p{L}\p{Nd}]+`)
