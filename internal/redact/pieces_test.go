package redact_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"recall/internal/redact"
)

// pieced are ways in which code puts a string of two or three pieces together, by language.
var pieced = []string{
	"C|const char *NAME = \"A\" \"B\";", "C over lines|static const char NAME[] =\n    \"A\"\n    \"B\"\n    \"C\";",
	"C macro|#define NAME \"A\" \"B\"", "Python|NAME = 'A' 'B'", "Python list|NAME = ''.join(['A', 'B', 'C'])",
	"Python tuple|NAME = \"\".join((\"A\", \"B\"))", "Python added|NAME = \"A\"\nNAME += \"B\"",
	"Python call|client = Client(NAME=\"A\" + \"B\")", "Python percent|NAME = \"%s%s\" % (\"A\", \"B\")",
	"Python format|NAME = \"{}{}\".format(\"A\", \"B\")", "Python dict|cfg = {\"NAME\": \"A\" + \"B\", \"port\": 80}",
	"JavaScript|const NAME = ['A', 'B'].join('');", "JavaScript double|let NAME = [\"A\", \"B\", \"C\"].join(\"\");",
	"JavaScript concat|const NAME = 'A'.concat('B', 'C');", "JavaScript concat one|const NAME = \"A\".concat(\"B\");",
	"JavaScript object|{ NAME: 'A' + 'B' + 'C', retries: 3 }", "JavaScript template|const NAME = `A` + `B`;",
	"JavaScript holes|const NAME = `${'A'}${'B'}`;", "JavaScript lines|const NAME = [\n  'A',\n  'B',\n].join('');",
	"Java|String NAME = \"A\" + \"B\" + \"C\";", "Java builder|NAME = new StringBuilder().append(\"A\").append(\"B\").toString();",
	"Java builder from|String NAME = new StringBuilder(\"A\").append(\"B\").toString();",
	"Java concat|String NAME = \"A\".concat(\"B\");", "Java join|String NAME = String.join(\"\", \"A\", \"B\");",
	"Java lines|String NAME = \"A\"\n        + \"B\"\n        + \"C\";", "C#|var NAME = string.Concat(\"A\", \"B\");",
	"C# property|public string NAME { get; } = \"A\" + \"B\";", "Go|var NAME = strings.Join([]string{\"A\", \"B\"}, \"\")",
	"Go sprint|NAME := fmt.Sprint(\"A\", \"B\")", "Go sprintf|NAME := fmt.Sprintf(\"%s%s\", \"A\", \"B\")",
	"Rust|let NAME = concat!(\"A\", \"B\");", "Rust array|let NAME = [\"A\", \"B\"].concat();",
	"Rust format|let NAME = format!(\"{}{}\", \"A\", \"B\");", "Rust to string|let NAME = \"A\".to_string() + \"B\";",
	"Rust from|let NAME = String::from(\"A\") + \"B\";", "PHP|$NAME = 'A' . 'B';", "PHP implode|$NAME = implode('', ['A', 'B']);",
	"PHP array|'NAME' => 'A' . 'B',", "PHP added|$NAME = 'A';\n$NAME .= 'B';", "Perl|my $NAME = join('', 'A', 'B');",
	"Perl dot|our $NAME = \"A\".\"B\";", "Ruby|NAME = 'A' + 'B'", "Ruby beside|NAME = 'A' 'B'", "Ruby added|NAME = 'A' << 'B'",
	"Ruby join|NAME = ['A', 'B'].join", "Ruby backslash|NAME = 'A' \\\n  'B'", "Shell|export NAME='A''B'",
	"Shell two quotes|export NAME='A'\"B\"", "Shell half|NAME=A'B'", "Shell other half|NAME=\"A\"B",
	"Shell middle|NAME=A\"B\"C", "Shell backslash|NAME=\"A\\\nB\"", "Shell added|NAME=A\nNAME+=B",
	"Shell added quoted|NAME='A'\nNAME+='B'", "Shell itself|NAME='A'; NAME=\"${NAME}B\"", "Shell flag|deploy --NAME='A'\"B\" --fast",
	"fish|set -x NAME A'B'", "PowerShell|$NAME = 'A' + 'B'", "PowerShell join|$NAME = -join('A','B')",
	"PowerShell format|$NAME = '{0}{1}' -f 'A','B'", "PowerShell env|$env:NAME = \"A\" + \"B\"", "Batch|set NAME=A^\nB",
	"Kotlin|val NAME = \"A\" + \"B\"", "Kotlin list|val NAME = listOf(\"A\", \"B\").joinToString(\"\")",
	"Kotlin plus|val NAME = \"A\".plus(\"B\")", "Swift|let NAME = [\"A\", \"B\"].joined()", "Swift plus|let NAME = \"A\" + \"B\"",
	"Scala|val NAME = Seq(\"A\", \"B\").mkString", "Scala plus|val NAME: String = \"A\" + \"B\"",
	"Lua|local NAME = table.concat({\"A\", \"B\"})", "Lua dots|NAME = 'A'..'B'", "R|NAME <- paste0(\"A\", \"B\")",
	"R sep|NAME <- paste(\"A\", \"B\", sep = \"\")", "SQL|SET NAME = CONCAT('A', 'B');", "SQL bars|NAME := 'A' || 'B';",
	"SQL by|CREATE USER ann WITH NAME 'A' || 'B';", "VB|Dim NAME = \"A\" & \"B\"", "VB lines|NAME = \"A\" & _\n  \"B\"",
	"Haskell|NAME = concat [\"A\", \"B\"]", "Elixir|NAME = Enum.join([\"A\", \"B\"])", "Elixir op|NAME = \"A\" <> \"B\"",
	"Erlang|NAME = \"A\" ++ \"B\",", "OCaml|let NAME = \"A\" ^ \"B\"", "F#|let NAME = \"A\" + \"B\"", "D|auto NAME = \"A\" ~ \"B\";",
	"Julia|NAME = \"A\" * \"B\"", "Julia string|NAME = string(\"A\", \"B\")", "Nim|let NAME = \"A\" & \"B\"",
	"Clojure|(def NAME (str \"A\" \"B\"))", "Lisp|(defvar NAME (concat \"A\" \"B\"))", "Dart|final NAME = 'A' 'B';",
	"Dart join|final NAME = ['A', 'B'].join();", "Groovy|def NAME = 'A' + 'B'", "Terraform|NAME = join(\"\", [\"A\", \"B\"])",
	"Terraform format|NAME = format(\"%s%s\", \"A\", \"B\")", "YAML|NAME: \"A\\\n  B\"", "YAML join|NAME: !Join ['', ['A', 'B']]",
	"CloudFormation|\"NAME\": {\"Fn::Join\": [\"\", [\"A\", \"B\"]]}", "Jinja|NAME: {{ 'A' ~ 'B' }}", "CMake|set(NAME \"A\" \"B\")",
	"make|NAME := A$(strip B)", "Makefile added|NAME = A\nNAME := $(NAME)B", "C++|std::string NAME = std::string(\"A\") + \"B\";",
	"C++ added|std::string NAME = \"A\"; NAME += \"B\";", "C++ appended|NAME.append(\"A\").append(\"B\");",
	"Objective-C|NSString *NAME = @\"A\" @\"B\";", "Zig|const NAME = \"A\" ++ \"B\";", "awk|NAME = \"A\" \"B\"",
	"diff|+  NAME: \"A\" +\n+    \"B\",", "JSON in a log|{\"cmd\": \"export NAME='A''B'\"}",
}

