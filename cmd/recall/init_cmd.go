package main

import (
	"bufio"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"recall/answer"
	"recall/library"
	"recall/payload"
	"recall/pipeline"
)

func (a *app) initCmd() *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:     "init",
		Short:   "Make the library and take in all history",
		GroupID: "keep",
		Long: `Finds the sessions of Claude Code and Cowork on this machine, makes the library,
archives and distills all history (offline: nothing leaves this machine), and
asks it one question that it has an answer to. Running it again does no harm.

On a terminal it offers the models that it finds here (the claude program, keys
in the environment, Ollama), says what each would be sent, tries the one that you
choose with one tiny request and writes it into config.yaml. Rules go on making
payloads unless you choose one. In a script --provider does the same.`,
		Example: `  recall init
  recall init --library ~/Documents/Recall
  recall init --provider anthropic
  recall init --provider openai --url http://127.0.0.1:1234/v1 --model qwen3-8b`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.init(cmd.Context(), yes) },
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "don't ask")
	cmd.Flags().String("provider", "", "have this model make payloads: "+strings.Join(providers, ", "))
	setsKey(cmd.Flags(), "provider", "llm.provider")
	cmd.Flags().String("model", "", "the provider's name for the model (llm.model)")
	setsKey(cmd.Flags(), "model", "llm.model")
	cmd.Flags().String("url", "", "address of the service (llm.url)")
	setsKey(cmd.Flags(), "url", "llm.url")
	cmd.Flags().String("dir", "", "folder of requests and answers, for relay and replay (llm.dir)")
	setsKey(cmd.Flags(), "dir", "llm.dir")
	return cmd
}

func (a *app) init(ctx context.Context, yes bool) error {
	c, err := a.config()
	if err != nil {
		return err
	}
	for _, w := range library.Warnings(c.Library.Dir) {
		fmt.Fprintln(a.err, "recall: warning:", w)
		if !yes && !a.confirm("Make the library there all the same?") {
			return withHint(fmt.Errorf("no library made"), "name another folder: recall init --library DIR, or library.dir in config.yaml")
		}
	}
	l, made, err := a.createLibrary(ctx)
	if err != nil {
		return err
	}
	verb := "Found the library"
	if made {
		verb = "Made a library"
	}
	fmt.Fprintf(a.out, "%s in %s\n", verb, l.Dir())
	start := time.Now()
	report, err := a.takeIn(ctx, l, pipeline.Options{})
	if err != nil {
		if report.Bytes > 0 {
			a.printReport(report)
		}
		return err
	}
	p, err := a.pipeline(l)
	if err != nil {
		return err
	}
	for _, s := range sources(p) {
		fmt.Fprintf(a.out, "Source: %s, %s\n", s.Source, s.Folder)
	}
	if report.Found == 0 {
		fmt.Fprintln(a.out, "No sessions found. If they are elsewhere: recall sync --from FOLDER. To see recall at work: recall demo")
		return a.modelOf(ctx, l, yes)
	}
	fmt.Fprintf(a.out, "Took %s: ", elapsed(time.Since(start)))
	a.printReport(report)
	if err := a.tryOne(ctx, l); err != nil {
		return err
	}
	a.offerOllama(ctx)
	if err := a.modelOf(ctx, l, yes); err != nil {
		return err
	}
	fmt.Fprint(a.out, nextSteps)
	if report.Skipped() {
		return exitCode(exitPartial)
	}
	return nil
}

// modelOf sets up the model that a flag names, or asks which. What the file
// says of the same provider stays, unless a flag says otherwise.
func (a *app) modelOf(ctx context.Context, l *library.Library, yes bool) error {
	given := a.flags.Changed
	if !given("provider") {
		for _, flag := range []string{"model", "url", "dir"} {
			if given(flag) {
				return withHint(fmt.Errorf("--%s without --provider", flag), "say whose it is: --provider %s", strings.Join(providers[1:], ", "))
			}
		}
		if yes {
			return nil
		}
		return a.chooseModel(ctx, l)
	}
	o := a.cfg.LLM
	ch := choice{provider: o.Provider}
	before, err := loadConfig(nil, a.configFile, nil, thisSystem())
	same := err == nil && before.LLM.Provider == o.Provider // a file that lacks just this is mended now
	for _, s := range []struct {
		flag string
		to   *string
		is   string
	}{{"model", &ch.model, o.Model}, {"url", &ch.url, o.URL}, {"dir", &ch.dir, o.Dir}} {
		if same || given(s.flag) {
			*s.to = s.is
		}
	}
	return a.useModel(ctx, l, ch)
}

const nextSteps = `
Next:
  recall query "what did we decide about …"   ask it anything
  recall resume --copy                        the payload for your next session
  recall list                                 all sessions, and whether they are safe
  recall hooks install                        payloads and warnings come into Claude Code by themselves
  recall schedule install                     new sessions are archived every ten minutes, and distilled each night
  recall sync                                 take in what is new now (query does it by itself)
`

// confirm asks on a terminal; elsewhere the answer is no.
func (a *app) confirm(question string) bool {
	if !isTerminal(a.out) {
		return false
	}
	fmt.Fprintf(a.err, "%s [y/N] ", question)
	line, _ := bufio.NewReader(a.in).ReadString('\n')
	line = strings.ToLower(strings.TrimSpace(line))
	return line == "y" || line == "yes"
}

// tryOne asks about the latest session that decided something and is found by
// the words that a person would use, its title. Where there is none, it says
// nothing.
func (a *app) tryOne(ctx context.Context, l *library.Library) error {
	for _, e := range latestDecided(l, 10) {
		question := "what did we decide about " + strings.TrimRight(clip(oneLine(e.Title), 60), ".?!…") + "?"
		ans, err := a.searched(ctx, l, question)
		if err != nil {
			return err
		}
		if ans.Verdict == answer.Answered && ans.Shown[0].Item != nil && ans.Shown[0].Session == string(e.ID) {
			fmt.Fprintf(a.out, "\n$ recall query %q\n", question)
			p := page{w: a.out, st: styles(a.color), width: width(a.out)}
			p.answer(&ans)
			return nil
		}
	}
	return nil
}

// latestDecided lists the newest sessions that decided something, n at most.
func latestDecided(l *library.Library, n int) []library.Entry {
	entries, err := l.Sessions()
	if err != nil {
		return nil
	}
	slices.SortStableFunc(entries, func(a, b library.Entry) int { return b.End.Compare(a.End) })
	var decided []library.Entry
	for _, e := range entries {
		if len(decided) == n {
			break
		}
		p, err := l.Payload(e.ID)
		if err != nil || e.Title == "" {
			continue
		}
		if slices.ContainsFunc(p.Items, func(it payload.Item) bool { return it.Kind == payload.Decision && it.Current() }) {
			decided = append(decided, e)
		}
	}
	return decided
}
