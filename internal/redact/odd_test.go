package redact_test

import (
	"strings"
	"testing"

	"recall/internal/redact"
)

// A word that looks odd is masked where the lines around it speak of what lets somebody in, however they say it; not
// where they speak of something else.
func TestOddWordIsJudgedByWhatIsSpokenOf(t *testing.T) {
	for _, c := range [][2]string{
		{"when the lock screen asks, enter thistle-lantern-543 twice", "thistle-lantern-543"},
		{"we always took Lantern_Meadow1987 for that mailbox", "Lantern_Meadow1987"},
		{"tried Walnut1978* as well, it doesn't get me in either", "Walnut1978"},
		{"they generated one for me, 7KQ2M4XZ0P8WD3NVB1TC, use it to log in", "7KQ2M4XZ0P8WD3NVB1TC"},
		{"two-factor is on, write these down:\n[1] k4tz9wqxm3\n[2] m3vb7hdnq2\n[3] 9wqx7hdn4b\n" +
			"they are never shown again", "m3vb7hdnq2"},
		{"put this into the safe:\n\n  k4t9-w2qx   m3v7-h8dn\n  9wq4-7hd2   q7r2-m4xz\n\n" +
			"each lets you in once", "9wq4-7hd2"},
		{"the wallet's words are salmon granite pepper walrus comet bishop lagoon thistle copper maple tulip quartz",
			"granite pepper"},
	} {
		if got := redact.Text(c[0]); strings.Contains(got, c[1]) {
			t.Errorf("%q is left: %q", c[1], got)
		}
	}
	for _, text := range []string{
		"the branch feat-login-4711x and the commit 7c1fa2b09d broke the login page",
		"our release thistle-lantern-543 is faster", "they use node-v20.11.1 and GPT4o-mini there",
		"versions Fp448, Fp511, Fp434 of the curve and its keys",
		"a list of names: salmon granite pepper walrus comet bishop lagoon thistle copper maple tulip quartz",
		"the wallet's words: salmon,granite,pepper,walrus,comet,bishop,lagoon,thistle,copper,maple,tulip,quartz,amber",
	} {
		if got := redact.Text(text); got != text {
			t.Errorf("Text(%q): got %q, want it unchanged", text, got)
		}
	}
}