// piecedLater are others, written when the rules held for those.
var piecedLater = []string{
	`self.NAME = "A" + "B"`, `NAME = ("A" + "B" + "C")`, `NAME=str("A")+str("B")`,
	"NAME = (\n    'A'\n    + 'B'\n)", `os.environ["NAME"] = "A" + "B"`, `process.env.NAME = 'A' + 'B';`,
	`module.exports = { NAME: ['A', 'B', 'C'].join('') }`, `const NAME = String.raw` + "`A`" + ` + "B"`,
	`export const NAME: string = "A" + "B"`, `this.NAME = "A".concat("B");`, `axios.create({ NAME: 'A' + 'B' })`,
	`private static final String NAME = "A" + "B";`, `@Value(NAME = "A" + "B")`,
	`StringBuilder sb = new StringBuilder(); NAME = sb.append("A").append("B");`,
	`props.setProperty("NAME", "A" + "B");`, `props.put("NAME", "A" + "B");`, `conn.set_NAME("A" + "B")`,
	`options.NAME = $"{"A"}{"B"}";`, `NAME := "A" + "B" + "C"`, `os.Setenv("NAME", "A"+"B")`,
	`cfg.NAME = "A" + "B"`, `Config{NAME: "A" + "B"}`, `std::env::set_var("NAME", concat!("A", "B"));`,
	`let NAME = vec!["A", "B"].join("");`, `let NAME = ["A", "B", "C"].join("");`, `define('NAME', 'A' . 'B');`,
	`putenv("NAME=" . "A" . "B");`, `$config['NAME'] = 'A' . 'B' . 'C';`, `ENV['NAME'] = 'A' + 'B'`,
	`NAME: "#{'A'}#{'B'}"`, `config.NAME = %w[A B].join`, `export NAME="A""B"`, `export NAME="A"'B'`,
	`NAME='A'"B"'C' ./run.sh`, `curl -H "NAME: A""B" https://x.example`, `mysql --NAME="A"'B' app`,
	`$NAME = "A" + 'B' + "C"`, `$NAME = [string]::Concat("A","B")`, `$NAME = ("A","B") -join ""`,
	`val NAME = buildString { append("A"); append("B") }`, `static let NAME = "A" + "B"`,
	`final String NAME = "A" "B";`, `NAME <- "A"` + "\nNAME <- paste0(NAME, \"B\")",
	`ALTER USER ann IDENTIFIED BY 'A' || 'B';`, `NAME = "A" & "B" & "C"`, `Const NAME As String = "A" & "B"`,
	`NAME: {{ "A" + "B" }}`, `NAME = "${"A"}${"B"}"`, `NAME: !Sub "A" "B"`, `{"NAME": "A" "B"}`,
	`printf '%s%s' 'A' 'B' > NAME`, `NAME=$(printf '%s%s' 'A' 'B')`, `NAME=$(echo 'A''B')`,
	`echo "NAME=A""B" >> .env`,
}

