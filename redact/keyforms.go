package redact

import "strings"

// keyForm is a key that tells itself by its first characters.
type keyForm struct {
	prefix string // as written, upper and lower case mattering
	kind   string
	chars  string // beside letters and digits, what the rest may hold
	least  int    // characters after the prefix
	digits int    // how many digits there must be at least, to tell it from a name
}

// keyForms are looser than the rules of gitleaks that know the same keys: they
// allow for other lengths, for clipped and wrapped keys and for newer forms.
var keyForms = []keyForm{
	{"sk-ant-", "anthropic-key", "_-", 20, 2},
	{"sk-or-v1-", "openrouter-key", "", 20, 2},
	{"sk-or-", "openrouter-key", "_-", 24, 2},
	{"sk-proj-", "openai-key", "_-", 20, 1},
	{"sk-svcacct-", "openai-key", "_-", 20, 1},
	{"sk-admin-", "openai-key", "_-", 20, 1},
	{"sk-lf-", "langfuse-key", "-", 30, 4},
	{"sk-", "openai-key", "", 32, 2},
	{"ghp_", "github-token", "", 20, 1}, {"gho_", "github-token", "", 20, 1}, {"ghu_", "github-token", "", 20, 1},
	{"ghs_", "github-token", "", 20, 1}, {"ghr_", "github-token", "", 20, 1},
	{"github_pat_", "github-token", "_", 22, 1},
	{"glpat-", "gitlab-token", "_-.", 20, 1}, {"gldt-", "gitlab-token", "_-", 20, 1},
	{"glrt-", "gitlab-token", "_-.", 20, 1}, {"glptt-", "gitlab-token", "_-", 20, 1},
	{"hf_", "huggingface-token", "", 30, 0}, {"npm_", "npm-token", "", 36, 1}, {"pypi-AgE", "pypi-token", "_-", 40, 1},
	{"AIza", "google-key", "_-", 35, 1}, {"ya29.", "google-token", "_-.", 40, 2},
	{"GOCSPX-", "google-secret", "_-", 24, 0}, {"1//0", "google-token", "_-", 40, 2},
	{"xoxb-", "slack-token", "-", 20, 8}, {"xoxp-", "slack-token", "-", 20, 8},
	{"xoxa-", "slack-token", "-", 12, 2}, {"xoxr-", "slack-token", "-", 12, 2},
	{"xoxs-", "slack-token", "-", 12, 2}, {"xoxe-", "slack-token", "-", 20, 2},
	{"xoxc-", "slack-token", "-", 20, 8}, {"xoxd-", "slack-token", "-%_+/", 40, 2},
	{"xoxe.xoxp-", "slack-token", "-", 20, 2}, {"xoxe.xoxb-", "slack-token", "-", 20, 2},
	{"xapp-", "slack-token", "-", 20, 6},
	{"dop_v1_", "digitalocean-token", "", 40, 4}, {"doo_v1_", "digitalocean-token", "", 40, 4},
	{"dor_v1_", "digitalocean-token", "", 40, 4},
	{"AGE-SECRET-KEY-1", "age-key", "", 50, 2}, {"AGE-PLUGIN-", "age-key", "-", 40, 4},
	{"sk_live_", "stripe-key", "", 10, 1}, {"sk_test_", "stripe-key", "", 10, 1},
	{"rk_live_", "stripe-key", "", 10, 1}, {"rk_test_", "stripe-key", "", 10, 1},
	{"whsec_", "webhook-secret", "+/=", 24, 2}, {"SG.", "sendgrid-key", "._-", 50, 2},
	{"SK", "twilio-key", "", 32, 8}, {"AC", "twilio-id", "", 32, 8},
	{"gsk_", "groq-key", "", 40, 2}, {"xai-", "xai-key", "", 60, 4}, {"r8_", "replicate-token", "", 36, 2},
	{"tvly-", "tavily-key", "-", 28, 2},
	{"pplx-", "perplexity-key", "", 40, 2}, {"nvapi-", "nvidia-key", "_-", 50, 2},
	{"fw_", "fireworks-key", "", 22, 4}, {"csk-", "cerebras-key", "", 40, 4},
	{"lsv2_pt_", "langsmith-key", "_", 32, 6}, {"lsv2_sk_", "langsmith-key", "_", 32, 6},
	{"voyage-pa-", "voyage-key", "_-", 30, 2}, {"pa-", "voyage-key", "_-", 40, 4}, {"jina_", "jina-key", "_-", 50, 4},
	{"dckr_pat_", "docker-token", "_-", 24, 1}, {"ATATT3", "atlassian-token", "_-=", 60, 4},
	{"ATCTT3", "atlassian-token", "_-=", 60, 4}, {"figd_", "figma-token", "_-", 36, 2},
	{"lin_api_", "linear-key", "", 32, 2}, {"ntn_", "notion-token", "", 40, 8},
	{"secret_", "notion-token", "", 43, 4}, {"sbp_", "supabase-key", "", 36, 6},
	{"sb_secret_", "supabase-key", "_-", 20, 2},
	{"nfp_", "netlify-token", "", 36, 2}, {"vcp_", "vercel-token", "", 40, 2},
	{"rnd_", "render-key", "", 28, 2}, {"rpa_", "runpod-key", "", 36, 4}, {"tskey-", "tailscale-key", "-", 24, 2},
	{"fo1_", "flyio-token", "_-", 40, 2}, {"fm2_", "flyio-token", "+/=", 80, 4},
	{"hvs.", "vault-token", "_-", 24, 1}, {"hvb.", "vault-token", "_-", 80, 2},
	{"dp.st.", "doppler-token", "._-", 40, 2}, {"dp.pt.", "doppler-token", "", 40, 2},
	{"pscale_pw_", "planetscale-password", "_-.=", 32, 2}, {"pscale_tkn_", "planetscale-token", "_-.=", 32, 2},
	{"shpat_", "shopify-token", "", 32, 4}, {"shpss_", "shopify-secret", "", 32, 4},
	{"eyJ", "jwt", "", 0, 0}, {"AKIA", "aws-key", "", 16, 1}, {"ASIA", "aws-key", "", 16, 1},
	{"sq0csp-", "square-secret", "_-", 40, 2}, {"sq0atp-", "square-token", "_-", 22, 1},
	{"re_", "resend-key", "_", 30, 3}, {"phx_", "posthog-key", "", 40, 2}, {"key-", "mailgun-key", "", 32, 8},
	{"cfut_", "cloudflare-token", "", 40, 2}, {"rdme_", "readme-key", "", 60, 4}, {"napi_", "neon-key", "", 40, 4},
	{"glsa_", "grafana-token", "_", 40, 4}, {"sntrys_", "sentry-token", "_+/=", 50, 4},
	{"sntryu_", "sentry-token", "", 60, 4}, {"PMAK-", "postman-key", "-", 50, 6},
	{"dapi", "databricks-token", "-", 32, 8}, {"rubygems_", "rubygems-token", "", 40, 6},
	{"squ_", "sonar-token", "", 40, 6}, {"sqa_", "sonar-token", "", 40, 6},
	{"NRAK-", "newrelic-key", "", 27, 2}, {"CCIPAT_", "circleci-token", "_", 50, 6},
	{"CCIPRJ_", "circleci-token", "_", 50, 6},
	{"CFPAT-", "contentful-token", "_-", 43, 2}, {"bkua_", "buildkite-token", "", 40, 6},
	{"AQ.", "google-key", "_-", 40, 4}, {"sk_", "elevenlabs-key", "", 48, 8}, {"pcsk_", "pinecone-key", "_", 50, 4},
	{"sk.eyJ", "mapbox-token", "_-.", 60, 4}, {"fc-", "firecrawl-key", "", 32, 6},
	{"apify_api_", "apify-token", "", 36, 2}, {"e2b_", "e2b-key", "", 40, 8},
	{"vercel_blob_rw_", "vercel-token", "_", 30, 2},
	{"ctx7sk-", "context7-key", "-", 32, 4}, {"00D", "salesforce-token", "!._", 70, 4},
	{"lin_oauth_", "linear-token", "", 60, 6},
}

