package llm

import (
	"net/http"
	"strconv"
	"time"
)

// Limits are what a service takes still before it will refuse, and how long
// until it takes its fill again.
type Limits struct {
	Requests    int // left; -1 if it doesn't say
	RequestsNew time.Duration
	Tokens      int // left; -1 if it doesn't say
	TokensNew   time.Duration
}

// LimitsOf reads the x-ratelimit headers that OpenAI and most who speak its
// protocol send, and Anthropic's; nil if there are none.
func LimitsOf(h http.Header) *Limits { return limitsOf(h, time.Now()) }

func limitsOf(h http.Header, now time.Time) *Limits {
	l := Limits{Requests: -1, Tokens: -1}
	less := func(left *int, again *time.Duration, n int, d time.Duration) {
		if n >= 0 && (*left < 0 || n < *left) {
			*left, *again = n, d
		}
	}
	for _, f := range []struct{ remaining, reset string }{
		{"x-ratelimit-remaining-requests", "x-ratelimit-reset-requests"},
		{"anthropic-ratelimit-requests-remaining", "anthropic-ratelimit-requests-reset"},
	} {
		less(&l.Requests, &l.RequestsNew, number(h.Get(f.remaining)), span(h.Get(f.reset), now))
	}
	for _, f := range []struct{ remaining, reset string }{
		{"x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"},
		// of these three the one with least left
		{"anthropic-ratelimit-tokens-remaining", "anthropic-ratelimit-tokens-reset"},
		{"anthropic-ratelimit-input-tokens-remaining", "anthropic-ratelimit-input-tokens-reset"},
		{"anthropic-ratelimit-output-tokens-remaining", "anthropic-ratelimit-output-tokens-reset"},
	} {
		less(&l.Tokens, &l.TokensNew, number(h.Get(f.remaining)), span(h.Get(f.reset), now))
	}
	if l.Requests < 0 && l.Tokens < 0 {
		return nil
	}
	return &l
}

func number(v string) int {
	if n, err := strconv.Atoi(v); err == nil && n >= 0 {
		return n
	}
	return -1
}

// span reads "6m0s", "20ms", seconds, or the moment at which it ends.
func span(v string, now time.Time) time.Duration {
	if d, err := time.ParseDuration(v); err == nil && d >= 0 {
		return d
	}
	if s, err := strconv.ParseFloat(v, 64); err == nil && s >= 0 && s < 1e6 {
		return time.Duration(s * float64(time.Second))
	}
	if t, err := time.Parse(time.RFC3339, v); err == nil {
		return max(0, t.Sub(now))
	}
	return 0
}

// RetryAfter is how long a service asks to be left alone: in seconds, as a
// date, in OpenAI's milliseconds, or until the limit that is used up is filled
// again; 0 if it doesn't say.
func RetryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("retry-after-ms"), 64); err == nil && ms >= 0 && ms < 1e9 {
		return time.Duration(ms * float64(time.Millisecond))
	}
	if v := h.Get("retry-after"); v != "" {
		if s, err := strconv.ParseFloat(v, 64); err == nil && s >= 0 && s < 1e6 {
			return time.Duration(s * float64(time.Second))
		}
		if t, err := http.ParseTime(v); err == nil {
			return max(0, t.Sub(now))
		}
	}
	var longest time.Duration
	if l := limitsOf(h, now); l != nil {
		if l.Requests == 0 {
			longest = l.RequestsNew
		}
		if l.Tokens == 0 {
			longest = max(longest, l.TokensNew)
		}
	}
	return longest
}
