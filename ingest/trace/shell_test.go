package trace

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// said writes a command line's commands one a line: folder, words, files, and
// whether the line's success is theirs.
func said(line, dir string) string {
	var out []string
	for _, c := range readShell(line, dir) {
		text := c.Dir + ":"
		if len(c.Args) > 0 || c.Program != "" {
			text += " " + c.Program
		}
		for _, w := range c.Args {
			text += " " + strings.ReplaceAll(w, UnknownArg, "‹›")
		}
		for _, to := range c.Out {
			text += " >" + to
		}
		if c.HasHere {
			text += fmt.Sprintf(" here=%q", c.Here)
		}
		if c.sure {
			text += " sure"
		}
		out = append(out, text)
	}
	return strings.Join(out, "\n")
}

func TestReadShell(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{`pip install a && pip install b`, "/w: pip install a sure\n/w: pip install b sure"},
		{`pip install a; pip install b`, "/w: pip install a\n/w: pip install b sure"},
		{`pip install a || true`, "/w: pip install a\n/w: true"},
		{`pip install a | tail -3 && ls`, "/w: pip install a\n/w: tail -3 sure\n/w: ls sure"},
		{"cd sub && make\ncd /abs; make 2>&1 >out.txt",
			"/w: cd sub\n/w/sub: make\n/w/sub: cd /abs\n/abs: make >/abs/out.txt sure"},
		{`(cd sub && make) && ls`, "/w: cd sub sure\n/w/sub: make sure\n/w: ls sure"},
		{`sudo A="$B" make; env C=$D E='f' make`, "/w: make\n/w: make sure"},
		{`cd "$DIR" && make`, "/w: cd ‹› sure\n: make sure"},
		{`A=1 B='x y' sudo -E env C=2 timeout 30 apt-get install -y jq`, "/w: apt-get install -y jq sure"},
		{`git commit -m "$(cat <<'EOF'` + "\nDon't (yet)\nEOF\n)\" && git log",
			"/w: git commit -m ‹› sure\n/w: git log sure"},
		{"cat > a.py <<'E'\nprint('x')\nE\npython3 a.py", "/w: cat >/w/a.py here=\"print('x')\\n\"\n/w: python3 a.py sure"},
		{"cat > a.py <<E\n$HOME\nE", "/w: cat >/w/a.py sure"},
		{`for f in *.go; do gofmt -w $f; done`, "/w: gofmt -w ‹›"},
		{`echo 'it'"'"'s' a\ b "c\"d" # rest`, `/w: echo it's a b c"d sure`},
		{`make 2>/dev/null >> log.txt &`, "/w: make >/w/log.txt"},
		{`diff <(sort a) <(sort b) > d`, "/w: diff ‹› ‹› >/w/d sure"},
		{"echo `date` x", "/w: echo ‹› x sure"},
		{`echo "unclosed $(a (b`, ""}, // which no shell runs
		{"make \\\n  -j2", "/w: make -j2 sure"},
		{"cd /src/app-‹aws-key 2›/web && rm a‹x",
			"/w: cd /src/app-‹aws-key 2›/web sure\n/src/app-‹aws-key 2›/web: rm a‹x sure"},
		{``, ""},
	} {
		if diff := cmp.Diff(c.want, said(c.line, "/w")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.line, diff)
		}
	}
}

// Any text at all can stand in a transcript.
func FuzzReadShell(f *testing.F) {
	for _, s := range []string{"a && b | c > d", "cat <<'E'\nx\nE", `"$(a <<E` + "\n)", "$((((", "`", "\\", "<" +
		"<", "a <<<b", "if x; then (y)"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, c := range readShell(s, "/w") {
			if c.Program == UnknownArg || strings.Contains(c.Program, "/") && c.Program != "/" {
				t.Errorf("%q: the program is %q", s, c.Program)
			}
		}
	})
}
