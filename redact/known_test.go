package redact

import (
	"strings"
	"testing"
)

func TestKnownFindsWhatWasToldLater(t *testing.T) {
	rules, err := New()
	if err != nil {
		t.Fatal(err)
	}
	const secret = "x7Kp2mQ9vLt4Wz"
	r := rules.Session()
	title := r.Text("rotate " + secret)
	told := r.Text(`password: "` + secret + `"`)
	if !strings.Contains(title, secret) || strings.Contains(told, secret) {
		t.Fatalf("got %q and %q, want the second redacted alone", title, told)
	}
	again := r.Known(title)
	if strings.Contains(again, secret) || again != "rotate "+told[strings.Index(told, open):strings.LastIndex(told, shut)+len(shut)] {
		t.Errorf("got %q, want the placeholder of %q", again, told)
	}
	if got := r.Known("nothing to see"); got != "nothing to see" {
		t.Errorf("got %q", got)
	}
}

func TestNameHasNoNumbers(t *testing.T) {
	rules, err := New()
	if err != nil {
		t.Fatal(err)
	}
	r := rules.Session()
	r.Text("AKIA" + "QWERTYUIOP234567 and AKIA" + "ASDFGHJKLZ765432")
	got := r.Name("app-AKIA" + "ASDFGHJKLZ765432")
	if !strings.HasPrefix(got, "app-"+open) || !strings.HasSuffix(got, shut) || strings.ContainsAny(got, "0123456789") {
		t.Errorf("got %q, want a placeholder without its number", got)
	}
	if again := rules.Session().Text(got); again != got {
		t.Errorf("%q: got %q the second time, want it unchanged", got, again)
	}
	if got := r.Name("plain app 2"); got != "plain app 2" {
		t.Errorf("got %q", got)
	}
}
