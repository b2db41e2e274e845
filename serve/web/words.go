package web

import (
	"fmt"
	"html/template"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"recall/answer"
	"recall/index"
	"recall/internal/text"
	"recall/library/render"
	"recall/payload"
)

// voice words answers as on a terminal.
var voice answer.Voice

// words are the template functions of the pages.
func words() template.FuncMap {
	return template.FuncMap{
		"sentence": func(it payload.Item) string {
			return text.Clip(voice.Sentence(it), mostOfLine)
		},
		"listed":   answer.Kinds,
		"state":    answer.State,
		"standing": stands,
		"told":     answer.Standing,
		"became":   became,
		"quote":    quoteOf,
		"evidence": voice.Quote,
		"who":      voice.Who,
		"was":      func(l index.Linked) string { return text.Clip(voice.Was(l), mostOfLine) },
		"tie":      answer.Tie,
		"past":     func(p index.Placed) string { return text.Clip(voice.Past(p), mostOfLine) },
		"teller":   voice.Teller,
		"heading": func(k payload.Kind) string {
			if k == payload.Lead {
				return "What was said"
			}
			return answer.Kinds([]payload.Kind{k})
		},
		"rendered": render.Message,
		"sharedBy": sharedBy,
		"turnOf":   func(it payload.Item) string { return it.First().Turn },
		"lost":     func(r *answer.Result) []string { return answer.RejectedOptions(*r.Item, r.History) },
		"lineOf":   lineOf,
		"at":       func(p index.Place, turn int) string { return voice.Where(p, turn, true) }, // as people type it
		"there":    there,
		"to":       func(session, turn, text string) leading { return leading{there(session, turn), text} },
		"change":   changing,
		"weekday":  weekday,
		"agentOf": func(session any, agent string) string {
			return (&url.URL{Path: fmt.Sprintf("/session/%v", session),
				RawQuery: url.Values{"agent": {agent}}.Encode()}).String()
		},
		"handle":  payload.Handle,
		"day":     answer.Day,
		"size":    text.Size,
		"took":    took,
		"ago":     func(t time.Time) string { return ago(time.Since(t)) },
		"count":   answer.Count,
		"clip":    func(n int, s string) string { return text.Clip(text.OneLine(s), n) },
		"number":  func(n int) string { return text.Thousands(n) },
		"join":    func(list []string) string { return strings.Join(list, ", ") },
		"add":     func(a, b int) int { return a + b },
		"minus":   func(a, b int) int { return a - b },
		"times":   func(a, b int) int { return a * b },
		"half":    func(a int) int { return a / 2 },
		"by":      func() []string { return sums },
		"entry":   func(v view, item any) entry { return entry{v, item} },
		"dollars": func(d float64) string { return fmt.Sprintf("$%.2f", d) },
		"but":     but,
		"kinds":   func() []payload.Kind { return payload.Kinds },
		"has":     func(list []payload.Kind, k payload.Kind) bool { return slices.Contains(list, k) },
		"screens": func() []screen { return screens },
		"weights": func() []string { return weights },
		"weight": func(class string) string {
			return map[string]string{"answer": "answered", "prompt": "asked", "edited": "files edited",
				"failed": "a call failed"}[class]
		},
	}
}

// repeats is the share of a quote's words from which the line above it says it already.
const repeats = 0.8

// ordered matches a word that makes the order of others matter.
var ordered = regexp.MustCompile(`(?i)\b(instead|rather|over|before|after|replaces?)\b`)

// quoteOf returns an item's quote, "" where the item's own line has it or says the same: no less of a no and, where
// that matters, in the same order.
func quoteOf(it payload.Item) string {
	quote, line := voice.Quote(it), voice.Sentence(it)+" "+it.Why
	said := strings.ToLower(strings.Trim(quote, "“”. "))
	ofFile := it.Path != "" && strings.HasSuffix(said, strings.ToLower(it.Path))
	if ofFile || strings.Contains(strings.ToLower(line), said) {
		return ""
	}
	if payload.SaysNo(quote) && !payload.SaysNo(line) {
		return quote
	}
	words, above := text.Content(quote), text.Content(line)
	common := shared(words, above)
	turned := ordered.MatchString(quote) && !slices.Equal(common, shared(above, words))
	if float64(len(common)) < repeats*float64(len(words)) || turned {
		return quote
	}
	return ""
}

