package redact_test

import (
	"strings"
	"testing"

	"recall/internal/redact"
)

// A value in pieces is put together as its language does, or its escapes are undone, before it is judged.
func TestValueInPieces(t *testing.T) {
	for language, text := range map[string]string{
		"JavaScript, operator first": "const apiKey = 'Lagoon1'\n    + 'Falcon2x';",
		"JavaScript, operator last":  "const apiKey =\n  \"Lagoon1\" +\n  \"Falcon2x\";",
		"a diff":                     "+  apiKey: \"Lagoon1\" +\n+    \"Falcon2x\",",
		"Python":                     "api_key = (\n    \"Lagoon1\"\n    \"Falcon2x\"\n)",
		"Lua":                        `local password = "Lagoon1" .. "Falcon2x"`,
		"SQL":                        `WHERE password = 'Lagoon1' || 'Falcon2x';`,
		"Elixir":                     `  password: "Lagoon1" <> "Falcon2x",`,
		"Visual Basic":               `Const password = "Lagoon1" & "Falcon2x"`,
		"Visual Basic over lines":    "Dim password = \"Lagoon1\" & _\n    \"Falcon2x\"",
		"lines with numbers":         " 9→val password: String =\n10→    \"Lagoon1\" +\n11→    \"Falcon2x\"",
		"Haskell":                    `password = "Lagoon1" ++ "Falcon2x"`,
		"PHP over lines":             "$password = 'Lagoon1'\n    . 'Falcon2x';",
		"Go":                         "password := `Lagoon1` + `Falcon2x`",
		"two kinds of quotes":        `password = "Lagoon1" + 'Falcon2x'`,
		"properties":                 "db.password=Lagoon1\\\n    Falcon2x\nhost=db",
		"YAML":                       "password: \"Lagoon1\\\n  Falcon2x\"\nhost: db",
		"hexadecimal":                `password = "Lagoon1\x46alcon2x"`,
		"octal":                      `password = "Lagoon1\106alcon2x"`,
	} {
		got := redact.New().Text("Here:\n" + text + "\n")
		if strings.Contains(got, "agoon1") || strings.Contains(got, "alcon2x") {
			t.Errorf("%s: left in %q", language, got)
		}
	}
}
