package redact

import (
	"slices"
	"strings"
)

// A token may be split: over two blocks of a message, two results, two records of
// a message that was streamed. So what ends a piece is looked at joined to what
// begins the next.

const (
	seamLeast = 4   // characters on either side
	seamMost  = 160 // characters on either side
	seamTexts = 8   // texts back
)

// tail is what one of the last texts ended with.
type tail struct {
	text int
	run  string
}

// seams looks at the paragraphs of a text, and at how it joins those before it.
func (r *Redactor) seams(text string) {
	for at := 0; ; {
		i := strings.Index(text[at:], "\n\n")
		if i < 0 {
			break
		}
		at += i + 2
		tail := r.tailRun(text[:at-2])
		if tail == "" {
			continue
		}
		head := headRun(text[at:])
		if cut, end, kind := r.joined(tail, head); cut < end {
			r.scan.add(at-2-len(tail)+cut, at-2, kind)
			r.scan.add(at, at+end-len(tail), kind)
		}
	}
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
	end := len(text)
	for end > 0 && (text[end-1] == '\n' || text[end-1] == '\r') {
		end--
	}
	if run := r.tailRun(text[:end]); run != "" {
		r.tails = append(r.tails, tail{r.texts, strings.Clone(run)})
	}
}

// joined returns the place of a secret that stands over the seam of two runs in
// one, if there is one.
func (r *Redactor) joined(tail, head string) (from, to int, kind string) {
	if head == "" || len(tail)+len(head) < 20 {
		return 0, 0, ""
	}
	r.inner.run(r.rules, tail)
	alone := slices.Clone(r.inner.found)
	r.inner.run(r.rules, tail+head)
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
		if begins(r.inner.found) > begins(alone) { // more rules know it than know the first part
			return f.from, f.to, f.kind
		}
	}
	return 0, 0, ""
}

// byName are the kinds of what is told by a name before it, whatever it looks like.
var byName = set(genericKind, knownKind, "password", "token", "secret", "api-key", "url-token", "cookie", "login", "url-password", "auth-header", "bearer-token")

// tailRun returns the run of token characters at a text's end if it begins as a
// key does that tells itself.
func (r *Redactor) tailRun(t string) string {
	if t == "" || !is(t[len(t)-1], word) {
		return ""
	}
	from := len(t)
	for from > 0 && len(t)-from < seamMost && is(t[from-1], word|marks) && t[from-1] != '=' && t[from-1] != '/' {
		from--
	}
	if t = t[from:]; len(t) < seamLeast || len(t) >= seamMost || !r.rules.beginsKey(t) {
		return ""
	}
	return t
}

// beginsKey reports whether a run begins as a key does that tells itself.
func (r *Rules) beginsKey(t string) bool {
	if !r.pairs[fold(t[0])][fold(t[1])] {
		return false
	}
	var low [keyBegin]byte
	for n := range min(len(t), keyBegin) {
		low[n] = fold(t[n])
		if n >= 2 && r.begins[string(low[:n+1])] {
			return true
		}
	}
	return false
}

// fold returns a letter in small.
func fold(c byte) byte {
	if is(c, upper) {
		return c | 0x20
	}
	return c & 0x7f
}

// keyBegin is how many characters of a key's beginning are enough to tell it.
const keyBegin = 6

// headRun returns the run at a text's beginning if it may be the rest of a token.
func headRun(t string) string {
	t = t[:skip(t, 0, token, seamMost)]
	shape := shapeIn(t)
	if len(t) < seamLeast || len(t) >= seamMost || shape.digits == 0 || shape.lower+shape.upper == 0 || path(t) {
		return ""
	}
	return t
}
