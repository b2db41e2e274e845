package redact

import (
	"slices"
	"strings"
	"unicode"

	"recall/internal/text"
)

// commandRules adds rules for secrets in command lines, and in the files that programs read them from.
func commandRules(b *builder) {
	b.add("curl", command)
	b.add("wget", command)
	for _, f := range wordRows["flag"] { // programs with a password flag of their own
		b.add(f[0], passwordFlag(f[1], joint(slices.Index(joints, f[2]))))
	}
	for _, program := range words("placed") { // programs that take it by position
		b.add(program, lineWord)
	}
	b.add("net use", netUse)
	b.add("smbclient", percentUser)
	b.add("mount.cifs", percentUser)
	for _, before := range words("leading") {
		b.add(before, nextWord(plausible))
	}
	for _, before := range words("surely") { // whatever the word looks like
		b.add(before, nextWord(func(v string) bool { return len(v) >= 6 && !placeholder(v) }))
	}
	for _, reads := range []string{"--password-stdin", "--with-token", "sudo -s ", "chpasswd"} {
		b.add(reads, pipedIn)
	}
	b.add("--auth ", login)
	b.add("http -a ", login)
	b.add(" -u ", userAndPassword)
	b.add("--username ", userAndPassword)
	b.add("--from-literal", fromLiteral)
	for _, before := range []string{"identified by ", "password "} {
		b.add(before, quotedNext)
	}
	b.add("machine ", netrc)
	b.add(":5432:", pgpass)
	b.add("jdbc:oracle:thin:", oracle)
	b.add("sqlplus ", oracle)
}

// joint is how a flag is joined to its value.
type joint uint8

const (
	joined joint = iota // -pVALUE: after a blank it isn't the value
	either              // -pVALUE or -p VALUE
	apart               // -p VALUE
)

var joints = []string{"joined", "either", "apart"}

// passwordFlag masks the value of a program's password flag.
func passwordFlag(flag string, how joint) detector {
	return func(s *scan, from, to int) {
		if wordChar(s.before(from)) && !strings.HasPrefix(s.text[from:to], "ssl") { // as part of openssl
			return
		}
		line := s.text[to:min(len(s.text), to+300)]
		line, _, _ = strings.Cut(line, "\n")
		i := strings.Index(line, flag)
		if i < 0 || strings.ContainsAny(line[:i], "|;&") {
			return
		}
		at := to + i + len(flag)
		if blank := at < len(s.text) && s.text[at] == ' '; blank && how != joined {
			at++
		} else if how == apart {
			return
		}
		open, end := s.wordAt(at, 100)
		if v := s.text[open:end]; len(v) >= 4 && strings.ContainsFunc(v, unicode.IsLetter) && !placeholder(v) {
			s.add(open, end, "password")
		}
	}
}

// command masks the password of curl's and wget's "-u user:password".
func command(s *scan, from, to int) {
	if wordChar(s.before(from)) {
		return
	}
	line := s.text[to:min(len(s.text), to+1000)]
	if i := strings.Index(line, "\n"); i >= 0 && !strings.HasSuffix(line[:i], "\\") {
		line = line[:i]
	}
	line = strings.ReplaceAll(line, "\n", " ")
	for _, flag := range userFlag().FindAllStringIndex(line, 3) {
		at := to + flag[1]
		open := quoteEnd(s.text, at)
		end := until(s.text, open, " \t\r\n\"'`<>", 200)
		user, password, ok := strings.Cut(s.text[open:end], ":")
		if ok && len(password) >= 3 && !placeholder(password) && !strings.HasPrefix(password, "//") {
			s.add(open+len(user)+1, end, "password")
		}
	}
}

// userFlag matches the flag before a user, also among other letters: -sSu.
var userFlag = text.Pattern(` (?:-[a-zA-Z]{0,6}?u|--(?:proxy-)?user[ =]) ?`)

