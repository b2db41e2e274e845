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

// A Handover is a payload file on its way to another person's recall: a thread's items with their evidence, and who
// it is from.
type Handover struct {
	Version int       `json:"recall_handoff"` // 1; comes first, so that the file's beginning tells what it is
	To      string    `json:"to"`
	From    string    `json:"from,omitempty"`   // "somebody" once received, if the sender didn't say
	At      time.Time `json:"at"`               // when it was written
	Project string    `json:"project"`          // the sender's name for it
	Remote  string    `json:"remote,omitempty"` // the repository's, as ingest.Repository returns it; "" if it has none
	Title   string    `json:"title"`
	Items   []Item    `json:"items"` // those that hold; in a received handoff their text is as the sender wrote it
}

// Fits reports whether the handoff can be from a repository with that remote. An unknown remote fits any.
func (h *Handover) Fits(remote string) bool {
	return h.Remote == "" || remote == "" || remote == h.Remote
}

const (
	maxHandoverItems = 500
	somebody         = "somebody" // the sender of a handoff that doesn't name one
)

// ErrNoHandover means that a text is no handoff.
var ErrNoHandover = errors.New("not a handoff written by recall")

// EncodeHandover writes a handoff's file from a composed payload. From h it takes the recipient, the sender ("" for
// none), the time and the repository.
func EncodeHandover(p *Payload, h Handover) (string, error) {
	h.Version, h.At, h.From = 1, h.At.UTC().Truncate(time.Second), safe(h.From, 80)
	h.Project, h.Title, h.Items = p.Project, p.Title, nil
	items := shown(p)
	for _, it := range items[:min(len(items), maxHandoverItems)] {
		if _, doubted := p.Doubted[it.ID]; doubted && it.Kind == Decision { // which the file doesn't say
			it.Kind = Lead // it was said, and needn't hold any more
		}
		it.Was = ""
		h.Items = append(h.Items, it)
	}
	text, err := json.MarshalIndent(h, "", " ")
	return string(text) + "\n", err
}

// HandoverPage returns the page that belongs to a handoff, to read and to paste: the payload's handoff variant within
// a token budget.
func HandoverPage(p *Payload, h Handover, budget int) string {
	head, body, _ := strings.Cut(Render(p, Options{Variant: Handoff, Budget: budget}).Text, "\n\n")
	sender := ""
	if h.From != "" {
		sender = " · from " + safe(h.From, 80)
	}
	return fmt.Sprintf("%s\nHandoff to %s%s · %s\n\n%s", head, safe(h.To, 80), sender, h.At.Format("2006-01-02"), body)
}

// IsHandover reports whether a file with this beginning may be a handoff.
func IsHandover(start string) bool {
	return strings.HasPrefix(start, "{") && strings.Contains(start, `"recall_handoff"`)
}

// DecodeHandover reads a handoff's file. It is another person's text, so it is clipped and made safe to print.
func DecodeHandover(said string) (*Handover, error) {
	if !IsHandover(said) {
		return nil, ErrNoHandover
	}
	var h Handover
	if err := json.Unmarshal([]byte(said), &h); err != nil || h.Version != 1 {
		return nil, cmp.Or(err, errors.New("written by a newer recall"))
	}
	if len(h.Items) > maxHandoverItems {
		return nil, fmt.Errorf("%d items; a handoff has %d at most", len(h.Items), maxHandoverItems)
	}
	h.To, h.From, h.Project = safe(h.To, 80), cmp.Or(safe(h.From, 80), somebody), safe(h.Project, 80)
	h.Remote, h.Title = safe(h.Remote, 200), safe(h.Title, 120)
	taken := map[ItemID]bool{}
	for i := range h.Items {
		it := &h.Items[i]
		if err := it.Receive(); err != nil {
			return nil, fmt.Errorf("item %d: %w", i+1, err)
		}
		if taken[it.ID] { // ids must be unambiguous
			return nil, fmt.Errorf("item %d: a second item %s", i+1, it.ID)
		}
		taken[it.ID], it.Pinned = it.ID != "", false
	}
	Mint("handoff", h.Items, map[ItemID]bool{})
	return &h, nil
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
		By: ByUser, Maker: ByModel, Handed: true, Pinned: it.Pinned,
		Confidence: min(max(it.Confidence, 0), 1)}
	if shownBy[it.Rule] {
		got.Rule = it.Rule
	}
	if sinceOf().MatchString(it.Since) {
		got.Since = it.Since
	}
	if slices.Contains(Kinds, it.Hint) {
		got.Hint = it.Hint
	}
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

// shownBy are the rules that say where on a page an item stands, and how.
var shownBy = map[string]bool{RequestRule: true, TaskRule: true, TaskStatesRule: true, ReportStatesRule: true,
	ReportRule: true, CommitRule: true, CutOffRule: true, TestRule: true, OpenedRule: true, AskedRule: true,
	UnansweredRule: true, ToldNextRule: true, AnswerRule: true, RefusalRule: true}

// sinceOf matches what a page says of what came of a quote.
var sinceOf = text.Pattern(`^(?:(?:file|files) (?:edited|removed|changed) since|worked on|commit taken back since|` +
	`no push seen since|hooks skipped|said while planning|(?:merged|closed|reopened) since|answered in turn \d{1,6})$`)

// HandoverID derives a handoff's id from its text.
func HandoverID(said string) string {
	return text.Hash(said, 6)
}