// maxKey is the longest key of any form, in bytes.
const maxKey = 4 << 10

// whole reports whether a key of the form is one run with nothing before it, and its
// prefix so short that it is looked for at the beginning of runs only.
func (k keyForm) whole() bool {
	return len(k.prefix) <= 3 && k.least >= 20 && k.prefix != "hf_" && k.prefix != "sk-" && k.prefix != "00D" &&
		!strings.HasSuffix(k.prefix, ".")
}

// wholeForms are the forms of such keys by their prefix.
var wholeForms = func() map[string]detector {
	m := map[string]detector{}
	for _, k := range keyForms {
		if k.whole() {
			m[k.prefix] = k.detector()
		}
	}
	return m
}()

var wholeBegins = func() (t [256]bool) {
	for prefix := range wholeForms {
		t[prefix[0]] = true
	}
	return t
}()

// detector returns what looks at the form's prefix.
func (k keyForm) detector() detector {
	switch k.kind {
	case "jwt":
		return jwt
	}
	return func(s *scan, from, _ int) {
		to := from + len(k.prefix)
		if s.text[from:to] != k.prefix || !k.begins(s.before(from)) {
			return
		}
		end := k.end(s.text, to)
		v := s.text[to:end]
		t := shapeIn(v)
		if len(v) < k.least || t.digits < k.digits || placeholder(v) {
			return
		}
		if k.chars != "" && strings.ContainsAny(k.chars, "_-") && !mixed(v) && entropy(v) < 4.2 {
			return // words joined by hyphens
		}
		if k.least == 32 && (k.prefix == "SK" || k.prefix == "AC") && (len(v) != 32 || !allHex(v)) {
			return
		}
		if k.kind == "aws-key" && (len(v) != 16 || t.lower > 0) {
			return
		}
		s.add(from, end, k.kind)
		if k.kind == "aws-key" {
			awsSecret(s, from, end)
		}
	}
}

