package claudecode

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recall/ingest"
	"recall/ingest/ingesttest"
)

var update = flag.Bool("update", false, "rewrite golden files")

const rig = "../testdata/rig"

// TestRig holds what is read from files of the real client, folder by folder.
func TestRig(t *testing.T) {
	dirs, err := filepath.Glob(rig + "/*/-home-dev-project")
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no rig folders: %v", err)
	}
	for _, dir := range dirs {
		name := filepath.Base(filepath.Dir(dir))
		t.Run(name, func(t *testing.T) {
			golden(t, "testdata/rig/"+name+".txt", outline(t, dir))
		})
	}
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(strings.ReplaceAll(string(raw), "\r\n", "\n"), got); d != "" {
		t.Errorf("%s (-want +got):\n%s", path, d)
	}
}

// outline writes the sessions under dir so that a change shows in a diff.
func outline(t *testing.T, dir string) string {
	t.Helper()
	found, problems := Reader{}.Find(context.Background(), dir, nil)
	for _, p := range problems {
		t.Errorf("find: %s: %s", p.Path, p.Reason())
	}
	var family []*ingest.Session
	for _, f := range found {
		s, err := Reader{}.Parse(context.Background(), f)
		if err != nil {
			t.Fatal(err)
		}
		ingesttest.Lines(t, s.Report)
		family = append(family, s)
	}
	ingest.Own(family)
	var b strings.Builder
	for _, s := range family {
		outlineSession(&b, s)
	}
	return b.String()
}

func outlineSession(b *strings.Builder, s *ingest.Session) {
	fmt.Fprintf(b, "%s %q (%s) %s\n", s.ID, s.Title, s.TitleFrom, s.Where.Branch)
	fmt.Fprintf(b, "  %v %v in %d out %d lines %d records %d duplicates %d unknown %v\n", s.Models, s.Versions,
		s.Usage.Input, s.Usage.Output, s.Report.Lines, s.Report.Records, s.Report.Duplicates, s.Report.Unknown)
	if s.Parent != nil {
		fmt.Fprintf(b, "  parent %+v\n", *s.Parent)
	}
	for _, t := range s.Turns {
		outlineTurn(b, "  ", t)
	}
	for _, sub := range s.Subagents {
		fmt.Fprintf(b, "  sub-agent %s %s %q from %s\n", sub.ID, sub.Type, sub.Description, sub.Call)
		for _, t := range sub.Turns {
			outlineTurn(b, "    ", t)
		}
	}
	for _, k := range s.Compactions {
		fmt.Fprintf(b, "  compaction %s %d → %d wish %q summary %t\n", k.Trigger, k.Before, k.After, k.Wish,
			k.Summary != "")
	}
	for _, k := range s.Tasks {
		fmt.Fprintf(b, "  task %s %s %s\n", k.ID, k.Status, k.Subject)
	}
}

func outlineTurn(b *strings.Builder, indent string, t ingest.Turn) {
	fmt.Fprintf(b, "%s%d %s %s %s", indent, t.N, t.Role, t.Kind, t.Name)
	for _, flag := range []struct {
		set  bool
		name string
	}{{t.Copied, " copied"}, {t.Abandoned, " abandoned"}, {t.Queued, " queued"}} {
		if flag.set {
			b.WriteString(flag.name)
		}
	}
	fmt.Fprintf(b, " line %d %q\n", t.Line, short(t.Text))
	for _, c := range t.Calls {
		fmt.Fprintf(b, "%s  %s %s done %t failed %t %s %q", indent, c.Name, short(c.Path+c.Command), c.Done, c.Failed,
			c.Verdict, short(c.Result))
		if c.Spilled != "" {
			fmt.Fprintf(b, " spilled %s %d", c.Spilled, c.ResultLen)
		}
		for _, a := range c.Answers {
			fmt.Fprintf(b, " answer %q %q", a.Question, a.Chosen)
		}
		if c.Plan != nil {
			fmt.Fprintf(b, " plan %q edited %t", short(c.Plan.Text), c.Plan.Edited)
		}
		b.WriteByte('\n')
	}
}

func short(s string) string {
	if r := []rune(s); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return s
}
