package embed

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// pieces splits text into the pieces of a WordPiece vocabulary as BERT's tokenizer does: by words, each into
// the longest pieces from its beginning; a word that can't be split that way is omitted.
type pieces struct {
	rows    map[string]int
	inside  string // prefix of a piece inside a word
	lower   bool
	accents bool // keep accents
	longest int  // length limit of a word, in characters
}

const maxPieces = 512 // per text: what comes later says little about its subject

func parsePieces(b []byte) (pieces, error) {
	var t struct {
		Normalizer *struct {
			Type      string `json:"type"`
			Lowercase bool   `json:"lowercase"`
			Accents   *bool  `json:"strip_accents"`
		} `json:"normalizer"`
		Model struct {
			Type    string          `json:"type"`
			Prefix  string          `json:"continuing_subword_prefix"`
			Longest int             `json:"max_input_chars_per_word"`
			Vocab   json.RawMessage `json:"vocab"`
			Unknown string          `json:"unk_token"`
		} `json:"model"`
	}
	t.Model.Prefix = "##"
	if err := json.Unmarshal(b, &t); err != nil {
		return pieces{}, err
	}
	if t.Model.Type != "WordPiece" {
		return pieces{}, fmt.Errorf("a tokenizer of type %q; recall reads WordPiece", t.Model.Type)
	}
	p := pieces{inside: t.Model.Prefix, longest: cmp.Or(max(t.Model.Longest, 0), 100), accents: true}
	if err := json.Unmarshal(t.Model.Vocab, &p.rows); err != nil {
		return pieces{}, fmt.Errorf("vocab: %w", err)
	}
	if len(p.rows) == 0 {
		return pieces{}, fmt.Errorf("an empty vocabulary")
	}
	delete(p.rows, t.Model.Unknown)
	if n := t.Normalizer; n != nil {
		if n.Type != "BertNormalizer" {
			return pieces{}, fmt.Errorf("a normalizer of type %q; recall reads BertNormalizer", n.Type)
		}
		p.lower, p.accents = n.Lowercase, !n.Lowercase
		if n.Accents != nil {
			p.accents = !*n.Accents
		}
	}
	return p, nil
}

func (p pieces) cut(text string) []int {
	var out []int
	for _, w := range p.split(text) {
		out = append(out, p.word(w)...)
		if len(out) >= maxPieces {
			return out[:maxPieces]
		}
	}
	return out
}

// split splits a text at white space; punctuation marks and Chinese characters are words of their own.
func (p pieces) split(text string) []string {
	if !p.accents {
		text = norm.NFD.String(text)
	}
	if p.lower {
		text = strings.ToLower(text)
	}
	var out []string
	var b strings.Builder
	flush := func() {
		if b.Len() > 0 {
			out = append(out, b.String())
			b.Reset()
		}
	}
	for _, r := range text {
		switch {
		case unicode.IsSpace(r):
			flush()
		case r == 0 || r == utf8.RuneError || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs):
		case !p.accents && unicode.Is(unicode.Mn, r):
		case punctuation(r) || chinese(r):
			flush()
			out = append(out, string(r))
		default:
			b.WriteRune(r)
		}
	}
	flush()
	return out
}

func punctuation(r rune) bool {
	return r > 32 && r < 127 && !unicode.IsLetter(r) && !unicode.IsDigit(r) || unicode.IsPunct(r)
}

func chinese(r rune) bool {
	return r >= 0x4E00 && r <= 0x9FFF || r >= 0x3400 && r <= 0x4DBF || r >= 0x20000 && r <= 0x2CEAF || r >= 0xF900 &&
		r <= 0xFAFF || r >= 0x2F800 && r <= 0x2FA1F
}

// word splits a word into the longest pieces.
func (p pieces) word(w string) []int {
	if utf8.RuneCountInString(w) > p.longest {
		return nil
	}
	var out []int
	for from := 0; from < len(w); {
		row, to := -1, len(w)
		for ; to > from; to-- {
			piece := w[from:to]
			if from > 0 {
				piece = p.inside + piece
			}
			if r, ok := p.rows[piece]; ok {
				row = r
				break
			}
		}
		if row < 0 {
			return nil
		}
		out = append(out, row)
		from = to
	}
	return out
}
