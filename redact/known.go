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

// known finds the secrets that a session has shown before, without the words that told them then.
type known struct{ *literals }

const (
	knownShort = 8       // bytes; shorter ones may be anything
	knownLeast = 10      // bytes; shorter ones may be words
	knownMost  = 4 << 10 // bytes; longer ones are whole key files
)

// keep keeps a secret that can't be mistaken for a word or an identifier, or is sure. Others must begin a word, and be
// one where only a boundary tells them from a part of one.
func (k *known) keep(secret string, sure bool) {
	if len(secret) < knownShort || len(secret) > knownMost || strings.Contains(secret, open) {
		return
	}
	strong := len(secret) >= knownLeast && mixed(secret)
	if !strong && !sure && !unusual(secret) {
		return
	}
	if k.literals == nil {
		k.literals = &literals{}
	}
	secret = strings.Clone(secret) // not the whole text with it
	k.add(&literal{secret, []detector{func(s *scan, from, to int) {
		alone := s.text[from:to] == secret && (sure || !is(s.before(from), alnum) && (strong || !is(s.at(to), alnum)))
		if alone {
			s.add(from, to, knownKind)
		}
	}}})
}

// unusual reports whether a secret that isn't random is no word, name or path: marks and digits, four or more words.
func unusual(v string) bool {
	t := shapeIn(v)
	return t.digits > 0 && strings.ContainsAny(v, "!@#$%^&*+?") && t.lower+t.upper >= 4 ||
		strings.Count(v, "-") >= 3 && !label(v) || len(v) >= 16 && t.lower == len(v)
}

// variants are other ways to write a secret: in capitals, in an address, in a JSON string, encoded.
func variants(secret string) []string {
	common := len(secret) < knownShort || len(secret) > 512 || shapeIn(secret).digits == 0 && !unusual(secret) ||
		!mixed(secret) && !unusual(secret)
	if common {
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
