package redact

import "strings"

// known finds the secrets that a session has shown before, without the words
// that told them then.
type known struct {
	first [256]bool           // bytes that one of them begins with
	by    map[string][]string // by their first bytes
}

const (
	knownKey   = 6       // bytes that secrets are looked up by
	knownLeast = 10      // bytes; shorter ones may be words
	knownMost  = 4 << 10 // bytes; longer ones are whole key files
)

// add keeps a secret that can't be mistaken for a word or an identifier.
func (k *known) add(secret string) {
	if len(secret) < knownLeast || len(secret) > knownMost || strings.Contains(secret, open) || !mixed(secret) {
		return
	}
	if k.by == nil {
		k.by = map[string][]string{}
	}
	k.first[secret[0]] = true
	key := secret[:knownKey]
	k.by[key] = append(k.by[key], strings.Clone(secret))
}

// find adds where known secrets stand, at the beginning of a word.
func (k *known) find(s *scan) {
	if len(k.by) == 0 {
		return
	}
	for at := 0; at+knownLeast <= len(s.text); at++ {
		if !k.first[s.text[at]] || at > 0 && is(s.text[at-1], alnum) {
			continue
		}
		for _, secret := range k.by[s.text[at:at+knownKey]] {
			if strings.HasPrefix(s.text[at:], secret) {
				s.add(at, at+len(secret), knownKind)
			}
		}
	}
}
