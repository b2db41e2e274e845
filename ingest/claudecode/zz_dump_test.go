package claudecode

import (
	"context"
	"fmt"
	"os"
	"testing"
)

func TestDump(t *testing.T) {
	root := os.Getenv("DUMP")
	if root == "" {
		t.Skip("DUMP unset")
	}
	found, problems := Reader{}.Find(context.Background(), root, nil)
	for _, p := range problems {
		fmt.Println("PROBLEM", p)
	}
	for _, f := range found {
		s, err := Reader{}.Parse(context.Background(), f)
		if err != nil {
			fmt.Println("ERR", err)
			continue
		}
		kinds := map[string]int{}
		calls, done, rej, ans, plans, aband := 0, 0, 0, 0, 0, 0
		for _, tu := range s.Turns {
			kinds[string(tu.Kind)]++
			if tu.Abandoned {
				aband++
			}
			for _, c := range tu.Calls {
				calls++
				if c.Done {
					done++
				}
				if c.Verdict == "rejected" {
					rej++
				}
				ans += len(c.Answers)
				if c.Plan != nil {
					plans++
				}
			}
			if os.Getenv("V") != "" {
				fmt.Printf("  %d %s %s %v q=%v a=%v %q\n", tu.N, tu.Kind, tu.Name, tu.At.Format("15:04:05"), tu.Queued, tu.Abandoned, clipped(tu.Text))
				for _, c := range tu.Calls {
					fmt.Printf("      call %s %q done=%v fail=%v v=%s r=%q plan=%v ans=%v commit=%s %s\n", c.Name, clipped(c.Input["command"]+c.Path), c.Done, c.Failed, c.Verdict, clipped(c.Reason), c.Plan != nil, c.Answers, c.Commit, c.CommitMessage)
				}
			}
		}
		r := s.Report
		fmt.Println(f.ID, "files", len(f.Files), kinds, "calls", calls, done, "rej", rej, "ans", ans, "plans", plans, "aband", aband, "title", s.Title, s.TitleFrom, "sub", len(s.Subagents), "tasks", len(s.Tasks), "comp", len(s.Compactions), "prs", len(s.PRs), s.Where.Branch, s.Models, s.Versions, s.Usage, s.Usage == s.UsageAll)
		fmt.Println("    lines", r.Lines, "rec", r.Records, "dup", r.Duplicates, "blank", r.Blank, "skip", r.SkippedTotal, "repaired", r.Repaired, "ign", r.Ignored, "UNK", r.Unknown, "tail", r.Tail, "newer", r.Newer, r.Conflicts, r.Lines == r.Records+r.Duplicates+r.Blank+r.SkippedTotal)
	}
}

func clipped(s string) string {
	if len(s) > 100 {
		return s[:100]
	}
	return s
}
