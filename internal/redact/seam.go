package redact

import (
	"slices"
	"strings"
)

// A token can be split across blocks of a message, results, or records of a streamed message. So what begins like a key
// and breaks off at the end of a paragraph or text is also examined joined to what follows.

const (
	seamLeast = 4   // characters on either side
	seamMost  = 160 // characters on either side
	seamTexts = 8   // texts back
)

// tail is the beginning of a key at the end of a recent text.
type tail struct {
	text int
	run  string
}

// breaksOff records a run of token characters that begins like a key and ends its paragraph or text.
func breaksOff(s *scan, from, _ int) {
	if c := s.before(from); is(c, word|marks) && c != '=' && c != '/' {
		return
	}
	end := skip(s.text, from, word|marks, seamMost)
	if end-from < seamLeast || end-from >= seamMost || !is(s.text[end-1], word) {
		return
	}
	next := run(s.text, end, 0, "\r\n", len(s.text))
	if n := len(s.brokenOff); n > 0 && s.brokenOff[n-1].from == from ||
		next < len(s.text) && strings.Count(s.text[end:next], "\n") < 2 {
		return
	}
	s.brokenOff = append(s.brokenOff, span{from: from, to: end})
}

// seams examines how the paragraphs of a just scanned text join, and how it joins the texts before it.
func (r *Redactor) seams(text string) {
	r.texts++
	if len(r.tails) > 0 {
		r.tails = slices.DeleteFunc(r.tails, func(t tail) bool { return t.text < r.texts-seamTexts })
		head := headRun(text)
		for _, t := range r.tails {
			tail := t.run
			if cut, end, kind := r.joined(tail, head); cut < end {
				r.scan.add(0, end-len(tail), kind)
				r.learn(r.placeholder(kind, tail[cut:]+head[:end-len(tail)]), tail[cut:])
			}
		}
	}
	for _, b := range r.scan.brokenOff {
		begin, next := text[b.from:b.to], run(text, b.to, 0, "\r\n", len(text))
		if next == len(text) {
			r.tails = append(r.tails, tail{r.texts, strings.Clone(begin)})
		} else if cut, end, kind := r.joined(begin, headRun(text[next:])); cut < end {
			r.scan.add(b.from+cut, b.to, kind)
			r.scan.add(next, next+end-len(begin), kind)
		}
	}
}

// joined finds a secret that crosses the seam of two runs.
func (r *Redactor) joined(tail, head string) (from, to int, kind string) {
	if head == "" || len(tail)+len(head) < 20 {
		return 0, 0, ""
	}
	r.inner.look(r.rules, tail)
	alone := slices.Clone(r.inner.found)
	r.inner.look(r.rules, tail+head)
	for _, f := range r.inner.found {
		if f.from >= len(tail) || f.to <= len(tail) || byName[f.kind] {
			continue
		}
		begins := func(found []span) (n int) {
			for _, o := range found {
				if o.from == f.from {
					n++
				}
			}
			return n
		}
		if begins(r.inner.found) > begins(alone) { // more rules match it than match the first part
			return f.from, f.to, f.kind
		}
	}
	return 0, 0, ""
}

// byName are the kinds that are recognized by a preceding name, whatever the value looks like.
var byName = set(genericKind, knownKind, "password", "token", "secret", "api-key", "url-token", "cookie",
	"login", "url-password",
	"auth-header", "bearer-token")

// headRun returns the run at a text's beginning if it can be the rest of a token.
func headRun(t string) string {
	t = t[:skip(t, 0, token, seamMost)]
	shape := shapeIn(t)
	unlikely := len(t) < seamLeast || len(t) >= seamMost || shape.digits == 0 || shape.lower+shape.upper == 0 || path(t)
	if unlikely {
		return ""
	}
	return t
}
