package redact

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// texts draws text of words, operators, quotes and secrets, so that rules meet
// one another in odd places.
func texts(t *rapid.T, planted []string) string {
	piece := rapid.OneOf(
		rapid.SampledFrom(append(slices.Clone(planted), "password", "token", "api_key", "Authorization",
			"Bearer", "://", "-----BEGIN PRIVATE KEY-----",
			"-----END PRIVATE KEY-----", "AKIA", "eyJ", "key", "curl -u ", "Cookie:", "kind: Secret\ndata:\n",
			"‹key 1›", "‹", "›")),
		rapid.SampledFrom([]string{" ", "\n", "=", ": ", ":", "\"", "'", "\\\"", "\\n", ",", ">", "@", "/", ".",
			"-", "_", " = ", "is "}),
		rapid.StringMatching(`[A-Za-z0-9+/_.-]{1,44}`),
		rapid.StringMatching(`[a-z]{1,9}`),
	)
	return strings.Join(rapid.SliceOfN(piece, 0, 30).Draw(t, "pieces"), "")
}

func plantedSecrets(t *testing.T) []string {
	var all []string
	for _, c := range masked(t) {
		all = append(all, c[0])
	}
	slices.Sort(all)
	return all
}

// Property: redacting redacted text changes nothing, with the same redactor and
// with a new one; and the result is the same every time.
func TestRedactingTwiceChangesNothing(t *testing.T) {
	planted := plantedSecrets(t)
	rapid.Check(t, func(t *rapid.T) {
		text := texts(t, planted)
		s := New()
		once := s.Text(text)
		if again := s.Text(once); again != once {
			t.Errorf("same redactor: %q became %q, then %q", text, once, again)
		}
		if again := Text(once); again != once {
			t.Errorf("new redactor: %q became %q, then %q", text, once, again)
		}
		if other := Text(text); other != once {
			t.Errorf("%q became %q, then %q", text, once, other)
		}
	})
}

// Property: a planted secret is gone wherever in a text it stands.
func TestSecretIsGoneWhereverItStands(t *testing.T) {
	cases := masked(t)
	names := slices.Sorted(maps.Keys(cases))
	rapid.Check(t, func(t *rapid.T) {
		c := cases[rapid.SampledFrom(names).Draw(t, "case")]
		around := rapid.SampledFrom([]string{"\n", "\n\n", "\n# note\n", "\nok: 1\n"})
		words := rapid.StringMatching(`([a-z]{1,8} ){0,40}`)
		text := words.Draw(t, "before") + around.Draw(t, "a") + c[0] + around.Draw(t, "b") + words.Draw(t, "after")
		if got := Text(text); strings.Contains(got, c[1]) {
			t.Errorf("%q is left in %q", c[1], got)
		}
	})
}

// A secret told by the words beside it is masked later without them.
func TestKnownSecretIsMaskedWithoutItsName(t *testing.T) {
	s := New()
	got := s.Text(`api_key = "q7Rk2mXz9LpT4vBn8WsY"`) + "\n" + s.Text("I sent q7Rk2mXz9LpT4vBn8WsY to "+
		"it") + "\n" + s.Text("https://x.io/q7Rk2mXz9LpT4vBn8WsY/ping")
	want := "api_key = \"‹api-key 1›\"\nI sent ‹api-key 1› to it\nhttps://x.io/‹api-key 1›/ping"
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if n := s.Counts()["api-key"]; n != 1 {
		t.Errorf("api keys: got %d, want 1", n)
	}
}

// Every rule of gitleaks that is shipped masks what its own expression matches
// by the plain way: window, literals and least length lose nothing.
func TestShippedRulesFindWhatTheirExpressionsMatch(t *testing.T) {
	for i := range shipped() {
		rule := newLazyRule(&shipped()[i])
		random := rand.New(rand.NewPCG(7, uint64(i)))
		tried := 0
		for n := 0; n < 300 && tried < 20; n++ {
			value := sample(t, shipped()[i].expr, random)
			for _, anchor := range rule.anchors[:min(3, len(rule.anchors))] {
				text := value
				if rule.form == formAssign {
					text = anchor + "_x = '" + value
				} else if rule.form == formAround && !strings.Contains(strings.ToLower(value), anchor) {
					text = anchor + " " + value
				}
				secret, ok := plain(rule, value)
				if !ok || secret[0] == '=' { // read as the operator's
					continue
				}
				tried++
				if got := Text("see " + text + "\n"); strings.Contains(got, secret) {
					t.Errorf("rule %s: %q is left in %q", rule.id, secret, got)
				}
			}
		}
		if tried == 0 && rule.looks != "user:password" { // samples aren't base64
			t.Errorf("rule %s: no sample passes its own thresholds", rule.id)
		}
	}
}

// plain applies a rule's expression and thresholds to a whole text.
func plain(rule *lazyRule, text string) (string, bool) {
	m := rule.re().FindStringSubmatchIndex(text)
	if m == nil {
		return "", false
	}
	a, b := secretGroup(m)
	secret := text[a:b]
	return secret, entropy(secret) > rule.entropy && rule.accepts(secret)
}

// sample makes up a text that an expression matches.
func sample(t *testing.T, expr string, random *rand.Rand) string {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	write(&b, re.Simplify(), random)
	return b.String()
}

func write(b *strings.Builder, re *syntax.Regexp, random *rand.Rand) {
	switch re.Op {
	case syntax.OpLiteral:
		b.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		b.WriteRune(oneOf(re.Rune, random))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte("abcdefghijklmnopqrstuvwxyz0123456789"[random.IntN(36)])
	case syntax.OpAlternate:
		write(b, re.Sub[random.IntN(len(re.Sub))], random)
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest:
		most := map[syntax.Op]int{syntax.OpStar: 3, syntax.OpPlus: 12, syntax.OpQuest: 2}[re.Op]
		least := map[syntax.Op]int{syntax.OpPlus: 1}[re.Op]
		for range least + random.IntN(most-least) {
			write(b, re.Sub[0], random)
		}
	default:
		for _, sub := range re.Sub {
			write(b, sub, random)
		}
	}
}

// oneOf picks an ASCII character of a class, printable where there is one.
func oneOf(ranges []rune, random *rand.Rand) rune {
	var all []rune
	for i := 0; i < len(ranges); i += 2 {
		for c := max(' ', ranges[i]); c <= min('~', ranges[i+1]); c++ {
			all = append(all, c)
		}
	}
	if len(all) == 0 {
		return ranges[0]
	}
	return all[random.IntN(len(all))]
}

// One scanner serves many sessions at once.
func TestRulesAreSafeForConcurrentUse(t *testing.T) {
	planted := plantedSecrets(t)
	want := Text(strings.Join(planted, "\n\n"))
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			if got := Text(strings.Join(planted, "\n\n")); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
	group.Wait()
}

func FuzzText(f *testing.F) {
	for _, h := range harmless {
		f.Add(h, "")
	}
	f.Add("password=\"", "\"")
	f.Add("-----BEGIN PRIVATE KEY-----\xff", "\x00://")
	const secret = "ghp_" + "q7Rk2mXz9LpT4vBn8WsYc3HdJ6fGt5KuE1aQ"
	f.Fuzz(func(t *testing.T, before, after string) {
		text := fmt.Sprintf("%s\n%s\n%s", before, secret, after)
		once := Text(text)
		if strings.Contains(once, secret) {
			t.Errorf("%q is left in %q", secret, once)
		}
		if twice := Text(once); twice != once {
			t.Errorf("%q became %q, then %q", text, once, twice)
		}
	})
}
