// Package option is what commands have in common on the command line: flags whose values are checked as they are read,
// completions, and complaints about arguments in the words of a person.
package option

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"recall/cmd/recall/terminal"
	"recall/hint"
	"recall/payload"
)

// Flags whose values are checked as the command line is read: a word that means
// nothing is told before a library is opened or anything is taken in.

// Day is a day, as parse reads it; the zero time where none was given.
type Day struct {
	Text  string
	At    time.Time
	parse func(string, time.Time, *time.Location) (time.Time, error) // terminal.ParseWhen, terminal.ParseDay
}

func (d *Day) String() string { return d.Text }
func (d *Day) Type() string   { return "string" } // as the help shows it

func (d *Day) Set(text string) error {
	at := time.Time{}
	if text != "" {
		var err error
		if at, err = d.parse(text, time.Now(), time.Local); err != nil {
			return err
		}
	}
	d.Text, d.At = text, at
	return nil
}

// since adds a flag that takes the beginning of a day.
func (d *Day) since(flags *pflag.FlagSet, name, about string) {
	d.parse = terminal.ParseWhen
	flags.Var(d, name, about)
}

// asOf adds a flag that takes the end of a day.
func (d *Day) asOf(flags *pflag.FlagSet, name, about string) {
	d.parse = terminal.ParseDay
	flags.Var(d, name, about)
}

// wordFlag is one of a few words, or what it is where none is given.
type wordFlag struct {
	value  *string
	preset string
	words  []string
}

func (w *wordFlag) String() string { return *w.value }
func (w *wordFlag) Type() string   { return "string" }

func (w *wordFlag) Set(text string) error {
	if text != w.preset && !slices.Contains(w.words, text) {
		return noSuchWord(text, w.words)
	}
	*w.value = text
	return nil
}

// wordVar adds a flag that takes one of a few words, and its completion.
func wordVar(cmd *cobra.Command, value *string, name, preset, about string, words ...string) {
	*value = preset
	cmd.Flags().Var(&wordFlag{value, preset, words}, name, about)
	cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}

// Kinds are kinds of items, parted by commas or given one by one.
type Kinds []payload.Kind

func (k *Kinds) Type() string { return "strings" }

func (k *Kinds) String() string {
	var names []string
	for _, kind := range *k {
		names = append(names, string(kind))
	}
	return strings.Join(names, ",")
}

func (k *Kinds) Set(text string) error {
	for name := range strings.SplitSeq(text, ",") {
		kind := payload.Kind(strings.ToLower(strings.TrimSpace(name)))
		switch {
		case slices.Contains(payload.Kinds, kind):
			*k = append(*k, kind)
		case text != "":
			return noSuchWord(name, kindNames())
		}
	}
	return nil
}

func kindNames() []string {
	var names []string
	for _, k := range payload.Kinds {
		names = append(names, string(k))
	}
	return names
}

func noSuchWord(text string, words []string) error {
	return hint.With(fmt.Errorf("there is no %q", text), "it is one of %s", strings.Join(words, ", "))
}
