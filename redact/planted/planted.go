// Package planted draws secrets for tests to put where nothing derived may have
// them.
package planted

import (
	"math/rand/v2"
	"strings"
)

// Kinds is how many kinds of secrets there are.
const Kinds = 34

// Secret makes a secret of one of the kinds, as it stands in transcripts: the
// text around it, and what must never leave the machine. All are drawn, none is
// real.
func Secret(r *rand.Rand, kind int) (text, secret string) {
	const (
		lower = "abcdefghijklmnopqrstuvwxyz"
		upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
		digit = "0123456789"
		hex   = digit + "abcdef"
		any   = lower + upper + digit
	)
	draw := func(alphabet string, n int) string {
		var b strings.Builder
		for range n {
			b.WriteByte(alphabet[r.IntN(len(alphabet))])
		}
		return b.String()
	}
	mixed := func(n int) string { return draw(lower, 2) + draw(upper, 2) + draw(digit, 2) + draw(any, n-6) }
	kinds := []func() (string, string){
		func() (string, string) { s := "AKIA" + draw(upper+"234567", 16); return "aws key " + s, s },
		func() (string, string) { s := mixed(40); return "AWS_SECRET_ACCESS_KEY=" + s, s },
		func() (string, string) {
			s := "ghp_" + mixed(36)
			return "git push https://x:" + s + "@github.com/a/b", s
		},
		func() (string, string) { s := "gho_" + mixed(36); return s, s },
		func() (string, string) { s := "ghs_" + mixed(36); return s, s },
		func() (string, string) { s := "github_pat_" + mixed(82); return s, s },
		func() (string, string) { s := "glpat-" + mixed(20); return "token: " + s, s },
		func() (string, string) {
			s := "xox" + "b-" + draw(digit, 12) + "-" + draw(digit, 12) + "-" + mixed(24)
			return s, s
		},
		func() (string, string) { s := "sk_" + "live_" + mixed(24); return "STRIPE_KEY=" + s, s },
		func() (string, string) { s := "rk_" + "live_" + mixed(24); return s, s },
		func() (string, string) { s := "sk-ant-" + "api03-" + mixed(93) + "AA"; return s, s },
		func() (string, string) {
			s := "sk-" + mixed(20) + "T3BlbkFJ" + mixed(20)
			return "OPENAI_API_KEY=" + s, s
		},
		func() (string, string) { s := "AIza" + mixed(35); return "key=" + s, s },
		func() (string, string) { s := "hf_" + draw(lower+upper, 34); return s, s },
		func() (string, string) { s := "npm_" + mixed(36); return "//npm.example.com/:_authToken=" + s, s },
		func() (string, string) { s := "pypi-AgEIcHlwaS5vcmc" + mixed(60); return s, s },
		func() (string, string) { s := "dop_v1_" + draw(hex, 64); return s, s },
		func() (string, string) { s := "SG." + mixed(22) + "." + mixed(43); return s, s },
		func() (string, string) { s := "shpat_" + draw(hex, 32); return s, s },
		func() (string, string) { s := "lin_api_" + mixed(40); return s, s },
		func() (string, string) { s := "dapi" + draw(hex, 32); return s, s },
		func() (string, string) { s := "glsa_" + mixed(32) + "_" + draw(hex, 8); return s, s },
		func() (string, string) { s := "rubygems_" + draw(hex, 48); return s, s },
		func() (string, string) { s := "pscale_tkn_" + mixed(40); return s, s },
		func() (string, string) { s := mixed(16); return "postgres://app:" + s + "@db.internal:5432/app", s },
		func() (string, string) {
			s := mixed(16)
			return "mongodb+srv://app:" + s + "@cluster0.mongodb.net/x", s
		},
		func() (string, string) { s := mixed(16); return "redis://:" + s + "@cache:6379/0", s },
		func() (string, string) { s := mixed(18); return "https://ann:" + s + "@git.example.com/x.git", s },
		func() (string, string) { s := mixed(40); return "Authorization: Bearer " + s, s },
		func() (string, string) { s := mixed(14); return "password: \"" + s + "\"", s },
		func() (string, string) { s := mixed(14); return "export PGPASSWORD='" + s + "'", s },
		func() (string, string) { s := mixed(32); return `{"client_secret": "` + s + `"}`, s },
		func() (string, string) {
			s := "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI" + mixed(30) + "." + mixed(43)
			return "curl -H 'Cookie: session=" + s + "'", s
		},
		func() (string, string) {
			s := mixed(64)
			return "-----BEGIN RSA PRIVATE KEY-----\n" + s + "\n" + mixed(64) + "\n-----END RSA PRIVATE KEY-----", s
		},
	}
	return kinds[kind%len(kinds)]()
}
