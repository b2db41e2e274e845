package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"recall/eval"
)

// exitWorse is the exit code of eval where a baseline isn't reached any more.
const exitWorse = 4

func (a *app) evalCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "eval",
		Short:   "Measure payloads and answers against gold sets",
		GroupID: "look",
		Long: `Compares what recall makes of sessions with what careful people wrote down about
them (a gold set), and its answers with the answers that people expect. Without
a gold set of your own it measures itself on the bundled sample sessions.

A measurement is a run: a JSON file that holds every figure and, behind each,
the items that it counts. Runs are kept in the user's cache directory unless
--out names a file; compare and report read them.

Exit codes: 0 done; 2 an error; 3 done, with gold sessions left out; 4 worse
than the baseline (--baseline), significantly.`,
		Example: `  recall eval payloads                          on the bundled gold set
  recall eval questions --gold mine/gold --from mine/transcripts
  recall eval label "Retry policy" --out gold/retry.gold.json
  recall eval judge                             how far a judge agrees with people
  recall eval relations                         the same of what supersedes what
  recall eval report --html --out report.html   the runs that were kept`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.evalPayloadsCmd(), a.evalQuestionsCmd(), a.evalCompareCmd(), a.evalLabelCmd(), a.evalJudgeCmd(), a.evalRelationsCmd(), a.evalReportCmd())
	return cmd
}

// runsDir is where runs are kept that nobody named a file for.
func runsDir() (string, error) {
	base, err := os.UserCacheDir()
	if err != nil {
		return "", withHint(err, "name a file with --out")
	}
	return filepath.Join(base, "recall", "eval"), nil
}

// keepRun writes a run to the file that was asked for, or to one of its own.
func keepRun(r *eval.Run, out string) (file string, err error) {
	data, err := eval.EncodeRun(r)
	if err != nil {
		return "", err
	}
	if out == "" {
		dir, err := runsDir()
		if err != nil {
			return "", err
		}
		name := fmt.Sprintf("%s-%s-%s", r.At.UTC().Format("20060102T150405Z"), r.What, fileName(r.Gold.Name))
		out = filepath.Join(dir, name+".json")
		for n := 2; exists(out); n++ { // two within one second
			out = filepath.Join(dir, fmt.Sprintf("%s-%d.json", name, n))
		}
	}
	return out, writeWhole(out, data)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// fileName is a name with nothing in it that a file's may not have.
func fileName(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_', r == '+':
			return r
		}
		return '_'
	}, name)
}

// writeWhole replaces a file: it is there whole or not at all.
func writeWhole(path string, data []byte) (err error) {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".recall-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if _, err := f.Write(data); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// keptRuns lists the files of runs in the cache, oldest first.
func keptRuns() ([]string, error) {
	dir, err := runsDir()
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	var files []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".json") && !strings.HasPrefix(e.Name(), ".") {
			files = append(files, filepath.Join(dir, e.Name()))
		}
	}
	return files, nil
}

// completeRun offers run files to the shell.
func completeRun(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"json"}, cobra.ShellCompDirectiveFilterFileExt
}

// readRuns reads run files.
func readRuns(files []string) ([]*eval.Run, error) {
	var runs []*eval.Run
	for _, f := range files {
		r, err := eval.ReadRun(f)
		if os.IsNotExist(err) {
			return nil, withHint(fmt.Errorf("%s: no such file", f), "give a run: recall eval payloads --out FILE writes one")
		}
		if err != nil {
			return nil, err
		}
		runs = append(runs, r)
	}
	return runs, nil
}
