package redact

import (
	"strings"
	"testing"
	"time"
)

// Text made to be slow is not: megabytes of one thing take a fraction of a second;
// the limit leaves room for a busy machine and the race detector.
func TestHostileTextIsNotSlow(t *testing.T) {
	const limit = 20 * time.Second
	s := rules(t).Session()
	for i, piece := range []string{"a", "=", "\"", "'", " ", "\n", "\\", "A", "0", "/", "-", "_", ".", ":", "@", "‹"} {
		size := 10 << 20
		if i > 2 {
			size = 1 << 20
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
	const size, limit = 64 << 10, 20 * time.Second
	r := rules(t)
	for _, piece := range []string{
		"-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----\nMIIE", "eyJ",
		"eyJ.", "eyJ=", "eyJabcdefghijklmnopqrst.", "AKIA", "AKIA/", "q~", "q~ ",
		"://", "://a:b", "key=", "key='a1", "password=\"", "password: ", "PRIVATEKEY='a1b2",
		"token=a1b2c3d4e5f6", "Cookie: a=", "cookie: a1b2c3d4e5f6g7h8=a1b2c3d4e5f6g7h8;", "Bearer ", "Authorization: ",
		"x-api-key=", "sk-ant-", "SG.", "ya29.", "ops_eyJ", "+fm2_", "facebook ", "kind: Secret\n",
		"kind: Secret\ndata:\n", "curl -u ", "basic ", "hooks.slack.com/", "atlasv1.", "123456789:AA",
	} {
		start := time.Now()
		r.Session().Text(strings.Repeat(piece, size/len(piece)))
		if took := time.Since(start); took > limit {
			t.Errorf("%d bytes of %q took %v", size, piece, took)
		}
	}
}

// A word that crosses the end of what is read of a long command line breaks nothing, and is masked whole.
func TestLongCommandLine(t *testing.T) {
	s := rules(t).Session()
	const password = "Vt7#qLm2xW9!rbKe4PzY"
	for _, program := range []string{
		"rabbitmqctl change_password ann ", "b2 account authorize 0012 ", "net user ann /add ",
	} {
		for before := range 260 {
			line := program + strings.Repeat("word ", before/5) + strings.Repeat("-", before%5) + " " + password +
				"\nand more"
			if got := s.Text(line); before < 100 && strings.Contains(got, password) || !strings.HasSuffix(got, "\nand more") {
				t.Errorf("%d bytes before the password: %q", before, got)
			}
		}
	}
}
