package review

import (
	"fmt"
	"strings"

	"recall/internal/hint"
	"recall/internal/redact"
)

// WithoutSecrets refuses a text that contains a secret, and says in which lines. Any text for another person passes
// through it as the last step.
func WithoutSecrets(text string) error {
	rules := redact.New()
	r := rules.Session()
	clean := r.Text(text)
	if clean == text {
		// Check the unescaped text too: JSON escapes must not hide a secret.
		plain := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&", `\"`, `"`, `\\`, `\`).Replace(text)
		if clean = r.Text(plain); clean == plain {
			return nil
		}
		text = plain
	}
	was, now := strings.Split(text, "\n"), strings.Split(clean, "\n")
	var places []string
	heading := ""
	for i := range was {
		if strings.HasPrefix(was[i], "## ") {
			heading = fmt.Sprintf(" (%s)", strings.TrimPrefix(was[i], "## "))
		}
		if i >= len(now) || was[i] != now[i] {
			places = append(places, fmt.Sprintf("line %d%s", i+1, heading))
			if len(was) != len(now) {
				break // the secret spanned lines: later lines can't be compared
			}
		}
	}
	var kinds []string
	for kind, n := range r.Counts() {
		kinds = append(kinds, fmt.Sprintf("%d %s%s", n, kind, map[bool]string{true: "s"}[n != 1]))
	}
	return hint.With(fmt.Errorf("it contains a secret (%s): %s; nothing was written", strings.Join(kinds, ", "),
		strings.Join(places[:min(len(places), 5)], ", ")),
		"remove it from the payload with recall review or recall edit SESSION; the next sync redistills what newer "+
			"rules find")
}
