package redact_test

import (
	"strings"
	"testing"

	"recall/internal/redact"
)

// Beside a word of secrecy or of access, on its line or the next, a value is masked for its looks, though nothing says
// how the two are joined.
func TestSecretBesideItsWord(t *testing.T) {
	rules := redact.New()
	for _, c := range [][2]string{
		{"if the admin console hangs: Meadow1987!", "Meadow1987!"},
		{"restart the login box, Lantern&thistle431 lets you in", "Lantern&thistle431"},
		{"unlock, then q4Zt8wRbN2xKs7Lm", "q4Zt8wRbN2xKs7Lm"},
		{"passwordeval echo thistle.lantern.62", "thistle.lantern.62"},
		{"$ acme connection list --show-password\nprod  k7qz9wxt4bvm", "k7qz9wxt4bvm"},
		{"they mailed me a temp password once more, k4tz-9wqx-m3vb-7hdn, which works", "k4tz-9wqx-m3vb-7hdn"},
		{"SMTP_PSW=lantern.meadow.31", "lantern.meadow.31"},
		{"db-pasword: k7qz9wxt4bvm", "k7qz9wxt4bvm"},
		{"ansible_ssh_pass: 84620573", "84620573"},
		{"failed password for ann (Woda-Umbrella-66) from 10.0.0.9", "Woda-Umbrella-66"},
		{"sign in as ann, thistle_lantern_461", "thistle_lantern_461"},
		{"created root / whk7q0dk2b", "whk7q0dk2b"},
		{"the credentials:\n  ann\n  LanternThistle461", "LanternThistle461"},
		{"[WARN] deprecated token 4b1b1406676746e6bec703a91bbd78b9 used", "4b1b1406676746e6bec703a91bbd78b9"},
		{"it is pTx9_Lk#27vQwm for the database", "pTx9_Lk#27vQwm"},
		{"acme_live_4b1b1406676746e6bec703a91bbd78b9", "4b1b1406676746e6bec703a91bbd78b9"},
		{"q4Zt8wRbN2xKs7Lm", "q4Zt8wRbN2xKs7Lm"},
	} {
		if got := rules.Session().Text(c[0]); strings.Contains(got, c[1]) {
			t.Errorf("%q is left: %q", c[1], got)
		}
	}
	for _, text := range []string{
		"the login page: see https://acme.test/docs/Meadow_Falcon12/Page1987!",
		"unlock the tests with SecP384r1MLKEM1024 and fp64RegMask, 4*smallMaxTokenSize, cockroach#6181",
		"admin: build is64BitInt(v) && cmdMlKem768KeyGenAft(), arg0*auxInt",
		"root was asked in req_011CazjHVN94cBb3r3Mb82YV and toolu_01B1w1ng7ZALu6sieVypBdXw",
		"golang.org/x/root v0.21.0 h1:X31++rzVUdKhX5sWmSOFZxx8UW/ldWx55cbf08iNAMA=",
		"two-factor login of provider-decision-2.md, gpt-turbo-16k and utf8mb4 for the password column",
		`{"password": "", "mode": "Green-leaf-42"}, float64x2 in docker/setup-go@44694675825211faa026b3c33043df3e48a5fa00`,
		"see fix-4b1b1406676746e6bec7 and 4b1b1406676746e6bec703a91bbd78b9, 5*Second%20to, 0x2a67d68660df41c7",
	} {
		if got := rules.Session().Text(text); got != text {
			t.Errorf("Text(%q): got %q, want it unchanged", text, got)
		}
	}
}