// userAndPassword masks the password of "-u user -p password" and "-u user,password", whatever the program.
func userAndPassword(s *scan, _, to int) {
	_, end := s.wordAt(to, 100)
	at := quoteEnd(s.text, end)
	user, password, ok := strings.Cut(s.text[to:end], ",")
	if ok && user != "" {
		if plausible(password) {
			s.add(end-len(password), end, "password")
		}
		return
	}
	if rest := s.text[at:min(len(s.text), at+4)]; !strings.HasPrefix(rest, " -p ") {
		return
	}
	if open, end := s.wordAt(at+len(" -p "), 100); plausible(s.text[open:end]) {
		s.add(open, end, "password")
	}
}

// wordAt returns the word at at, without quotes around it.
func (s *scan) wordAt(at, most int) (from, to int) {
	from = quoteEnd(s.text, at)
	ends := " \t\r\n\"'`<>|;&"
	if from > at {
		ends = "\n\"'`"
	}
	return from, until(s.text, from, ends, most)
}

// plausible reports whether a word where a password is expected looks like one, not like prose.
func plausible(v string) bool {
	t := shapeIn(v)
	return len(v) >= 6 && !placeholder(v) && !path(v) && !numbered(v) && t.lower+t.upper > 0 && (t.digits > 0 ||
		strings.ContainsAny(v, "!@#$%^&*+?") || jumbled(v))
}

// nextWord masks the word after the literal if it looks like a secret; for setx and the like, the word after the name.
func nextWord(looks func(string) bool) detector {
	return func(s *scan, from, to int) {
		at := to
		if strings.Contains(lowerASCII(s.text[from:to]), "set") {
			_, name := s.wordAt(at, 60)
			if low := lowerASCII(s.text[at:name]); !hasSecretName(low) && !strings.Contains(low, "key") {
				return
			}
			at = skip(s.text, name, gap, 2)
		}
		open, end := s.wordAt(at, 300)
		v := strings.TrimSuffix(s.text[open:end], `\r`)
		if v = strings.TrimSuffix(v, `\n`); looks(v) {
			s.add(open, open+len(v), "password")
		}
	}
}

// lineWord masks the words of a command line that look like a password, for programs that take it by position.
func lineWord(s *scan, from, to int) {
	if wordChar(s.before(from)) {
		return
	}
	const within, word = 200, 100 // bytes
	line, _, _ := strings.Cut(s.text[to:min(len(s.text), to+within+2*word)], "\n")
	for at := 0; at < min(len(line), within); {
		open, end := s.wordAt(to+at, word)
		if open == end {
			at++
			continue
		}
		at = end - to
		v := s.text[open:end]
		last := at == len(line) || strings.IndexByte("\"'`|;&", line[at]) >= 0
		secret := v[0] != '-' && v[0] != '.' && !strings.ContainsAny(v, `\/:=`) &&
			(strings.ContainsAny(v, "!@#$%^&*+?") && plausible(v) ||
				last && len(v) >= 8 && !placeholder(v) && !numbered(v) && !path(v) &&
					strings.IndexByte(v, '.') < 0 && strings.Count(line[:at], " ") >= 2)
		if secret {
			s.add(open, end, "password")
		}
	}
}

// netUse masks the password in a Windows "net use" or "net user" command.
func netUse(s *scan, from, to int) {
	line, _, _ := strings.Cut(s.text[to:min(len(s.text), to+200)], "\n")
	if line = lowerASCII(line); strings.Contains(line, " /user:") || strings.Contains(line, "/add") {
		lineWord(s, from, to)
	}
}

// percentUser masks the password of "-U user%password".
func percentUser(s *scan, _, to int) {
	line, _, _ := strings.Cut(s.text[to:min(len(s.text), to+300)], "\n")
	i := strings.Index(line, " -U ")
	if i < 0 {
		return
	}
	open, end := s.wordAt(to+i+len(" -U "), 200)
	user, password, ok := strings.Cut(s.text[open:end], "%")
	if ok && user != "" && len(password) >= 4 && !placeholder(password) {
		s.add(open+len(user)+1, end, "password")
	}
}

