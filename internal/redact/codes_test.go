package redact

import (
	"strings"
	"testing"
)

// What lets somebody in when all else fails is masked by its groups, its words, its cell; what merely has such
// shapes is kept.
func TestCodesSeedsAndColumns(t *testing.T) {
	const seed = "salmon granite pepper walrus comet bishop lagoon thistle copper maple tulip quartz"
	for text, secrets := range map[string][]string{
		"Codes de secours : 7kq2-m4xz, p8wd-3nvb":                                   {"7kq2-m4xz", "p8wd-3nvb"},
		"one-time code list\n1. 48213095\n2. 77102846\n3. 90155372\nthanks":         {"48213095", "90155372"},
		"the setup key is k4vt 9q2m xw7z 3hbd":                                      {"k4vt 9q2m", "3hbd"},
		"save this seed phrase:\n" + seed + "\nthen list the accounts":              {"salmon granite"},
		"priv:\n    1f:8a:03:44\n    9c:d1\npub:\n    04:11":                        {"1f:8a:03", "9c:d1"},
		"the vpn passphrase is \"comet walrus ginger 48\"":                          {"comet walrus"},
		"user | login\nbox1 | ann / Walrus-5521k\nbox2 | bob / comet.maple42":       {"Walrus-5521k", "comet.maple42"},
		"register => 4711:Ginger-8123x@sip.example.org/200":                         {"Ginger-8123x"},
		"$ sudo cat /etc/ppp/pap-list\nann * comet_maple77 *":                       {"comet_maple77"},
		"Códigos de recuperación:\n6e0b5869c3c00e8e\n8c387a28069bff82":              {"8c387a28069bff82"},
		"App password\njotu zgyq bejl dama":                                         {"jotu zgyq bejl dama"},
		"the WhatsApp code: 873-408":                                                {"873-408"},
		"acme backup code zx3kiad9jzfx":                                             {"zx3kiad9jzfx"},
		"backup code d622-140f-e880-d818":                                           {"d622-140f-e880-d818"},
		"kody zapasowe: 9576 1371, 3340 1556, 8558 0835":                            {"9576 1371", "8558 0835"},
		"the totp key: VIGQMVXWEZJKXRGW":                                            {"VIGQMVXWEZJKXRGW"},
		"Die Wiederherstellungswörter sind: " + seed:                                {"salmon granite"},
		"G-938469 is your Acme verification code.":                                  {"938469"},
		"$ acme auth:token\n ›   Warning: expired\n4b1b1406-6767-46e6-03a91bbd78b9": {"03a91bbd78b9"},
		"$ cat /run/secrets/db /run/secrets/api\nGk5-.f58Nv\nk7qz9wxt4bvm":          {"Gk5-.f58Nv", "k7qz9wxt4bvm"},
		"https://app.example.org/account/recover/q7Rk2mXz9LpT4vBn8WsY":              {"q7Rk2mXz9LpT4vBn8WsY"},
		"codici di riserva: 8801-7719 4619-4373 5812-9036":                          {"8801-7719", "5812-9036"},
		"Save these codes, each can be used once:\n6m1d-a4hk\n6tpb-780d":            {"6m1d-a4hk", "6tpb-780d"},
		"the code for the door is 8391#":                                            {"8391"},
		"Votre code de vérification : 858 451":                                      {"858 451"},
		"id_rsa without its lines:\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEA":   {"MIIEvQIBADAN"},
		"our key (91ff8307683f8f94b801b66dba64a839) is old":                         {"91ff8307683f8f94"},
		"$ cat /etc/openvpn/auth.txt\nann\nMaple352&":                               {"Maple352&"},
		"I always use Walrus&29 there":                                              {"Walrus&29"},
	} {
		got := Text(text)
		for _, secret := range secrets {
			if strings.Contains(got, secret) {
				t.Errorf("%q is left in %q", secret, got)
			}
		}
	}
	for _, text := range []string{
		"recovery codes are made in recovery_codes.go line 1204, tested with 2048 and 4096",
		"backup codes: see mips64, ppc64, s390x",
		"the cert is MIIDXTCCAkWgAwIBAgIJAKoK/heBjcOuMA0GCSqGSIb3DQEBBQUA",
		"use H2O&CO2 with Issue#1234 to ping 4096 ms",
		"ssh fingerprint SHA256:HNJxjq4izpo//nnkcJOlG8QleRXT+xC1hf1y7om9H9L", "the status code for this is 404 or 5020",
		"$ git config credential.helper\nosxkeychain", "use argon2id as the password hash",
		"seed the table with some words from the list that we made for them last week",
		"one change covers every phase because all calls share that function",
		"password: settings.token64", "nginx:1.25@sha256.example",
	} {
		if got := Text(text); got != text {
			t.Errorf("Text(%q): got %q, want it unchanged", text, got)
		}
	}
}
