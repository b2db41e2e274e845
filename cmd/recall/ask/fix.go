package ask

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/index"
	"recall/ingest"
	"recall/ingest/trace"
	"recall/library"
	"recall/pipeline"
)

// FixDoc is the JSON form of recall fix.
type FixDoc struct {
	Schema int       `json:"schema"` // 1
	Match  string    `json:"match"`  // same, similar; prompt, finding, query: see Told; none
	Met    int       `json:"met"`    // in how many sessions
	Seen   []fixSeen `json:"seen"`   // the newest first
	Told   []fixTold `json:"told,omitempty"`
}

// fixSeen is one session's meeting with the error.
type fixSeen struct {
	app.SessionRef
	Turn    int       `json:"turn"`
	At      time.Time `json:"at,omitzero"`
	Error   string    `json:"error"`
	Command string    `json:"command,omitempty"` // that ran into it
	Outcome string    `json:"outcome"`           // helped, came again, other error, not known
	Tries   []fixTry  `json:"tries"`
}

// fixTry is what was done before the command was run again.
type fixTry struct {
	Did     []fixStep `json:"did"`
	Then    string    `json:"then,omitempty"` // the command run again
	Turn    int       `json:"turn,omitempty"` // of that
	Outcome string    `json:"outcome"`
	Said    string    `json:"said,omitempty"` // by the assistant, afterwards
}

type fixStep struct {
	Turn  int           `json:"turn"`
	Tool  string        `json:"tool"`
	What  string        `json:"what"` // command or path
	Why   string        `json:"why,omitempty"`
	Files []trace.Touch `json:"files,omitempty"`
	Edits []ingest.Edit `json:"edits,omitempty"`
}

// How many sessions are read, and how many are shown.
const (
	fixRead = 8
	fixShow = 3
)

