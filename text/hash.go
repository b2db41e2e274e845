package text

import (
	"crypto/sha256"
	"encoding/hex"
)

// Hash is the beginning of a text's SHA-256, so many bytes of it, in hex.
func Hash(s string, bytes int) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:bytes])
}