// shared returns those of some words that others have too.
func shared(words, others []string) []string {
	return slices.DeleteFunc(slices.Clone(words), func(w string) bool { return !slices.Contains(others, w) })
}

// mostOfLine is how many characters of an item's line a page shows; a longer line can't be edited there.
const mostOfLine = 2000

// lineOf returns an item's line to be edited, "" if it is too long for that.
func lineOf(it payload.Item) string {
	line := payload.LineOf(&it)
	if len(line) > mostOfLine {
		return ""
	}
	return line
}

// An entry is one item of a page together with the page's view.
type entry struct {
	View view
	Item any
}

// A screen is an entry of the pages' menu.
type screen struct{ Name, Path, Title string }

var screens = []screen{{"ask", "/", "Home"}, {"review", "/review", "Review"}, {"time", "/time", "Timeline"},
	{"sessions", "/sessions", "Sessions"}, {"now", "/now", "Project now"}, {"health", "/health", "Cost and health"}}

// stands classifies an item for its mark: stands, past, out (ruled out) or later (deferred, open). What claims nothing,
// such as a quote or a file, is plain and has none.
func stands(it payload.Item) string {
	switch {
	case slices.Contains(unclaimed, it.Kind):
		return "plain"
	case !it.Current():
		return "past"
	case it.Kind == payload.Eliminated:
		return "out"
	case it.Kind == payload.Deferred || it.Kind == payload.Question:
		return "later"
	}
	return "stands"
}

var unclaimed = []payload.Kind{payload.Goal, payload.Next, payload.File, payload.Status, payload.Lead}

// sharedBy names a session for there: with its author if it is somebody else's, since two may share one.
func sharedBy(p index.Place) string {
	if p.Author == "" {
		return p.Session
	}
	return p.Session + "@" + p.Author
}

// leading is a text that links to a page; Href is "" if there is none.
type leading struct{ Href, Text string }

// there returns the page of a session, at a turn if one is known: its id or that of one of its records. Handoffs are
// in no session here.
func there(session, turn string) string {
	if strings.HasPrefix(session, "handoff ") {
		return ""
	}
	u := url.URL{Path: "/session/" + session}
	if turn != "" {
		u.RawQuery = url.Values{"turn": {turn}}.Encode()
		u.Fragment = turn
	}
	return u.String()
}

// changing leads to where an item of a session is kept, dropped or corrected, and back to the page; nil if that can't
// be done here.
func changing(v view, session any, it payload.Item) *leading {
	id := fmt.Sprint(session)
	if v.ReadOnly || strings.HasPrefix(id, "handoff ") || strings.Contains(id, "@") {
		return nil
	}
	u := url.URL{Path: "/item/" + id + "/" + string(it.ID), RawQuery: url.Values{"back": {v.Here()}}.Encode()}
	return &leading{u.String(), text.Clip(text.OneLine(voice.Sentence(it)), 60)}
}

// but returns a page's address with some query parameters changed, given as pairs of key and value; "" removes one.
func but(page *url.URL, pairs ...string) string {
	q := page.Query()
	for i := 0; i+1 < len(pairs); i += 2 {
		q.Set(pairs[i], pairs[i+1])
		if pairs[i+1] == "" {
			q.Del(pairs[i])
		}
	}
	return (&url.URL{Path: page.Path, RawQuery: q.Encode()}).String()
}

// weekday names a day, "2026-11-25", with its day of the week.
func weekday(on string) string {
	if t, err := day(on); err == nil && !t.IsZero() {
		return t.Format("Mon 2006-01-02")
	}
	return on
}

func ago(d time.Duration) string {
	switch days := int(d.Hours() / 24); {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	case days == 0:
		return fmt.Sprintf("%d h ago", int(d.Hours()))
	case days < 14:
		return answer.Count(days, "day") + " ago"
	case days < 100:
		return answer.Count(days/7, "week") + " ago"
	}
	return answer.Count(int(d.Hours()/24/30), "month") + " ago"
}

// took words how long a session went on, "" for less than a minute.
func took(d time.Duration) string {
	switch hours := d.Hours(); {
	case d < time.Minute:
		return ""
	case hours < 2:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case hours < 48:
		return fmt.Sprintf("%d h", int(hours))
	}
	return answer.Count(int(d.Hours()/24), "day")
}
