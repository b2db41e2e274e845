package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"recall/distill/offline"
	"recall/eval"
	"recall/ingest"
	"recall/payload"
	"recall/redact"
)

func (a *app) evalLabelCmd() *cobra.Command {
	var out, check, from string
	cmd := &cobra.Command{
		Use:   "label SESSION | label --check FILE",
		Short: "Make a gold file to fill in, or check one",
		Long: `Makes a gold file out of what recall itself finds in a session, to be filled in by
somebody who has read it: take out what isn't worth keeping, word the rest in
one sentence each, add what is missing, set "must" to false where it is fair to
leave an item out, and list in "not" what a careless reader would claim. An item
is worth keeping if leaving it out would make the next session do something
different. Two people who work apart make a better gold set than one.

SESSION is a session of the library, or a transcript's file. --check names what
is wrong with a filled-in file (unknown kinds, turns that aren't there, quotes
that stand in none of their turns), and what still waits for you.`,
		Example: `  recall eval label "Retry policy" --out gold/retry.gold.json
  recall eval label session.jsonl > session.gold.json
  recall eval label --check gold/retry.gold.json`,
		Args: func(cmd *cobra.Command, args []string) error {
			if check != "" {
				return cobra.NoArgs(cmd, args)
			}
			return cobra.ExactArgs(1)(cmd, args)
		},
		ValidArgsFunction: a.completeSession,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := notTogether(cmd, "check", "out"); err != nil {
				return err
			}
			if check != "" {
				return a.checkLabels(cmd, check, from)
			}
			return a.label(cmd, args[0], out)
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "write to this file, NAME.gold.json (default: print it)")
	cmd.Flags().StringVar(&check, "check", "", "check this filled-in gold file")
	cmd.Flags().StringVar(&from, "from", "", "with --check: folder of the transcripts (default: the library's)")
	cmd.MarkFlagFilename("out", "json")
	cmd.MarkFlagFilename("check", "json")
	cmd.MarkFlagDirname("from")
	return cmd
}

// label makes a gold file. One that is there is never written over.
func (a *app) label(cmd *cobra.Command, name, out string) error {
	if out != "" {
		if _, err := os.Stat(out); err == nil {
			return withHint(fmt.Errorf("%s is there already", out), "move it away, or check it: recall eval label --check %s", shellWord(out))
		}
	}
	f, p, err := a.labelled(cmd, name)
	if err != nil {
		return err
	}
	data, err := eval.Label(f, p).Encode()
	if err != nil {
		return err
	}
	if out == "" {
		_, err = a.out.Write(data)
		return err
	}
	if err := writeWhole(out, data); err != nil {
		return err
	}
	if !strings.HasSuffix(out, ".gold.json") {
		fmt.Fprintf(a.err, "recall: warning: recall eval reads files named NAME.gold.json only; rename %s when it is filled in\n", out)
	}
	fmt.Fprintf(a.out, "%s: %s proposed\nFill it in, then: recall eval label --check %s\n", out, count(len(p.Items), "item"), shellWord(out))
	return nil
}

// labelled finds the session that a person names, a transcript's file or one of
// the library, with its payload.
func (a *app) labelled(cmd *cobra.Command, name string) (f ingest.Found, p *payload.Payload, err error) {
	if info, err := os.Stat(name); err == nil && !info.IsDir() {
		if _, err := a.config(cmd); err != nil {
			return f, nil, err
		}
		found, reader, err := findBelow(cmd.Context(), name, "")
		if err != nil {
			return f, nil, err
		}
		p, err = distilled(cmd.Context(), reader, found)
		return found, p, err
	}
	l, err := a.library(cmd)
	if err != nil {
		return f, nil, err
	}
	e, err := a.session(l, name)
	if err != nil {
		return f, nil, err
	}
	if f, err = l.Found(e.ID); err != nil {
		return f, nil, err
	}
	p, err = a.payload(l, e)
	return f, p, err
}

// findBelow finds a session by its id below a folder, or the only one of a file.
func findBelow(ctx context.Context, where string, id ingest.SessionID) (ingest.Found, ingest.Reader, error) {
	for _, r := range readers() {
		found, _ := r.Find(ctx, where, nil)
		for _, f := range found {
			if id == "" || f.ID == id {
				return f, r, nil
			}
		}
	}
	if id != "" {
		return ingest.Found{}, nil, withHint(fmt.Errorf("no transcript of session %s below %s", id, where), "name the folder of the transcripts with --from")
	}
	return ingest.Found{}, nil, noSession(where)
}

// distilled is the payload of a transcript that isn't in the library.
func distilled(ctx context.Context, reader ingest.Reader, f ingest.Found) (*payload.Payload, error) {
	rules, err := redact.New()
	if err != nil {
		return nil, err
	}
	s, err := reader.Parse(ctx, f)
	if err != nil {
		return nil, err
	}
	ingest.Own([]*ingest.Session{s})
	s.MapText(rules.Session().Text)
	return offline.Distiller{}.Distill(ctx, s)
}

func (a *app) checkLabels(cmd *cobra.Command, file, from string) error {
	g, notices, err := eval.ReadLabelled(file)
	if os.IsNotExist(err) {
		return withHint(fmt.Errorf("%s: no such file", file), "recall eval label SESSION --out FILE makes one")
	}
	var faults eval.Problems
	if err != nil && (!errors.As(err, &faults) || g == nil) {
		return err
	}
	var todo []eval.Problem
	if g.Session != "" {
		f, p, err := a.transcriptOf(cmd, g, from)
		if err != nil {
			return err
		}
		faults = append(faults, g.CheckTranscript(f)...)
		todo = g.Unfilled(p)
	}
	for _, n := range notices {
		fmt.Fprintf(a.err, "recall: %s\n", oneLine(n.String()))
	}
	for _, n := range todo {
		fmt.Fprintf(a.out, "to do: %s\n", oneLine(n.String()))
	}
	if len(faults) > 0 {
		return withHint(faults, "%s", "each line names file and item; the quote must stand verbatim in one of the item's turns")
	}
	must := 0
	for _, it := range g.Items {
		if it.Must {
			must++
		}
	}
	fmt.Fprintf(a.out, "%s: sound; %s, %d must be found, %s to do\n", file, count(len(g.Items), "item"), must, count(len(todo), "thing"))
	return nil
}

// transcriptOf finds the session of a gold file, below a folder or in the
// library, with the payload that it may have been proposed from.
func (a *app) transcriptOf(cmd *cobra.Command, g *eval.Gold, from string) (f ingest.Found, p *payload.Payload, err error) {
	if from == "" {
		l, err := a.library(cmd)
		if err != nil {
			return f, nil, withHint(err, "name the folder of the transcripts with --from")
		}
		e, err := a.session(l, g.Session)
		if err != nil {
			return f, nil, withHint(err, "name the folder of its transcript with --from")
		}
		if f, err = l.Found(e.ID); err != nil {
			return f, nil, err
		}
		p, err = a.payload(l, e)
		return f, p, err
	}
	if _, err := a.config(cmd); err != nil {
		return f, nil, err
	}
	if stated := filepath.FromSlash(g.Transcript); filepath.IsLocal(stated) {
		if info, err := os.Stat(filepath.Join(from, stated)); err == nil && !info.IsDir() {
			from = filepath.Join(from, stated)
		}
	}
	f, reader, err := findBelow(cmd.Context(), from, ingest.SessionID(g.Session))
	if err != nil {
		return f, nil, err
	}
	p, err = distilled(cmd.Context(), reader, f)
	return f, p, err
}