// pipedIn masks what is echoed or printed into a program that reads a password.
func pipedIn(s *scan, from, to int) {
	if strings.HasSuffix(s.text[from:to], "-s ") { // a shell, which reads commands
		return
	}
	start := max(0, from-200)
	line := s.text[start:from]
	if i := strings.LastIndexByte(line, '\n'); i >= 0 {
		start, line = start+i+1, line[i+1:]
	}
	i := max(strings.LastIndex(line, "echo "), strings.LastIndex(line, "printf "))
	if i < 0 || strings.IndexByte(line[i:], '|') < 0 {
		return
	}
	at := start + i + strings.IndexByte(line[i:], ' ')
	for { // past flags and printf's format
		open, end := s.wordAt(skip(s.text, at, blank, 3), 300)
		if word := s.text[open:end]; !strings.HasPrefix(word, "-") && !strings.HasPrefix(word, "%s") || end <= at {
			s.addLogin(open, end)
			return
		}
		at = quoteEnd(s.text, end)
	}
}

// login masks the password of "--auth user:password".
func login(s *scan, _, to int) {
	if open, end := s.wordAt(to, 200); strings.Contains(s.text[open:end], ":") {
		s.addLogin(open, end)
	}
}

// addLogin masks "password" or the password in "user:password".
func (s *scan) addLogin(from, to int) {
	user, password, ok := strings.Cut(s.text[from:to], ":")
	if ok {
		from += len(user) + 1
	} else {
		password = user
	}
	if len(password) >= 6 && !placeholder(password) && !strings.HasPrefix(password, "//") {
		s.add(from, to, "password")
	}
}

// fromLiteral masks the value that kubectl puts into a secret: --from-literal=name=value.
func fromLiteral(s *scan, from, to int) {
	if !strings.Contains(s.text[max(0, from-300):from], "secret") {
		return
	}
	open, end := s.wordAt(skip(s.text, to, blank|marks, 1), 300)
	name, v, ok := strings.Cut(s.text[open:end], "=")
	if ok && len(v) >= 4 && !placeholder(v) {
		s.add(open+len(name)+1, end, "kubernetes-secret")
	}
}

// quotedNext masks the password that an SQL statement sets for a user.
func quotedNext(s *scan, from, to int) {
	open := quoteEnd(s.text, to)
	if open == to {
		return
	}
	if before := lowerASCII(s.text[max(0, from-80):from]); !strings.Contains(before, "user ") &&
		!strings.Contains(before, "role ") {
		return
	}
	end := closing(s.text, open, s.text[to:open])
	if end-open >= 4 && !placeholder(s.text[open:end]) {
		s.add(open, end, "password")
	}
}

// netrc masks the password of "machine host login user password word".
func netrc(s *scan, _, to int) {
	entry := s.text[to:min(len(s.text), to+300)]
	i := strings.Index(entry, "password ")
	if i < 0 || !strings.Contains(entry[:i], "login ") || strings.Contains(entry[:i], "machine ") {
		return
	}
	if open, end := s.wordAt(to+i+len("password "), 200); end-open >= 4 && !placeholder(s.text[open:end]) {
		s.add(open, end, "password")
	}
}

// pgpass masks the password of a line of ~/.pgpass: host:5432:database:user:password.
func pgpass(s *scan, _, to int) {
	line := s.text[to:min(len(s.text), to+300)]
	if i := strings.IndexAny(line, " \t\r\n\"'`/"); i >= 0 {
		line = line[:i]
	}
	parts := strings.SplitN(line, ":", 3)
	secret := len(parts) == 3 && parts[0] != "" && parts[1] != "" && len(parts[2]) >= 4 && !placeholder(parts[2])
	if secret {
		s.add(to+len(line)-len(parts[2]), to+len(line), "password")
	}
}

// oracle masks the password of "user/password@host".
func oracle(s *scan, _, to int) {
	open, end := s.wordAt(to, 200)
	user, rest, ok := strings.Cut(s.text[open:end], "/")
	password, _, at := strings.Cut(rest, "@")
	secret := ok && at && user != "" && len(password) >= 4 && !placeholder(password) && !strings.Contains(password, "/")
	if secret {
		open += len(user) + 1
		s.add(open, open+len(password), "password")
	}
}
