package redact

import (
	"encoding/base64"
	"strings"
	"testing"

	"recall/internal/escape"
)

func TestKnownFindsWhatWasToldLater(t *testing.T) {
	const secret = "x7Kp2mQ9vLt4Wz"
	r := New()
	title := r.Text("update " + secret)
	told := r.Text(`password: "` + secret + `"`)
	if !strings.Contains(title, secret) || strings.Contains(told, secret) {
		t.Fatalf("got %q and %q, want the second redacted alone", title, told)
	}
	again := r.Known(title)
	if strings.Contains(again, secret) || again != "update "+told[strings.Index(told,
		open):strings.LastIndex(told, shut)+len(shut)] {
		t.Errorf("got %q, want the placeholder of %q", again, told)
	}
	if got := r.Known("nothing to see"); got != "nothing to see" {
		t.Errorf("got %q", got)
	}
}

func TestNameHasNoNumbers(t *testing.T) {
	r := New()
	r.Text("AKIA" + "QWERTYUIOP234567 and AKIA" + "ASDFGHJKLZ765432")
	got := r.Name("app-AKIA" + "ASDFGHJKLZ765432")
	if !strings.HasPrefix(got, "app-"+open) || !strings.HasSuffix(got, shut) || strings.ContainsAny(got, "0123456789") {
		t.Errorf("got %q, want a placeholder without its number", got)
	}
	if again := Text(got); again != got {
		t.Errorf("%q: got %q the second time, want it unchanged", got, again)
	}
	if got := r.Name("plain app 2"); got != "plain app 2" {
		t.Errorf("got %q", got)
	}
}

// A known secret is found in another case, encoded, within another text.
func TestKnownSecretInOtherForms(t *testing.T) {
	const secret = "Tr0ub4dor&3x/Lamp"
	r := New()
	r.Text(`password: "` + secret + `"`)
	for _, form := range []string{strings.ToUpper(secret), strings.ToLower(secret), "Tr0ub4dor%263x%2FLamp",
		"VHIwdWI0ZG9yJjN4L0xhbXA=",
		base64.StdEncoding.EncodeToString([]byte("ann:" + secret)),
		base64.StdEncoding.EncodeToString([]byte("me:" + secret)),
		base64.StdEncoding.EncodeToString([]byte("x:" + secret))} {
		if got := r.Text("then " + form + " came"); !strings.Contains(got, open) {
			t.Errorf("%s is left: %q", form, got)
		}
	}
	if got := r.Text("then lamp and Troubadour came"); strings.Contains(got, open) {
		t.Errorf("got %q, want it unchanged", got)
	}
}

// What can't be seen is left out where text leaves recall: a key that it takes apart would be whole there.
func TestKeyTakenApartByWhatIsInvisible(t *testing.T) {
	const begin, end = "ghp_" + "q7Rk2mXz9LpT", "4vBn8WsYc3HdJ6fGt5KuE1aQ"
	for sign := range strings.FieldsSeq("\u200b \u00ad \u2060 \ufeff \x01 \x7f \u200f \U000e0041") {
		r := New()
		text := "it is " + begin + sign + end + ", as told"
		got := escape.Line(r.Text(text), escape.Terminal)
		if strings.Contains(got, end) || !strings.HasPrefix(got, "it is ‹") {
			t.Errorf("%q: got %q", sign, got)
		}
		r = New()
		r.Text("it is " + begin + end)
		if got := r.Known(text); strings.Contains(got, end) {
			t.Errorf("%q: got %q of a known one", sign, got)
		}
		if plain := "a word" + sign + "by word\r\n"; r.Text(plain) != plain {
			t.Errorf("%q: got %q, want it unchanged", plain, r.Text(plain))
		}
	}
}
