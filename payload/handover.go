package payload

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"recall/internal/text"
)

// A Handover is a thread's payload on its way to another person: a page to read and paste, followed by a comment with
// the same items and all their evidence, for their recall. The comment is the longer part, so only the page is meant
// for pasting (see PlainHandover).
type Handover struct {
	To      string    `json:"to"`
	From    string    `json:"from"`             // "somebody" if the sender didn't say
	At      time.Time `json:"at"`               // when it was written
	Project string    `json:"project"`          // the sender's name for it
	Remote  string    `json:"remote,omitempty"` // the repository's, as ingest.Repository returns it; "" if it has none
	Title   string    `json:"title"`
	Items   []Item    `json:"-"` // those that hold; in a received handoff their text is as the sender wrote it
}

// Fits reports whether the handoff can be from a repository with that remote. An unknown remote fits any.
func (h *Handover) Fits(remote string) bool {
	return h.Remote == "" || remote == "" || remote == h.Remote
}

// handoffHead is the first line of the comment for the receiving recall.
const handoffHead = "<!-- recall handoff 1: the same with its evidence, for recall import"

// maxHandoverItems is the maximum number of items in a handoff.
const maxHandoverItems = 500

// somebody stands for the sender of a handoff that doesn't name one.
const somebody = "somebody"

// ErrNoHandover means that a text is no handoff.
var ErrNoHandover = errors.New("not a handoff written by recall")

// handoffHeader is the comment's first JSON line.
type handoffHeader struct {
	Handoff int `json:"handoff"` // 1
	Handover
}

// EncodeHandover writes a handoff's file from a composed payload: its handoff variant within a token budget, then the
// part for recall import, all between recall's markers. From h it takes the recipient, the sender ("" for none), the
// time and the repository.
func EncodeHandover(p *Payload, h Handover, budget int) (string, error) {
	h.At, h.From, h.Project, h.Title = h.At.UTC().Truncate(time.Second), safe(h.From, 80), p.Project, p.Title
	page := Render(p, Options{Variant: Handoff, Budget: budget}).Text
	head, body, ok := strings.Cut(page, "\n\n")
	if !ok {
		head, body = strings.TrimSuffix(page, markEnd), markEnd
	}
	var b strings.Builder
	sender := ""
	if h.From != "" {
		sender = " · from " + h.From
	}
	fmt.Fprintf(&b, "%s\nHandoff to %s%s · %s\n\n", strings.TrimRight(head, "\n"), safe(h.To, 80), sender,
		h.At.Format("2006-01-02"))
	b.WriteString(strings.TrimSuffix(body, markEnd))
	b.WriteString("\n" + handoffHead + "\n")
	lines := []any{handoffHeader{1, h}}
	items := shown(p)
	for _, it := range items[:min(len(items), maxHandoverItems)] {
		it.Rule, it.Was = "", ""
		lines = append(lines, it)
	}
	for _, l := range lines {
		text, err := json.Marshal(l) // escapes "<" and ">", so nothing in it ends the comment
		if err != nil {
			return "", fmt.Errorf("handoff: %w", err)
		}
		b.Write(append(text, '\n'))
	}
	b.WriteString("-->\n" + markEnd)
	return b.String(), nil
}

const markEnd = "<!-- /recall -->\n"

// IsHandover reports whether a text may be a handoff.
func IsHandover(text string) bool {
	return strings.HasPrefix(strings.TrimPrefix(text, "\uFEFF"), "<!-- recall")
}

// PlainHandover returns the part of a handoff's file that is meant for pasting: all but the comment.
func PlainHandover(text string) string {
	from := strings.Index(text, "\n"+handoffHead)
	if from < 0 {
		return text
	}
	to := strings.Index(text[from:], "\n-->\n")
	if to < 0 {
		return text
	}
	return strings.TrimRight(text[:from], "\n") + "\n" + text[from+to+len("\n-->\n"):]
}