var pieceNames = []string{"password", "apiKey", "DB_PASSWORD", "secret_key", "auth_token"}

// pieces are a secret of a length and form, cut in three.
func pieces(random *rand.Rand, form int) (all [3]string) {
	const letters = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ"
	for i := range all {
		for range []int{6, 4, 8}[form] {
			all[i] += string(letters[random.IntN(len(letters))])
		}
		all[i] += fmt.Sprint(random.IntN(90) + 10)
	}
	return all
}

// A value in pieces is put together as its language does before it is judged.
func TestSecretsInPieces(t *testing.T) {
	blank := regexp.MustCompile(`\b(?:NAME|[ABC])\b`)
	for when, list := range map[string]struct {
		ways []string
		most int // of a hundred
	}{"in view": {pieced, 5}, "later": {piecedLater, 20}} {
		random := rand.New(rand.NewPCG(3, 5))
		n, left := 0, []string{}
		for _, way := range list.ways {
			for k, name := range pieceNames {
				p := pieces(random, k%3)
				code := way
				if when == "in view" {
					_, code, _ = strings.Cut(way, "|")
				}
				text := blank.ReplaceAllStringFunc(code, func(s string) string {
					return map[string]string{"NAME": name, "A": p[0], "B": p[1], "C": p[2]}[s]
				})
				got := redact.New().Text("Here:\n" + text + "\n\nand on.")
				if n++; strings.Contains(got, p[0]) || strings.Contains(got, p[1]) {
					left = append(left, fmt.Sprintf("%s: %q", way, got[6:len(got)-9]))
				}
			}
		}
		t.Logf("%s: %d of %d left, %.1f %%", when, len(left), n, 100*float64(len(left))/float64(n))
		if 100*len(left) > list.most*n {
			t.Errorf("%s: %d of %d left, want at most %d %%\n%s", when, len(left), n, list.most,
				strings.Join(left, "\n"))
		}
	}
}
