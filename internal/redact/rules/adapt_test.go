package rules

import (
	"regexp"
	"strings"
)

// leftOut are rules that need what a transcript's text doesn't have, or that
// one of recall's own rules covers better.
var leftOut = map[string]string{
	"pkcs12-file":            "tells by a file's name only",
	"hashicorp-tf-password":  "needs a file's name; covered by the password rule",
	"curl-auth-header":       "covered by the header rules, which need no curl",
	"curl-auth-user":         "covered by the command rule",
	"private-key":            "covered by the block rule, which also finds clipped keys",
	"kubernetes-secret-yaml": "covered by the block rule, which masks every value, not the first",
	"twilio-api-key":         "covered by the key forms, which mind upper case before the digits",
	"sidekiq-sensitive-url":  "covered by the URL rule",
	"jwt":                    "covered by the token rule, which allows for wrapped lines",
	"generic-api-key":        "covered by the rules of names and of random runs",
	"azure-ad-client-secret": "covered by azure-ad-client-secret-anywhere, whose keywords have three letters",
}

// What may follow a value. The rules were written for files of assignments; in
// prose and code a value is also ended by a comma, a bracket or an escaped quote.
const (
	narrowEnd = "(?:[\\x60'\"\\s;]|\\\\[nr]|$)"
	wideEnd   = "(?:[./:|*\\x60'\"\\s;,)\\]}<>&]|\\\\[nrt\"']|$)"
)

// bareWord is a word of a command line without quotes.
const bareWord = `([^\s"'\x60<>|;&]{4,})`

var namedGroup = regexp.MustCompile(`\(\?P<\w+>`)

// keywordOnly are rules whose beginning is too common to try them at.
var keywordOnly = map[string][]string{
	"microsoft-teams-webhook": {"webhook.office.com"},
}

// unbroken says that a rule's whole match is one run of token characters, so
// that its least length can be checked before its expression is tried.
func unbroken(r rule) bool { return r.Looks == "" && !broken[r.ID] }

var broken = map[string]bool{"nuget-config-password": true, "freemius-secret-key": true, "jwt-base64": true,
	"kaggle-key": true, "gossip-key": true, "openssl-text": true, "token-argument": true,
	"ngrok-authtoken": true, "wandb-api-key": true, "braintree-token": true}

// adapt changes the few expressions that are too wide without a file around
// them, and splits those that are two rules in one.
func adapt(r rule) []rule {
	r.Regex = strings.ReplaceAll(r.Regex, narrowEnd, wideEnd)
	r.Regex = strings.NewReplacer("{{value}}", `(?:"([^"\n]{4,})"|'([^'\n]{4,})'|`+bareWord+`)`,
		"{{word}}", bareWord, "{{line}}", `["']?([^\s"']{6,})["']?[ \t\r]*(?:\n|$)`).Replace(r.Regex)
	switch r.ID {
	case "sourcegraph-access-token": // any 40 hex digits, a git hash too, once the word is in the file
		r.Regex = `(?i)\b(sgp_(?:[a-fA-F0-9]{16}|local)_[a-fA-F0-9]{40}|sgp_[a-fA-F0-9]{40})(?:[\x60'"\s;]|\\[nr]|$)`
	case "vault-service-token": // "s." and 24 letters is a method call as well
		r.Regex = `\b(hvs\.[\w-]{90,120})(?:[\x60'"\s;]|\\[nr]|$)`
	case "airtable-personnal-access-token": // the keyword needn't be near
		r.Regex = `\b(pat[A-Za-z0-9]{14}\.[a-f0-9]{64})\b`
	case "slack-webhook-url": // real ones have three parts with slashes between
		r.Regex = `hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9+/_-]{20,80})`
	case "jwt-base64": // its groups name what the header begins with
		r.Regex = namedGroup.ReplaceAllString(r.Regex, `(?:`)
	case "microsoft-teams-webhook": // its first group is a part of an id
		r.Regex = strings.ReplaceAll(r.Regex, `([a-z0-9]{4}-)`, `(?:[a-z0-9]{4}-)`)
	case "discord-client-id", "adobe-client-id", "asana-client-id", "bitbucket-client-id", "dropbox-client-id":
		return nil // a client's id is public
	case "linkedin-client-id", "plaid-client-id":
		return nil
	}
	const both = wideEnd + `|`
	if i := strings.Index(r.Regex, both+`\b(`); i >= 0 && strings.HasPrefix(r.Regex, wide) {
		named, bare := r, r
		named.Regex = r.Regex[:i+len(wideEnd)]
		bare.Regex = r.Regex[i+len(both):]
		return []rule{named, bare}
	}
	return []rule{r}
}

// kind is the short name that stands in a placeholder.
func kind(id string) string {
	if k, ok := kinds[id]; ok {
		return k
	}
	for _, cut := range []struct{ suffix, short string }{
		{"-api-secret-key", "-key"}, {"-api-key", "-key"}, {"-api-token", "-token"}, {"-access-token", "-token"},
		{"-personal-access-token", "-token"}, {"-secret-key", "-key"}, {"-pat", "-token"},
		{"-client-secret", "-secret"},
	} {
		if strings.HasSuffix(id, cut.suffix) {
			return strings.TrimSuffix(id, cut.suffix) + cut.short
		}
	}
	return id
}

var kinds = map[string]string{
	"aws-access-token":                            "aws-key",
	"aws-amazon-bedrock-api-key-long-lived":       "bedrock-key",
	"aws-amazon-bedrock-api-key-short-lived":      "bedrock-key",
	"airtable-personnal-access-token":             "airtable-token",
	"anthropic-admin-api-key":                     "anthropic-key",
	"github-app-token":                            "github-token",
	"github-fine-grained-pat":                     "github-token",
	"github-oauth":                                "github-token",
	"github-refresh-token":                        "github-token",
	"gitlab-pat-routable":                         "gitlab-token",
	"gcp-api-key":                                 "google-key",
	"jwt-base64":                                  "jwt",
	"nuget-config-password":                       "password",
	"slack-bot-token":                             "slack-token",
	"slack-app-token":                             "slack-token",
	"slack-user-token":                            "slack-token",
	"slack-webhook-url":                           "slack-webhook",
	"microsoft-teams-webhook":                     "teams-webhook",
	"azure-ad-client-secret-anywhere":             "azure-ad-secret",
	"firebase-server-key":                         "firebase-key",
	"gitlab-runner-authentication-token":          "gitlab-token",
	"gitlab-runner-authentication-token-routable": "gitlab-token",
}