// DecodeHandover reads a handoff's file: its comment or, if that was removed, the page, which has no evidence. It is
// another person's text, so it is clipped and made safe to print.
func DecodeHandover(text string) (*Handover, error) {
	text = strings.ReplaceAll(strings.TrimPrefix(text, "\uFEFF"), "\r\n", "\n")
	if !IsHandover(text) {
		return nil, ErrNoHandover
	}
	from := strings.Index(text, "\n"+handoffHead+"\n")
	if from < 0 {
		return decodeHandoverPage(text)
	}
	body, _, ok := strings.Cut(text[from+len(handoffHead)+2:], "\n-->")
	if !ok {
		return nil, errors.New("the comment for recall import is cut short")
	}
	n := strings.Count(text[:from], "\n") + 3
	lines := strings.Split(body, "\n")
	var head handoffHeader
	if err := json.Unmarshal([]byte(lines[0]), &head); err != nil || head.Handoff != 1 {
		return nil, fmt.Errorf("line %d: not as recall handoff wrote it, or by a newer recall", n)
	}
	h := head.Handover
	h.To, h.From, h.Project = safe(h.To, 80), cmp.Or(safe(h.From, 80), somebody), safe(h.Project, 80)
	h.Remote, h.Title = safe(h.Remote, 200), safe(h.Title, 120)
	taken := map[ItemID]bool{}
	for _, line := range lines[1:] {
		n++
		var it Item
		if err := json.Unmarshal([]byte(line), &it); err != nil {
			return nil, fmt.Errorf("line %d: not as recall handoff wrote it: %w", n, err)
		}
		if err := it.Receive(); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		if taken[it.ID] { // ids must be unambiguous
			return nil, fmt.Errorf("line %d: a second item %s", n, it.ID)
		}
		taken[it.ID] = it.ID != ""
		h.Items = append(h.Items, it)
	}
	if len(h.Items) > maxHandoverItems {
		return nil, fmt.Errorf("%d items; a handoff has %d at most", len(h.Items), maxHandoverItems)
	}
	Mint("handoff", h.Items, map[ItemID]bool{})
	return &h, nil
}

// decodeHandoverPage reads a handoff without its comment.
func decodeHandoverPage(text string) (*Handover, error) {
	text, _, _ = strings.Cut(text, strings.TrimSpace(markEnd)) // what follows isn't part of the page
	doc, err := Read(text)
	if err != nil {
		return nil, err
	}
	if len(doc.Lines) == 0 {
		return nil, ErrNoHandover
	}
	h := &Handover{Title: safe(doc.Title, 120), From: somebody}
	for line := range strings.Lines(text) {
		parts := strings.Split(strings.TrimSpace(line), " · ")
		if to, ok := strings.CutPrefix(parts[0], "Handoff to "); ok && (len(parts) == 2 || len(parts) == 3) {
			h.To = safe(to, 80)
			if len(parts) == 3 {
				h.From = safe(strings.TrimPrefix(parts[1], "from "), 80)
			}
			h.At, _ = time.Parse("2006-01-02", parts[len(parts)-1])
		}
		for _, p := range parts {
			if name, ok := strings.CutPrefix(p, "project "); ok && h.Project == "" && len(parts) > 1 {
				h.Project = safe(name, 80)
			}
		}
	}
	for i, l := range doc.Lines {
		it := l.Item
		if len(doc.IDs) == len(doc.Lines) {
			it.ID = doc.IDs[i]
		}
		it.By, it.At = ByUser, h.At
		if err := it.Receive(); err != nil {
			return nil, fmt.Errorf("line %d: %w", l.N, err)
		}
		h.Items = append(h.Items, it)
	}
	Mint("handoff", h.Items, map[ItemID]bool{})
	return h, nil
}

// Receive makes an item that somebody else wrote safe to keep and to print.
func (it *Item) Receive() error {
	switch {
	case !slices.Contains(Kinds, it.Kind):
		return fmt.Errorf("%q is not a kind of item", text.Clip(oneLine(string(it.Kind)), 40))
	case it.ID != "" && !IsID(string(it.ID)):
		return fmt.Errorf("%q is not an item id", text.Clip(oneLine(string(it.ID)), 40))
	case oneLine(it.Text+it.Path+it.Why) == "":
		return errors.New("an item without any text")
	}
	clip := func(s string) string { return text.Clip(oneLine(s), maxItemText) }
	list := func(in []string) (out []string) {
		for _, s := range in[:min(len(in), 20)] {
			out = append(out, clip(s))
		}
		return out
	}
	got := Item{ID: it.ID, Kind: it.Kind, Text: clip(it.Text), Why: clip(it.Why), Scope: clip(it.Scope),
		Path:         clip(it.Path),
		Alternatives: list(it.Alternatives), About: list(it.About), Aliases: list(it.Aliases), At: it.At, State: Stands,
		By: ByUser, Maker: ByModel, Rule: ReceivedRule, Pinned: it.Pinned}
	if slices.Contains(fileStates, it.Status) {
		got.Status = it.Status
	}
	if slices.Contains([]By{ByUser, ByAssistant, ByBoth}, it.By) {
		got.By = it.By
	}
	for _, e := range it.Evidence[:min(len(it.Evidence), 3)] {
		if quote := oneLine(e.Quote); quote != "" && utf8.RuneCountInString(quote) <= maxItemText {
			got.Evidence = append(got.Evidence, Evidence{Turn: text.Clip(oneLine(e.Turn), 80), N: max(0, e.N),
				Quote: quote})
		}
	}
	*it = got
	return nil
}

// ReceivedRule is the Rule of an item that another person handed over.
const ReceivedRule = "received"

// HandoverID derives a handoff's id from its text.
func HandoverID(said string) string {
	return text.Hash(said, 6)
}
