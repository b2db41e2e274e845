// Package wire is what providers that speak HTTP through somebody else's client
// have in common: a transport that turns whatever a service does instead of
// answering into an *llm.Error, which errors.As finds through that client's own
// wrapping.
package wire

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"recall/llm"
)

// Transport sends requests once. What it returns has succeeded: a body of JSON,
// whole and without an error in it; everything else is an *llm.Error, or the
// context's own.
type Transport struct {
	Model string // for errors
	Key   string // never stands in one
	Base  http.RoundTripper
	Whole func(*http.Request) bool // whether a body is read here; nil for always
}

// most is what an answer may have in bytes; 64k tokens have far fewer.
const most = 64 << 20

// RoundTrip implements http.RoundTripper.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	base := t.Base
	if base == nil {
		base = http.DefaultTransport
	}
	res, err := base.RoundTrip(req)
	if err != nil {
		return nil, t.Broken(req.Context(), err)
	}
	if res.StatusCode/100 == 2 && t.Whole != nil && !t.Whole(req) {
		return res, nil
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, most+1))
	switch {
	case res.StatusCode/100 == 3:
		return nil, t.Fail(llm.NotFound, res.StatusCode, "the address redirects to another, which isn't followed")
	case res.StatusCode/100 != 2:
		return nil, t.refused(res, body) // what is left of a broken one is enough
	case err != nil:
		return nil, t.Broken(req.Context(), err)
	case len(body) > most:
		return nil, t.Fail(llm.Nonsense, res.StatusCode, "an answer of more than 64 MB")
	case !json.Valid(body) && t.Clip(body) == llm.WebPage: // of whoever stands between: a login, a portal
		return nil, t.Fail(llm.NotFound, res.StatusCode, llm.WebPage+" instead of an answer")
	case !json.Valid(body):
		return nil, t.Fail(llm.Nonsense, res.StatusCode, "an answer that is no JSON: "+t.Clip(body))
	}
	if _, ok := complaintOf(body); ok { // OpenRouter does so when it has begun to answer
		return nil, t.refused(res, body)
	}
	res.Body = io.NopCloser(bytes.NewReader(body))
	return res, nil
}

// Broken is a connection that failed, or was ended by the caller.
func (t *Transport) Broken(ctx context.Context, err error) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return ctx.Err()
	}
	if known, ok := errors.AsType[*llm.Error](err); ok {
		return known
	}
	e := t.Fail(llm.Unreachable, 0, "")
	e.Err = err
	var slow net.Error
	switch {
	case ctx.Err() != nil || errors.As(err, &slow) && slow.Timeout():
		e.Fault = llm.TimedOut
	case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
		e.Text = "the connection broke off"
	}
	return e
}

// refused is what a service says instead of answering.
func (t *Transport) refused(res *http.Response, body []byte) *llm.Error {
	c, _ := complaintOf(body)
	status := res.StatusCode
	if status/100 == 2 {
		status = c.status
	}
	text := c.text
	if text == "" {
		text = string(body)
	}
	e := t.Fail(FaultOf(status, c.code, text), status, t.Clip([]byte(text)))
	if e.After = retryAfter(res.Header, time.Now()); e.After == 0 && e.Fault == llm.RateLimited {
		e.After = c.after
	}
	return e
}

// Refused is an error that came inside an answer, as one line of a batch.
func (t *Transport) Refused(status int, body []byte) *llm.Error {
	return t.refused(&http.Response{StatusCode: status}, body)
}

// Fail is an error of the service's.
func (t *Transport) Fail(f llm.Fault, status int, text string) *llm.Error {
	return &llm.Error{Fault: f, Model: t.Model, Status: status, Text: text}
}

// Clip makes a service's words one line of at most 300 bytes, without the key.
func (t *Transport) Clip(data []byte) string {
	s := strings.ToValidUTF8(string(data), "")
	if t.Key != "" {
		s = strings.ReplaceAll(s, t.Key, "[key]")
		s = withoutParts(strings.ToValidUTF8(s[:min(len(s), 2000)], ""), t.Key)
	}
	if begin := strings.ToLower(s[:min(len(s), 500)]); strings.Contains(begin, "<html") ||
		strings.Contains(begin, "<!doctype") {
		return llm.WebPage
	}
	return llm.Short(s)
}

// keyPart is how many letters of a key are none of its maker's mark any more.
const keyPart = 8

// withoutParts takes out of a text what a service repeats of a key, cut or with
// stars in it.
func withoutParts(s, key string) string {
	for i := 0; i+keyPart <= len(key); {
		at := strings.Index(s, key[i:i+keyPart])
		if at < 0 {
			i++
			continue
		}
		n := keyPart
		for i+n < len(key) && at+n < len(s) && s[at+n] == key[i+n] {
			n++
		}
		s = s[:at] + "[key]" + s[at+n:]
	}
	return s
}

// Usual fills in what options don't say, and checks the address: a key goes over https or to
// this machine only.
func Usual(o llm.Options, address string, window, most int) (llm.Options, *url.URL, error) {
	o.URL = cmp.Or(o.URL, address)
	u, err := Address(o.URL, o.Key)
	o.Window = cmp.Or(max(o.Window, 0), window)
	o.MaxOutput = cmp.Or(max(o.MaxOutput, 0), most)
	o.Timeout = cmp.Or(max(o.Timeout, 0), 5*time.Minute)
	return o, u, err
}

// Client sends by a transport and doesn't follow where a service points: texts
// and keys go where the user said.
func Client(t http.RoundTripper) *http.Client {
	return &http.Client{Transport: t, CheckRedirect: func(*http.Request,
		[]*http.Request) error {
		return http.ErrUseLastResponse
	}}
}

// Address checks a service's address; a key goes over https or to this machine
// only.
func Address(raw, key string) (*url.URL, error) {
	u, err := url.Parse(raw)
	noAddress := err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil
	if noAddress {
		return nil, errors.New("llm.url is no address such as http://127.0.0.1:1234/v1") // it may hold a password
	}
	if key != "" && u.Scheme == "http" && !Here(u.Hostname()) {
		return nil, fmt.Errorf("%s: a key is sent over https only", u.Redacted())
	}
	return u, nil
}

// Here reports whether a host is this machine.
func Here(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// retryAfter is how long a service asks to be left alone: in seconds, as a date, or in
// OpenAI's milliseconds; 0 if it doesn't say.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("retry-after-ms"), 64); err == nil && ms >= 0 && ms < 1e9 {
		return time.Duration(ms * float64(time.Millisecond))
	}
	v := h.Get("retry-after")
	if s, err := strconv.ParseFloat(v, 64); err == nil && s >= 0 && s < 1e6 {
		return time.Duration(s * float64(time.Second))
	}
	if t, err := http.ParseTime(v); err == nil {
		return max(0, t.Sub(now))
	}
	return 0
}
