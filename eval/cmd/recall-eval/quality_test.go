package main

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recall/eval"
)

var updateQuality = flag.Bool("update-quality", false, "write the tables of docs/internals/quality.md anew")

const qualityDoc = "../../../docs/internals/quality.md"

// figures are the tables of docs/internals/quality.md, each between "<!-- figures: NAME -->"
// and "<!-- end -->", with what makes them of the shared gold sets.
var figures = []struct {
	name string
	make func(quality, *testing.T) string
}{
	{name: "payloads", make: quality.payloads},
	{name: "baselines", make: quality.baselines},
	{name: "pages", make: quality.pages},
	{name: "annotators", make: quality.annotators},
	{name: "questions", make: quality.questions},
	{name: "paraphrased", make: quality.paraphrased},
	{name: "refusals", make: quality.refusals},
	{name: "judge", make: quality.judge},
	{name: "replayed", make: quality.replayed},
}

// docs/internals/quality.md says what the commands print. After a change that moved the
// figures:
//
//	RECALL_SHARED=DIR go test ./eval/cmd/recall-eval -run Quality -update-quality
func TestQuality(t *testing.T) {
	shared := os.Getenv("RECALL_SHARED")
	if shared == "" {
		t.Skip("RECALL_SHARED isn't set: no gold sets")
	}
	page, err := os.ReadFile(qualityDoc)
	if err != nil {
		t.Fatal(err)
	}
	q := measureQuality(t, shared)
	text := string(page)
	for _, f := range figures {
		block := regexp.MustCompile(`(?s)(<!-- figures: ` + f.name + ` -->\n).*?(<!-- end -->)`)
		was := block.FindString(text)
		if was == "" {
			t.Errorf("docs/internals/quality.md has no figures %q", f.name)
			continue
		}
		now := "<!-- figures: " + f.name + " -->\n" + f.make(q, t) + "<!-- end -->"
		if *updateQuality {
			text = strings.Replace(text, was, now, 1)
		} else if diff := cmp.Diff(strings.Split(was, "\n"), strings.Split(now, "\n")); diff != "" {
			t.Errorf("docs/internals/quality.md, %s: the page says otherwise than the commands; -update-quality writes it "+
				"anew (-page +measured):\n%s", f.name, diff)
		}
	}
	if *updateQuality && text != string(page) {
		if err := os.WriteFile(qualityDoc, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// quality is what was measured on the shared gold sets.
type quality struct {
	shared   string
	projects []string
	runs     map[string]*eval.Run // by what and project
}

func measureQuality(t *testing.T, shared string) quality {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", dir) // nobody's own settings
	t.Setenv("AppData", dir)
	q := quality{shared: shared, runs: map[string]*eval.Run{}}
	folders, err := filepath.Glob(filepath.Join(shared, "eval", "gold", "*"))
	if err != nil || len(folders) < 2 {
		t.Fatalf("got %v (%v), want the gold sets of two projects", folders, err)
	}
	for _, gold := range folders {
		project := filepath.Base(gold)
		q.projects = append(q.projects, project)
		for _, what := range []string{"payloads", "questions"} {
			file := filepath.Join(dir, "run.json")
			if code := run(t.Context(), []string{what, "--gold", gold, "--from", filepath.Join(shared, "transcripts"),
				"--out", file}, strings.NewReader(""), t.Output(), t.Output()); code != 0 {
				t.Fatalf("%s of %s: exit code %d", what, project, code)
			}
			if q.runs[what+" "+project], err = eval.ReadRun(file); err != nil {
				t.Fatal(err)
			}
		}
	}
	return q
}

func (q quality) run(what, project string) *eval.Run { return q.runs[what+" "+project] }
