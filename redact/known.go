package redact

import "strings"

// known finds the secrets that a session has shown before, without the words
// that told them then.
//
// It looks at every fourth place of a text only: wherever a secret stands, one of
// its four-byte pieces that begin in its first four bytes stands at such a place.
type known struct {
	bits   [1 << 9]uint64 // which hashes of pieces there are, so that most places cost one look
	pieces map[uint32][]piece
}

// piece is where in a secret four bytes stand.
type piece struct {
	secret string
	offset int
}

const (
	stride     = 4
	knownLeast = 10      // bytes; shorter ones may be words
	knownMost  = 4 << 10 // bytes; longer ones are whole key files
)

// add keeps a secret that can't be mistaken for a word or an identifier.
func (k *known) add(secret string) {
	if len(secret) < knownLeast || len(secret) > knownMost || strings.Contains(secret, open) || !mixed(secret) {
		return
	}
	if k.pieces == nil {
		k.pieces = map[uint32][]piece{}
	}
	secret = strings.Clone(secret) // not the whole text with it
	for offset := range stride {
		four := fourBytes(secret, offset)
		h := hash(four)
		k.bits[h/64] |= 1 << (h % 64)
		k.pieces[four] = append(k.pieces[four], piece{secret, offset})
	}
}

// find adds where known secrets stand, at the beginning of a word.
func (k *known) find(s *scan) {
	if len(k.pieces) == 0 {
		return
	}
	text := s.text
	for at := 0; at+stride <= len(text); at += stride {
		four := fourBytes(text, at)
		if h := hash(four); k.bits[h/64]&(1<<(h%64)) == 0 {
			continue
		}
		for _, p := range k.pieces[four] {
			from := at - p.offset
			if from >= 0 && strings.HasPrefix(text[from:], p.secret) && !is(s.before(from), alnum) {
				s.add(from, from+len(p.secret), knownKind)
			}
		}
	}
}

func fourBytes(s string, at int) uint32 {
	_ = s[at+3]
	return uint32(s[at]) | uint32(s[at+1])<<8 | uint32(s[at+2])<<16 | uint32(s[at+3])<<24
}

// hash spreads four bytes over the bits of known, 15 of them.
func hash(four uint32) uint32 { return four * 2654435761 >> 17 }
