package redact

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

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
	whole  bool // it must be a word of its own: nothing but a boundary tells it from a part of one
	inside bool // it may stand within a word
}

const (
	stride     = 4
	knownShort = 8       // bytes; shorter ones may be anything
	knownLeast = 10      // bytes; shorter ones may be words
	knownMost  = 4 << 10 // bytes; longer ones are whole key files
)

// add keeps a secret that can't be mistaken for a word or an identifier; sure
// says that it isn't one in any case.
func (k *known) add(secret string, sure bool) {
	if len(secret) < knownShort || len(secret) > knownMost || strings.Contains(secret, open) {
		return
	}
	strong := len(secret) >= knownLeast && mixed(secret)
	if !strong && !sure && !unusual(secret) {
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
		k.pieces[four] = append(k.pieces[four], piece{secret, offset, !strong && !sure, sure})
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
			if from >= 0 && strings.HasPrefix(text[from:], p.secret) && (p.inside ||
				!is(s.before(from), alnum)) && !(p.whole && is(s.at(from+len(p.secret)), alnum)) {
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

// unusual reports whether a secret that isn't random is no word, name or path
// either: words with marks and digits, four or more words in a row.
func unusual(v string) bool {
	t := shapeIn(v)
	return t.digits > 0 && strings.ContainsAny(v, "!@#$%^&*+?") && t.lower+t.upper >= 4 ||
		strings.Count(v, "-") >= 3 && !label(v) || len(v) >= 16 && t.lower == len(v)
}

// variants are other ways in which a secret may be written: in capitals, as a part
// of an address, in a JSON string, encoded.
func variants(secret string) []string {
	if len(secret) < knownShort || len(secret) > 512 || shapeIn(secret).digits == 0 && !unusual(secret) ||
		!mixed(secret) && !unusual(secret) {
		return nil
	}
	all := []string{strings.ToLower(secret), strings.ToUpper(secret), url.QueryEscape(secret),
		url.PathEscape(secret), percent(secret)}
	all = append(all, hex.EncodeToString([]byte(secret)), strings.ToUpper(hex.EncodeToString([]byte(secret))))
	quoted := strconv.Quote(secret)
	all = append(all, quoted[1:len(quoted)-1])
	for shift := range 3 { // what stands before it in what is encoded
		text := strings.Repeat("\x00", shift) + secret
		text = text[:len(text)/3*3]
		whole := base64.StdEncoding.EncodeToString([]byte(text))[(shift*8+5)/6:]
		if len(whole) >= 12 {
			all = append(all, whole, strings.NewReplacer("+", "-", "/", "_").Replace(whole))
		}
	}
	return slices.DeleteFunc(all, func(v string) bool { return v == secret })
}

// percent encodes all that isn't a letter or a digit, as some programs do.
func percent(v string) string {
	var b strings.Builder
	for i := range len(v) {
		if is(v[i], alnum) {
			b.WriteByte(v[i])
		} else {
			fmt.Fprintf(&b, "%%%02X", v[i])
		}
	}
	return b.String()
}