// begins says that a key may begin behind a character. In a file's or a tool's
// name, "calm-hf_…" or "mcp__ghp_…", one whose prefix can't be a word may.
func (k keyForm) begins(before byte) bool {
	if before == '-' || before == '_' {
		return len(k.prefix) >= 4 && k.prefix != "key-" || k.prefix == "hf_" || k.prefix == "SG."
	}
	return !wordChar(before)
}

// end returns where a key ends whose characters begin at at. A key that stops at
// a line's end, short of its length, goes on in the next line: a terminal
// wrapped it.
func (k keyForm) end(t string, at int) int {
	end := k.run(t, at)
	if end-at >= k.least || end >= len(t) || t[end] != '\n' {
		return end
	}
	next := skip(t, end+1, blank, 8)
	if more := k.run(t, next); more-next+end-at >= k.least && more-next >= 4 {
		return more
	}
	return end
}

func (k keyForm) run(t string, at int) int {
	end := at
	for end < len(t) && end-at < maxKey && (is(t[end], alnum) || strings.IndexByte(k.chars, t[end]) >= 0) {
		end++
	}
	for end > at && strings.IndexByte(".=", t[end-1]) >= 0 && k.kind == "gitlab-token" {
		end--
	}
	return end
}

func allHex(v string) bool {
	for i := range len(v) {
		if !is(v[i], hexa) {
			return false
		}
	}
	return true
}

// awsSecret masks secret keys near an access key's id: forty characters of
// base64, of both cases and with digits.
func awsSecret(s *scan, from, to int) {
	const reach = 300
	end := min(len(s.text), to+reach)
	for at := max(0, from-reach); at < end; {
		if !base64Char(s.text[at]) {
			at++
			continue
		}
		stop := at
		for stop < len(s.text) && stop-at < 100 && base64Char(s.text[stop]) {
			stop++
		}
		if v := s.text[at:stop]; stop-at == 40 && entropy(v) > 4 && !placeholder(v) && !public(v) {
			s.add(at, stop, "aws-secret")
		}
		at = stop + 1
	}
}

func base64Char(c byte) bool { return is(c, alnum) || c == '+' || c == '/' }

// jwt looks at "eyJ" and masks a token of two or three parts, over wrapped lines.
func jwt(s *scan, from, _ int) {
	if s.text[from:from+3] != "eyJ" || wordChar(s.before(from)) {
		return
	}
	end := jwtPart(s.text, from)
	if end-from < 17 || s.at(end) != '.' || !strings.HasPrefix(s.text[end+1:], "eyJ") {
		return
	}
	mid := end + 1
	end = jwtPart(s.text, mid)
	if end-mid < 10 {
		return
	}
	if s.at(end) == '.' {
		end = jwtPart(s.text, end+1)
	}
	if !placeholder(s.text[from:end]) {
		s.add(from, end, "jwt")
	}
}

func jwtPart(t string, at int) int {
	start := at
	for at < len(t) && at-start < 4*maxKey {
		switch {
		case is(t[at], word) || t[at] == '/' || t[at] == '+' || t[at] == '=':
			at++
		case t[at] == '\n' && at-start >= 40 && at+40 < len(t) && skip(t, at+1, word|marks, 40) == at+41:
			at++
		default:
			return at
		}
	}
	return at
}
