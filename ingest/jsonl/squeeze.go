package jsonl

import "bytes"

// A squeezer copies a JSON line that comes in parts and, beyond the window, leaves out most of its very long strings:
// no image is ever held. Well-formed JSON stays well-formed.
type squeezer struct {
	out      []byte
	cut      int64
	squeezes bool
	inString bool
	slashes  int // that the text so far ends in
	dropping bool
	begin    int // in out, of the present string
	judged   bool
}

func (s *squeezer) add(part []byte) {
	if !s.squeezes && len(s.out)+len(part) <= window {
		s.out = append(s.out, part...)
		return
	}
	if !s.squeezes {
		whole := s.out
		s.out, s.squeezes = s.out[:0], true // in place: it becomes no longer
		s.add(whole)
	}
	for len(part) > 0 {
		text, rest, quote := bytes.Cut(part, []byte{'"'})
		n := backslashes(text)
		if n == len(text) {
			n += s.slashes
		}
		s.keep(text)
		switch {
		case !quote:
			s.slashes = n
			return
		case s.inString && n%2 == 1: // an escaped one
			s.keep(part[len(text) : len(text)+1])
		default:
			s.out = append(s.out, '"')
			s.inString, s.dropping, s.judged, s.begin = !s.inString, false, false, len(s.out)
		}
		part, s.slashes = rest, 0
	}
}

// backslashes counts those at the end of b.
func backslashes(b []byte) int {
	n := 0
	for n < len(b) && b[len(b)-1-n] == '\\' {
		n++
	}
	return n
}

func (s *squeezer) keep(b []byte) {
	if s.dropping {
		s.cut += int64(len(b))
		return
	}
	s.out = append(s.out, b...)
	switch n := len(s.out) - s.begin; {
	case !s.inString:
	case !s.judged && n > keepBlob:
		if s.judged = true; isBlob(s.out[s.begin : s.begin+keepBlob]) {
			s.drop(s.begin + keepBlob)
		}
	case n > keepString:
		s.drop(s.begin + keepString)
	}
}

// drop cuts the present string at the last place before at that is not within an escape.
func (s *squeezer) drop(at int) {
	for at > s.begin && bytes.IndexByte(s.out[max(s.begin, at-12):at], '\\') >= 0 {
		at--
	}
	s.cut += int64(len(s.out) - at)
	s.out = s.out[:at]
	s.dropping = true
}

// isBlob reports whether b can be the beginning of base64.
func isBlob(b []byte) bool {
	for _, c := range b {
		if !blobByte[c] {
			return false
		}
	}
	return true
}

var blobByte = func() (t [256]bool) {
	for c := '0'; c <= '9'; c++ {
		t[c] = true
	}
	for c := 'a'; c <= 'z'; c++ {
		t[c], t[c-'a'+'A'] = true, true
	}
	for _, c := range "+/=_-" {
		t[c] = true
	}
	return t
}()
