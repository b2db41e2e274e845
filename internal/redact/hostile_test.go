package redact

import (
	"strings"
	"testing"
	"time"
)

// Text made to be slow is not: a megabyte of one thing takes a fraction of a second;
// the limit leaves room for a busy machine and the race detector.
func TestHostileTextIsNotSlow(t *testing.T) {
	const limit = time.Minute
	s := New()
	for i, piece := range []string{"a", "=", "\"", "'", " ", "\n", "\\", "A", "0", "/", "-", "_", ".", ":", "@", "‹"} {
		size := 2 << 20
		if i > 2 {
			size = 256 << 10
		}
		start := time.Now()
		if got := s.Text(strings.Repeat(piece, size)); len(got) < size {
			t.Errorf("%d bytes of %q: %d are left", size, piece, len(got))
		}
		if took := time.Since(start); took > limit {
			t.Errorf("%d bytes of %q took %v", size, piece, took)
		}
	}
}

// Literals and nothing else: every one of them is a place to look, each look at
// its longest.
func TestTextOfLiteralsIsNotSlow(t *testing.T) {
	const size, limit = 16 << 10, time.Minute
	for _, piece := range []string{
		"-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----\nMIIE", "eyJ",
		"eyJ.", "eyJ=", "eyJabcdefghijklmnopqrst.", "AKIA", "AKIA/", "q~", "q~ ",
		"://", "://a:b", "key=", "key='a1", "password=\"", "password: ", "PRIVATEKEY='a1b2",
		"token=a1b2c3d4e5f6", "Cookie: a=", "cookie: a1b2c3d4e5f6g7h8=a1b2c3d4e5f6g7h8;", "Bearer ", "Authorization: ",
		"x-api-key=", "sk-ant-", "SG.", "ya29.", "ops_eyJ", "+fm2_", "facebook ", "kind: Secret\n",
		"kind: Secret\ndata:\n", "curl -u ", "basic ", "hooks.slack.com/", "atlasv1.", "123456789:AA",
	} {
		start := time.Now()
		Text(strings.Repeat(piece, size/len(piece)))
		if took := time.Since(start); took > limit {
			t.Errorf("%d bytes of %q took %v", size, piece, took)
		}
	}
}
