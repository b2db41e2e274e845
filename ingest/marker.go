package ingest

import (
	"cmp"
	"slices"
	"strings"

	"recall/internal/text"
)

// Labels of foreign text.
const (
	ForeignRecall = "recall"
	ForeignMemory = "memory" // of another tool
	ForeignRules  = "CLAUDE.md"
	ForeignAuto   = "auto-memory"
	// ForeignWrapper is what a program wrapped around the client puts before a prompt.
	ForeignWrapper = "system instruction"
	// ForeignPasted is what a person pasted or quoted, and ForeignTemplate what a custom prompt puts around their words.
	ForeignPasted, ForeignTemplate = "pasted text", "a prompt template"
)

// ModelCall is the first line of each prompt that recall sends through a client that keeps transcripts: a session that
// begins with it is recall's own, not a person's.
const ModelCall = "<!-- recall: model call -->"

// Confirmation is the question that recall puts after a payload. It too is recall's words, not the session's subject.
const Confirmation = "Based on the context above, what's your understanding of the current goal, and what would " +
	"you do next?"

var (
	markerIDs   = text.Pattern(`<!-- recall((?: [0-9a-z]{4,16})+) -->`)
	markerOpen  = text.Pattern(`(?m)^[ \t>]*<!-- recall((?: [0-9a-z]{4,16})*) -->[ \t\r]*$`)
	markerClose = text.Pattern(`(?m)^[ \t>]*<!-- /recall -->[ \t\r]*$`)
)

// CarriedIDs returns the ids in recall's markers in a text, each once.
func CarriedIDs(text string) []string {
	if !strings.Contains(text, "<!-- recall") {
		return nil
	}
	var ids []string
	for _, m := range markerIDs().FindAllStringSubmatch(text, -1) {
		ids = Union(ids, strings.Fields(m[1])...)
	}
	return ids
}

// PayloadHeading begins the first line after the marker of a whole payload, toldHeading that of one a session was told
// of. Answers and notes have no such line.
const (
	PayloadHeading = "# Rehydration payload"
	toldHeading    = "# Earlier work"
)

// KeptSeal begins the last line of a payload that is kept current in a folder.
const KeptSeal = "<!-- written by recall at each sync"

// PayloadIDs returns the ids of payloads quoted whole in a text, each once. With fetched, only those printed to be
// resumed from, followed by Confirmation or a file's seal; one merely viewed has neither.
func PayloadIDs(text string, fetched bool) []string {
	if fetched && !strings.Contains(text, Confirmation) && !strings.Contains(text, KeptSeal) {
		return nil
	}
	var ids []string
	for _, m := range markerIDs().FindAllStringSubmatchIndex(text, -1) {
		page, _, _ := strings.Cut(text[m[1]:], "<!-- /recall")
		if strings.Contains(page, PayloadHeading) || strings.Contains(page, toldHeading) {
			ids = Union(ids, strings.Fields(text[m[2]:m[3]])...)
		}
	}
	return ids
}

// maxHanded bounds what is kept of texts handed over, in bytes: a few payloads.
const maxHanded = 32 << 10

// Hand keeps what stands under recall's marker in a text that belongs to no turn.
func (s *Session) Hand(text string) {
	size := 0
	for _, h := range s.Handed {
		size += len(h)
	}
	for {
		_, rest, ok := strings.Cut(text, "<!-- recall ")
		if !ok {
			return
		}
		_, rest, _ = strings.Cut(rest, "-->")
		part, after, _ := strings.Cut(rest, "<!-- /recall -->")
		part = strings.TrimSpace(part)
		if size += len(part); part != "" && size <= maxHanded && !slices.Contains(s.Handed, part) {
			s.Handed = append(s.Handed, strings.Clone(part))
		}
		text = after
	}
}

