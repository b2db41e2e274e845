package relay

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"recall/internal/llm"
)

// idOf identifies a request by everything that shapes the answer, as 32 hexadecimal digits. Task and model aren't part
// of it.
func idOf(r llm.Request) string {
	h := sha256.New()
	part := func(s string) { fmt.Fprintf(h, "%d:%s", len(s), s) } // so that "ab"+"c" and "a"+"bc" differ
	part(r.System)
	part(r.Prompt)
	if r.Schema != nil {
		part(r.Schema.Name)
		part(string(r.Schema.JSON))
	}
	fmt.Fprintf(h, "%d", r.Max)
	return hex.EncodeToString(h.Sum(nil)[:16])
}
