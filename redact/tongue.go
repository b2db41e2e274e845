package redact

// A tongue is how people write of secrets in one language, in small letters:
// what they call them, and the words that stand before or between. Languages
// whose words don't stand apart have no more than the names.
type tongue struct {
	passwords []string // what a password is called
	tokens    []string // what a key or token is called: a random value must follow
	pins      []string // what a number that lets in is called
	verbs     []string // between name and value: the password for x IS y
	uses      []string // before the name, the value following it: USE the password y
	logins    []string // before "user / password"
}

// Of a word whose first letters are too common to stop at its end does: seña, lave, ogin.
var tongues = []tongue{
	{ // English
		passwords: []string{"password", "passphrase", "passcode", "passwd", " pwd", " pw"},
		tokens:    []string{"token", "secret", "key", "private", "access", "2fa", "totp", " otp"},
		pins:      []string{" pin", "passcode", " puk", "recovery code", "backup code"},
		verbs:     []string{"is", "was", "to", "as", "be", "now", "became", "remains", "=", ":", "->", "→"},
		uses: []string{"use", "using", "with", "try", "enter", "type", "user", "by", "via", "has", "and",
			"set", "send", "got"},
		logins: []string{"ogin with ", "ogin as ", "og in with ", "og in as ", "ign in ", "gged in ",
			"ogin (", "ogin: ", "credentials", "creds"},
	},
	{ // German
		passwords: []string{"passwort", "kennwort", "passphrase"},
		tokens:    []string{"token", "schlüssel", "schluessel"},
		pins:      []string{"geheimzahl"},
		verbs:     []string{"ist", "war", "lautet", "lautete", "auf", "zu", "heißt", "hieß", "hiess", "als"},
		uses:      []string{"benutze", "nutze", "verwende", "nimm", "mit", "per", "probier", "probiere", "und"},
		logins:    []string{"anmelden ", "zugangsdaten"},
	},
	{ // French
		passwords: []string{"mot de passe", "mdp"},
		tokens:    []string{"jeton", "clé"},
		verbs:     []string{"est", "était", "en", "à", "sera"},
		uses:      []string{"utilise", "utilisez", "avec", "essaie", "mets", "par", "et"},
		logins:    []string{"identifiants"},
	},
	{ // Spanish
		passwords: []string{"seña", "rasena", "lave"},
		tokens:    []string{"token", "lave"},
		verbs:     []string{"es", "era", "a", "por", "será"},
		uses:      []string{"usa", "use", "con", "prueba", "pon", "y"},
		logins:    []string{"credenciales"},
	},
	{ // Portuguese, Italian, Dutch
		passwords: []string{"senha", "parola d'ordine", "wachtwoord"},
		tokens:    []string{"chave", "chiave", "sleutel"},
		verbs:     []string{"é", "foi", "è", "era", "wordt"},
	},
	{ // Russian
		passwords: []string{"парол"},
		tokens:    []string{"ключ", "токен"},
		verbs:     []string{"это", "—", "-"},
	},
	{ // Chinese, Japanese, Korean
		passwords: []string{"密码", "密碼", "口令", "パスワード", "비밀번호", "비번", "암호", "패스워드"},
		tokens:    []string{"密钥", "密鑰", "令牌", "トークン", "キー", "토큰", "키는"},
		pins:      []string{"暗証番号"},
	},
}

// saying is what a sentence is read with: the words of all languages as one, as
// texts mix them.
type saying struct {
	verbs, uses map[string]bool
}

// proseRules adds what people write of secrets.
func proseRules(b *builder) {
	all := &saying{verbs: map[string]bool{}, uses: map[string]bool{}}
	added := map[string]bool{}
	add := func(words []string, d detector) {
		for _, w := range words {
			if !added[w] {
				b.add(w, d)
			}
			added[w] = true
		}
	}
	for _, t := range tongues {
		for _, w := range t.verbs {
			all.verbs[w] = true
		}
		for _, w := range t.uses {
			all.uses[w] = true
		}
		add(t.passwords, all.password)
	}
	clear(added)
	for _, t := range tongues {
		add(t.passwords, jotted)
	}
	add([]string{"pass", "pwd", "pw", "pw:", "p/w", "pin:", "secret", "ssh ", "sftp "}, jotted)
	clear(added)
	for _, t := range tongues {
		add(t.tokens, all.token)
		add(t.logins, loginPair)
	}
	clear(added)
	for _, t := range tongues {
		add(t.pins, all.pin)
	}
	for _, verb := range []string{" as ", " is "} {
		for _, whose := range []string{"the ", "our ", "my ", "your ", "a "} {
			b.add(verb+whose, valueFirst)
		}
	}
}
