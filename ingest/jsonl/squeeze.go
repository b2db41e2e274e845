package jsonl

import "bytes"

// A squeezer copies a JSON line that comes in parts and leaves out most of
// its very long strings, so that an image is never held. What it makes of
// well-formed JSON is well-formed.
type squeezer struct {
	out      []byte
	cut      int64
	inString bool
	escaped  bool // the byte before was a backslash that escapes the next
	dropping bool
	begin    int // in out, of the present string
	judged   bool
}

func (s *squeezer) add(part []byte) {
	for len(part) > 0 {
		if !s.inString {
			k := bytes.IndexByte(part, '"')
			if k < 0 {
				s.out = append(s.out, part...)
				return
			}
			s.out = append(s.out, part[:k+1]...)
			part = part[k+1:]
			s.inString, s.escaped, s.dropping, s.judged = true, false, false, false
			s.begin = len(s.out)
			continue
		}
		k, closed := s.stringEnd(part)
		s.keep(part[:k])
		if closed {
			s.inString = false
			s.out = append(s.out, '"')
			k++
		}
		part = part[k:]
	}
}

// stringEnd returns how far the present string goes in part.
func (s *squeezer) stringEnd(part []byte) (int, bool) {
	if s.escaped && len(part) > 0 {
		s.escaped = false
		k, closed := s.stringEnd(part[1:])
		return k + 1, closed
	}
	at := 0
	for {
		k := bytes.IndexByte(part[at:], '"')
		if k < 0 {
			s.escaped = backslashes(part[at:])%2 == 1
			return len(part), false
		}
		if backslashes(part[at:at+k])%2 == 0 {
			return at + k, true
		}
		at += k + 1
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
	n := len(s.out) - s.begin
	if !s.judged && n > keepBlob {
		s.judged = true
		if isBlob(s.out[s.begin : s.begin+keepBlob]) {
			s.drop(s.begin + keepBlob)
			return
		}
	}
	if n > keepString {
		s.drop(s.begin + keepString)
	}
}

// drop cuts the present string at the last place before at that is not in
// the middle of an escape.
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