func newFixCmd(a *app.App) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     `fix "ERROR TEXT"`,
		Short:   "Tell what was done the last time an error appeared, and whether it helped",
		GroupID: "ask",
		Long: `Looks an error up in the outputs of all sessions' commands: line numbers, paths,
times and hashes don't count. Shows what was edited and run before the same
command succeeded, or that the error came again. Where no command ran into it: the
first prompt that holds it and what came of that, else what was found about it,
else what recall query finds; it says which. "-" reads the text from a pipe.
Exit code 1 if no session met it and nothing was found about it.`,
		Example: `  recall fix "undefined: openStore"
  go test ./... 2>&1 | recall fix -`,
		Args:               cobra.ArbitraryArgs,
		DisableFlagParsing: true, // errors begin with dashes: "--- FAIL: TestOpen"
		RunE: func(cmd *cobra.Command, args []string) error {
			flags, words := flagsApart(args)
			cmd.DisableFlagParsing = false
			if err := cmd.ParseFlags(flags); err != nil {
				return option.BadFlag(cmd, err)
			}
			if help, err := cmd.Flags().GetBool("help"); err == nil && help {
				return cmd.Help()
			}
			text := strings.Join(words, " ")
			if text == "-" {
				b, err := io.ReadAll(io.LimitReader(a.In, 4<<20))
				if err != nil {
					return err
				}
				text = string(b)
			}
			return runFix(cmd.Context(), a, text, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

// flagsApart parts this command's flags from the words of an error, which may
// look like flags. "--" ends the flags.
func flagsApart(args []string) (flags, words []string) {
	for i := 0; i < len(args); i++ {
		name, _, valued := strings.Cut(args[i], "=")
		switch {
		case args[i] == "--":
			return flags, append(words, args[i+1:]...)
		case args[i] == "--json", args[i] == "--help", args[i] == "-h":
			flags = append(flags, args[i])
		case name == "--library" || name == "--config":
			flags = append(flags, args[i])
			if !valued && i+1 < len(args) {
				i++
				flags = append(flags, args[i])
			}
		default:
			words = append(words, args[i])
		}
	}
	return flags, words
}

func runFix(ctx context.Context, a *app.App, text string, asJSON bool) error {
	if strings.TrimSpace(text) == "" {
		return terminal.WithHint(fmt.Errorf("no error text"),
			`recall fix "undefined: openStore", or: go test ./... 2>&1 | recall fix -`)
	}
	l, err := a.Library(ctx)
	if err != nil {
		return err
	}
	if _, err := a.Fresh(ctx, l); err != nil {
		return err
	}
	if err := a.Indexed(ctx, l); err != nil {
		return err
	}
	doc := FixDoc{Schema: 1, Match: "same", Seen: []fixSeen{}}
	met, err := a.Index.Faults(ctx, signatures(text))
	if err == nil && len(met) == 0 {
		doc.Match = "similar"
		met, err = similarFaults(ctx, a, text)
	}
	if err != nil {
		return err
	}
	if len(met) == 0 {
		if doc.Match, doc.Told, err = told(ctx, a, l, text); err != nil {
			return err
		}
	}
	if err := repairs(ctx, a, l, &doc, met); err != nil {
		return err
	}
	if asJSON {
		err = a.PrintJSON(doc)
	} else {
		printFix(a, doc, text)
	}
	if err == nil && len(doc.Seen) == 0 && (len(doc.Told) == 0 || doc.Match == "query") {
		err = app.ExitCode(app.ExitNothing)
	}
	return err
}

// signatures are those of the text's lines that state an error, and of the text as one.
func signatures(text string) []int64 {
	var sigs []int64
	add := func(line string) {
		if sig := trace.Signature(line); sig != 0 && !slices.Contains(sigs, sig) && len(sigs) < 200 {
			sigs = append(sigs, sig)
		}
	}
	for line := range strings.Lines(text) {
		add(strings.TrimSpace(line))
	}
	add(text)
	return sigs
}

// similarFaults finds errors that share most of the text's words.
func similarFaults(ctx context.Context, a *app.App, text string) ([]index.Faulted, error) {
	words := errorWords(text)
	all := 0
	for _, w := range words {
		all += len(w)
	}
	if len(words) == 0 || all < 6 {
		return nil, nil
	}
	type match struct {
		sig   int64
		share float64
	}
	var best []match
	err := a.Index.EachFault(ctx, func(sig int64, text string) bool {
		if share := wordShare(words, text); share >= toldShare {
			best = append(best, match{sig, share})
		}
		return ctx.Err() == nil
	})
	if err != nil || len(best) == 0 {
		return nil, err
	}
	slices.SortStableFunc(best, func(a, b match) int { return int(1000*b.share) - int(1000*a.share) })
	var sigs []int64
	for _, m := range best[:min(len(best), 20)] {
		if m.share >= best[0].share-0.1 {
			sigs = append(sigs, m.sig)
		}
	}
	return a.Index.Faults(ctx, sigs)
}

// errorWords are the words that an error is looked for by: what is masked and
// what every error says left out.
func errorWords(text string) []string {
	var out []string
	for _, w := range strings.FieldsFunc(trace.Normal(text),
		func(r rune) bool { return strings.ContainsRune(" \t\n:;,()[]{}<>\"'`=#", r) }) {
		w = strings.Trim(w, ".!?")
		if len(w) < 3 || w == "‹path›" ||
			slices.Contains([]string{"the", "error", "failed", "fail", "and", "for", "with", "not"}, w) ||
			slices.Contains(out, w) {
			continue
		}
		out = append(out, w)
	}
	return out[:min(len(out), 40)]
}

// repairs reads the sessions that met the error, the newest first, and tells
// what each did about it. What helped is shown even if it is older than the
// others.
func repairs(ctx context.Context, a *app.App, l *library.Library, doc *FixDoc, met []index.Faulted) error {
	var order []string
	sigs := map[string][]int64{}
	for _, f := range met {
		if len(sigs[f.Session]) == 0 {
			order = append(order, f.Session)
		}
		sigs[f.Session] = append(sigs[f.Session], f.Sig)
	}
	doc.Met = len(order)
	if len(order) == 0 {
		return nil
	}
	p, err := a.Pipeline(l)
	if err != nil {
		return err
	}
	shelf, err := app.NewShelf(l)
	if err != nil {
		return err
	}
	helped := false
	for _, id := range order[:min(len(order), fixRead)] {
		if len(doc.Seen) >= fixShow && helped {
			break
		}
		seen, ok, err := meeting(ctx, p, shelf.Ref(id), sigs[id])
		if err != nil {
			fmt.Fprintf(a.Err, "recall: skipped: %s: %v\n", id, err)
			continue
		}
		good := ok && seen.Outcome == trace.Helped
		if ok && (len(doc.Seen) < fixShow || good) {
			doc.Seen = append(doc.Seen, seen)
		}
		helped = helped || good
	}
	return nil
}

// meeting tells what one session did about an error: of several times, the
// last that helped, else the first.
func meeting(ctx context.Context, p *pipeline.Pipeline, ref app.SessionRef, sigs []int64) (fixSeen, bool, error) {
	s, err := p.Read(ctx, ingest.SessionID(ref.Session))
	if err != nil {
		return fixSeen{}, false, err
	}
	tr := trace.Of(s)
	var best *trace.Repair
	for _, f := range tr.Faults {
		if !slices.Contains(sigs, f.Sig) {
			continue
		}
		r := tr.RepairOf(s, f)
		if best == nil || r.Outcome == trace.Helped &&
			(best.Outcome != trace.Helped || r.Failed.N > best.Tries[len(best.Tries)-1].Then.N) {
			best = &r
		}
	}
	if best == nil {
		return fixSeen{}, false, nil
	}
	seen := fixSeen{SessionRef: ref, Turn: best.Failed.N, At: best.Failed.At, Error: best.Error,
		Command: best.Failed.Call.Command, Outcome: best.Outcome, Tries: []fixTry{}}
	for _, t := range best.Tries {
		try := fixTry{Outcome: t.Outcome, Said: t.Said, Did: []fixStep{}}
		if t.Then != nil {
			try.Then, try.Turn = t.Then.Call.Command, t.Then.N
		}
		for _, d := range t.Did {
			try.Did = append(try.Did, stepOf(d))
		}
		seen.Tries = append(seen.Tries, try)
	}
	return seen, true, nil
}

func stepOf(x *trace.Action) fixStep {
	step := fixStep{Turn: x.N, Tool: x.Call.Name, What: whatCalled(x.Call), Why: x.Why, Edits: x.Call.Edits}
	for _, t := range x.Touches {
		if t.How != trace.Read {
			step.Files = append(step.Files, t)
		}
	}
	return step
}