// NoteRecalled notes recall's items in a text that belongs to no turn, and which payloads it resumed from: those
// injected by a hook, or fetched.
func (s *Session) NoteRecalled(text string, hook bool) {
	if !strings.Contains(text, "<!-- recall ") {
		return
	}
	s.Carried = Union(s.Carried, CarriedIDs(text)...)
	if hook {
		s.Injected = Union(s.Injected, PayloadIDs(text, false)...)
	} else {
		s.Pasted = Union(s.Pasted, PayloadIDs(text, true)...)
	}
	s.Hand(text)
}

// Union appends what the list doesn't contain yet and isn't empty.
func Union[T comparable](list []T, more ...T) []T {
	var empty T
	for _, s := range more {
		if s != empty && !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

// MarkForeign sets Foreign and Carried: the parts of a turn's text under recall's marker and, unless the assistant
// speaks, those that other tools' memories and rule files put there, or that were pasted. An unclosed marker extends to
// the end of the text. Of an expanded template only what the person filled in stays.
func MarkForeign(t *Turn) {
	empty := t.Role != Assistant && t.fillsIn()
	t.Foreign = recallParts(t.Text)
	t.Carried = Union(t.Carried, CarriedIDs(t.Text)...)
	if t.Role == Assistant {
		return
	}
	t.Foreign = append(t.Foreign, memoryParts(t.Text)...)
	if empty {
		t.Foreign = append(t.Foreign, Foreign{To: len(t.Text), Label: ForeignTemplate})
	}
	t.Foreign = mergeForeign(t.Foreign)
	if !empty && t.Kind != PlanTurn && t.Kind != Shell && t.Kind != Summary {
		t.Foreign = mergeForeign(append(t.Foreign, outside(quotedParts(t.Text), t.Foreign)...))
	}
}

// outside cuts from parts what others cover: recall's output stays recall's where it is pasted.
func outside(parts, others []Foreign) (out []Foreign) {
	for _, p := range parts {
		for _, o := range others {
			if o.To <= p.From || o.From >= p.To {
				continue
			}
			out = append(out, Foreign{From: p.From, To: max(p.From, o.From), Label: p.Label})
			p.From = min(p.To, o.To)
		}
		out = append(out, p)
	}
	return out
}

// Typed returns what a person said themselves in what they sent: not what they pasted or quoted.
func Typed(sent string) string {
	t := Turn{Role: User, Text: sent}
	MarkForeign(&t)
	return t.OwnText()
}

// OwnText returns the turn's text without its foreign parts.
func (t *Turn) OwnText() string { return t.without(func(Foreign) bool { return true }) }

// Hidden returns the foreign parts that aren't pasted: a model is shown the rest of the text, and it may be quoted.
func (t *Turn) Hidden() (parts []Foreign) {
	for _, f := range t.Foreign {
		if f.Label != ForeignPasted {
			parts = append(parts, f)
		}
	}
	return parts
}

// Owns reports whether a quote occurs in the speaker's own words.
func (t *Turn) Owns(quote string) bool { return t.holds(quote, t.Foreign) }

// Shows reports whether a quote occurs in what is shown of a turn's text: own words, and what was pasted.
func (t *Turn) Shows(quote string) bool { return t.holds(quote, t.Hidden()) }

// holds reports whether a quote occurs in the turn's text outside of some parts.
func (t *Turn) holds(quote string, except []Foreign) bool {
	for from := 0; ; {
		i := strings.Index(t.Text[from:], quote)
		if i < 0 {
			return false
		}
		i += from
		if !slices.ContainsFunc(except, func(f Foreign) bool { return i < f.To && i+len(quote) > f.From }) {
			return true
		}
		from = i + 1
	}
}

// WithPasted is OwnText with what the person pasted, which an answer may be found in but isn't their words.
func (t *Turn) WithPasted() string {
	return t.without(func(f Foreign) bool { return f.Label != ForeignPasted })
}

// without returns the turn's text without some of its foreign parts.
func (t *Turn) without(omit func(Foreign) bool) string {
	if len(t.Foreign) == 0 {
		return t.Text
	}
	var own strings.Builder
	at := 0
	for _, f := range t.Foreign {
		if !omit(f) {
			continue
		}
		own.WriteString(t.Text[at:f.From])
		at = f.To
	}
	own.WriteString(t.Text[at:])
	return strings.TrimSpace(own.String())
}

func recallParts(text string) []Foreign {
	if !strings.Contains(text, "<!-- recall") {
		return nil
	}
	var out []Foreign
	at := 0
	for {
		open := markerOpen().FindStringIndex(text[at:])
		if open == nil {
			return out
		}
		from, to := at+open[0], len(text)
		if end := markerClose().FindStringIndex(text[at+open[1]:]); end != nil {
			to = at + open[1] + end[1]
			if rest := strings.TrimLeft(text[to:], " \t\r\n>"); strings.HasPrefix(rest, Confirmation) {
				to = len(text) - len(rest) + len(Confirmation)
			}
		}
		out = append(out, Foreign{From: from, To: to, Label: ForeignRecall})
		at = to
	}
}

// mergeForeign sorts parts and joins those that overlap, keeping the label of the first and longest.
func mergeForeign(parts []Foreign) []Foreign {
	slices.SortStableFunc(parts, func(a, b Foreign) int { return cmp.Or(a.From-b.From, b.To-a.To) })
	var out []Foreign
	for _, f := range parts {
		if f.To <= f.From {
			continue
		}
		if k := len(out) - 1; k >= 0 && f.From < out[k].To {
			if out[k].Label == f.Label || f.To <= out[k].To {
				out[k].To = max(out[k].To, f.To)
				continue
			}
			f.From = out[k].To
		}
		out = append(out, f)
	}
	return out
}

// MarkPasted marks lines, and blank ones between them, that equal what the library wrote but were pasted without the
// marker. known looks up a trimmed line and returns the ids of the items it shows. MarkPasted reports whether there
// were any.
func (s *Session) MarkPasted(known func(line string) (ids []string, ok bool)) (any bool) {
	for i := range s.Turns {
		t := &s.Turns[i]
		pasted, ids := pastedParts(t.Text, known)
		if len(pasted) == 0 {
			continue
		}
		t.Foreign = mergeForeign(append(t.Foreign, pasted...))
		t.Carried = Union(t.Carried, ids...)
		s.Carried = Union(s.Carried, ids...)
		if t.Role == User {
			s.Pasted = Union(s.Pasted, ids...)
		}
		any = true
	}
	return any
}

func pastedParts(text string, known func(string) ([]string, bool)) (parts []Foreign, ids []string) {
	open := false // the last part can still be extended
	next := false // the line before is marked
	for at := 0; at < len(text); {
		end := len(text)
		if k := strings.IndexByte(text[at:], '\n'); k >= 0 {
			end = at + k + 1
		}
		switch line := strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(text[at:end]), "> ")); { // bare of quotes
		case line == "":
			next = false
		case strings.HasPrefix(line, "<!--"):
			open, next = false, false
		default:
			got, ok := known(line)
			if ok = ok || next && shortItem(line); !ok {
				open, next = false, false
				break
			}
			next = true
			ids = Union(ids, got...)
			if open {
				parts[len(parts)-1].To = end
			} else {
				parts, open = append(parts, Foreign{From: at, To: end, Label: ForeignRecall}), true
			}
		}
		at = end
	}
	return parts, ids
}

// shortest is the length in bytes at which a payload's line is recognized by itself; a shorter one can be coincidence.
const shortest = 24

// shortItem reports whether a line that follows a payload's line is another: a short next action, or any item followed
// by its session, as in composed payloads.
func shortItem(line string) bool {
	mark, _, ok := strings.Cut(line, " ")
	numbered := len(mark) > 1 && strings.Trim(mark, "0123456789") == "."
	return ok && (numbered && len(line) < shortest || (numbered || mark == "-" || mark == "*") &&
		ofSession().MatchString(line))
}

var ofSession = text.Pattern(`\(session [^()]*, [A-Z][a-z]{2} \d{1,2}(?:, \d{4})?\)$`)
