package text

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"strings"
)

// Hash returns the first bytes of a text's SHA-256 in hex.
func Hash(s string, bytes int) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:bytes])
}

// WritePart writes the length of s before s, so that "ab"+"c" and "a"+"bc" hash differently.
func WritePart(h hash.Hash, s string) {
	h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(s))))
	h.Write([]byte(s))
}

// BareID returns a session's id without its client's prefix, which is how people refer to it.
func BareID[ID ~string](id ID) string {
	return strings.TrimPrefix(strings.TrimPrefix(string(id), "local_"), "ses_")
}

// Slug makes a text usable in a file name: letters and digits in lower case, with dashes between.
func Slug(s string) string {
	return strings.Trim(notInNames().ReplaceAllString(strings.ToLower(s), "-"), "-")
}

var notInNames = Pattern(`[^\p{L}\p{Nd}]+`)
