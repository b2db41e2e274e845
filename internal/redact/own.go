package redact

import (
	"strings"

	"recall/internal/text"
)

// ownRules adds recall's own rules, for what gitleaks' rules miss in transcripts.
func ownRules(b *builder) {
	b.add("://", urlPassword)
	for _, at := range []string{"@tcp(", "@tcp6(", "@unix("} { // of Go's drivers, without a scheme
		b.add(at, sourcePassword)
	}
	b.add("authorization", authorization)
	b.add("bearer", bearer)
	b.add("basic ", basic)
	b.add("cookie:", cookie)
	b.add("cookie\":", cookie)
	b.add("\ttrue\t", cookieJar)
	b.add("\tfalse\t", cookieJar)
	b.add("mcp__", serverName)
	b.add("credential(", lastArgument)
	b.add("directoryentry(", lastArgument)
	b.add("login(", lastArgument)
	b.add("authenticate(", lastArgument)
	b.add("basicauth(", lastArgument)
	b.add("auth=(", lastArgument)
	b.add("getconnection(", lastArgument)
	commandRules(b)
	proseRules(b)
	b.add("-----begin", keyBlock)
	b.add("-----end", keyTail)
	b.add("ls0tls1crudjti", keyInBase64)
	for _, begin := range []string{"eyj", "ewog", "ewoj"} {
		b.add(begin, encoded)
	}
	b.add("private-lines:", puttyKey)
	for _, w := range []string{"mnemonic", "seed phrase", "seed_phrase", "recovery phrase"} {
		b.add(w, seedPhrase)
	}
	for _, p := range []string{"$1$", "$2a$", "$2b$", "$2y$", "$5$", "$6$", "$8$", "$apr1$", "$argon2", "$y$",
		"$pbkdf2"} {
		b.add(p, passwordHash)
	}
	b.add("kind:", kubernetesSecret)
	b.add("hooks.slack.com/", webhook("slack-webhook"))
	b.add("discord.com/api/webhooks/", webhook("discord-webhook"))
	b.add("discordapp.com/api/webhooks/", webhook("discord-webhook"))
	b.add("webhook.office.com/", webhook("teams-webhook"))
	b.add("outlook.office.com/webhook/", webhook("teams-webhook"))
	b.add("api.telegram.org/bot", webhook("telegram-token"))
	for _, before := range words("paths") {
		b.add(before, secretPath)
	}
	b.add(":aa", shaped("telegram-token", 11, `(?:^|\D)(\d{8,10}:AA[\w-]{33})(?:[^\w-]|$)`))
	for _, id := range []string{"/11", "/12"} { // how Asana's numbers begin
		b.add(id, shaped("asana-token", 1, `^(\d/\d{15,16}(?:/\d*)?:[0-9a-fA-F]{32})(?:[^0-9a-fA-F]|$)`))
	}
	for _, n := range secretNames {
		b.add(n.literal, named(n.literal, n.kind, n.strength, n.whole))
	}
	for _, k := range keyForms() {
		if !k.whole() {
			b.add(lowerASCII(k.prefix), k.detector())
			b.addBroken(lowerASCII(k.prefix))
		}
	}
}

// webhook masks the secret path in a webhook's URL.
func webhook(kind string) detector {
	return func(s *scan, _, to int) {
		end := run(s.text, to, word, "/:@", 300)
		v := s.text[to:end]
		if len(v) >= 20 && mixed(v) && !placeholder(v) {
			s.add(to, end, kind)
		}
	}
}

// secretPath masks a random part of an address after one that leads to something secret: /webhook/, /reset-password/.
func secretPath(s *scan, from, to int) {
	address := s.text[max(0, from-100):from]
	if i := strings.LastIndex(address, "://"); i < 0 || strings.ContainsAny(address[i:], " \t\r\n\"'`<>") {
		return
	}
	end := skip(s.text, to, word, 200)
	v := s.text[to:end]
	if len(v) >= 20 && mixed(v) && !camel(v) && !placeholder(v) {
		s.add(to, end, "secret-address")
	}
}

// shaped masks the first group of an expression, matched from some bytes before a literal onwards.
func shaped(kind string, before int, expr string) detector {
	re := text.Pattern(expr)
	return func(s *scan, from, to int) {
		begin := max(0, from-before)
		if m := re().FindStringSubmatchIndex(s.text[begin:min(len(s.text), to+reachSurely)]); m != nil {
			s.add(begin+m[2], begin+m[3], kind)
		}
	}
}

// lastArgument masks the last string of a call that takes a user and a password.
func lastArgument(s *scan, _, to int) {
	at, last, end := to, 0, 0
	for n := 0; n < 4; n++ {
		at = run(s.text, at, blank, "\r\n", len(s.text))
		open := quoteEnd(s.text, at)
		if open == at {
			name := run(s.text, at, word, ".", 60)
			if n > 0 || name == at || s.at(name) != ',' {
				return
			}
			at = name + 1 // a variable before the strings, such as an address
			continue
		}
		stop := closing(s.text, open, s.text[at:open])
		if stop < 0 {
			return
		}
		last, end, at = open, stop, stop+open-at
		next := at + 1
		for next < len(s.text) && is(s.text[next], gap) && s.text[next] != '\'' && s.text[next] != '"' {
			next++
		}
		if n > 0 && (s.at(at) == ')' || quoteEnd(s.text, next) == next) {
			if v := s.text[last:end]; plausible(v) || wordsRunTogether(v) {
				s.add(last, end, "password")
			}
			return
		}
		if s.at(at) != ',' {
			return
		}
		at++
	}
}

// serverName examines the name of an MCP server separately from the tool name that is glued to it.
func serverName(s *scan, _, to int) {
	end := skip(s.text, to, word, 200)
	name, _, ok := strings.Cut(s.text[to:end], "__")
	if !ok || len(name) < 16 || s.decoding {
		return
	}
	inner := scan{decoding: true}
	inner.look(s.rules, name)
	for _, f := range inner.found {
		s.add(to+f.from, to+f.to, f.kind)
	}
}

func lowerASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}
