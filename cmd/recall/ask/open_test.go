package ask

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAtLine(t *testing.T) {
	for program, want := range map[string][]string{
		"vim":                         {"+7", "t.md"},
		"/usr/bin/nano":               {"+7", "t.md"},
		"code":                        {"-g", "t.md:7"},
		"Code.exe":                    {"-g", "t.md:7"},
		"code.cmd":                    {"-g", "t.md:7"},
		"/opt/idea/bin/idea":          {"--line", "7", "t.md"},
		"subl":                        {"t.md:7"},
		"notepad++.exe":               {"-n7", "t.md"},
		"notepad":                     {"t.md"},
		"a program of somebody's own": {"t.md"},
	} {
		if diff := cmp.Diff(want, atLine(program, "t.md", 7)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", program, diff)
		}
	}
}
