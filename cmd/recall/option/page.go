// Package option is what commands have in common on the command line: flags whose values are checked as they are read,
// completions, and complaints about arguments in the words of a person.
package option

import (
	"embed"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"recall/answer"
	"recall/cmd/recall/terminal"
	"recall/config"
	"recall/hint"
	"recall/payload"
	txt "recall/text"
)

// checked is a flag whose value is checked as the command line is read: a word that means nothing is told before a
// library is opened or anything is taken in. It is a pflag.Value.
type checked struct {
	text string // as it was given
	kind string // as the help shows it
	read func(text string) error
}

func (c *checked) String() string { return c.text }
func (c *checked) Type() string   { return c.kind }

func (c *checked) Set(text string) error {
	err := c.read(text)
	if err == nil {
		c.text = text
	}
	return err
}

// Day is a day that was given, and where it begins or ends; the zero time where none was.
type Day struct {
	Text string
	At   time.Time
}

// day reads a Day by answer.ParseWhen or answer.ParseDay.
func day(into *Day, parse func(string, time.Time) (time.Time, error)) *checked {
	return &checked{kind: "string", read: func(text string) (err error) {
		*into = Day{Text: text}
		if text != "" {
			into.At, err = parse(text, time.Now())
		}
		return err
	}}
}

// number reads a number from 0 up.
func number(into *int, preset string) *checked {
	*into, _ = strconv.Atoi(preset)
	return &checked{preset, "int", func(text string) error {
		n, err := strconv.ParseUint(text, 10, 31)
		*into = int(n)
		return err
	}}
}

// title reads a line that says something.
func title(into *string) *checked {
	return &checked{kind: "string", read: func(text string) error {
		if *into = strings.TrimSpace(terminal.Line(text)); *into == "" {
			return hint.With(errors.New("a title has words"), "omit it to keep the one there is")
		}
		return nil
	}}
}

// tags reads a tag, and adds it to those given before.
func tags(into *[]string) *checked {
	return &checked{kind: "string", read: func(text string) error {
		tag := payload.Tag(text)
		if tag == "" {
			return hint.With(fmt.Errorf("%q is no tag", text), "a tag is one word of letters, digits, -, _, . and /")
		}
		*into = append(*into, tag)
		return nil
	}}
}

// word reads one of a few words, or what it is where none is given.
func word(into *string, preset string, words []string) *checked {
	*into = preset
	return &checked{preset, "string", func(text string) error {
		if text != preset && !slices.Contains(words, text) {
			return noSuchWord(text, words)
		}
		*into = text
		return nil
	}}
}

// kinds reads kinds of items, parted by commas or given one by one.
func kinds(into *[]payload.Kind) *checked {
	return &checked{kind: "strings", read: func(text string) error {
		for name := range strings.SplitSeq(text, ",") {
			kind := payload.Kind(strings.ToLower(strings.TrimSpace(name)))
			switch {
			case slices.Contains(payload.Kinds, kind):
				*into = append(*into, kind)
			case text != "":
				return noSuchWord(name, txt.Strings(payload.Kinds))
			}
		}
		return nil
	}}
}

func noSuchWord(text string, words []string) error {
	return hint.With(fmt.Errorf("there is no %q", text), "it is one of %s", strings.Join(words, ", "))
}

// pages are the commands as people see them, a file a command: recall eval judge's is eval-judge.txt. It begins
// with the line of usage and what it does in short; then its group in recall help all, or "hidden" of one that
// is for scripts and other programs, and "paged" where its output may be long. Below a blank line stands more
// of it, below "Flags:" its flags and below "Examples:" its examples. A flag is a line, and those behind it
// that begin with more blanks:
//
//	-n, --limit NUMBER=40 @query.limit  most answers
//
// Behind its name stands what it takes, nothing for a switch; a default; and the key of the configuration that it
// sets. What it takes is TEXT, a TITLE with words in it, a NUMBER from 0 up, a LIST of texts, TAGS of sessions, a
// FOLDER or FOLDERS, SINCE a day's beginning, a DAY's end, KINDS of items, or one of the words a|b|c. A line
// "apart: quick repair" names flags that exclude one another.
//
//go:embed help/*.txt
var pages embed.FS

// Paged are the annotations of a command whose output may be long, and that asks nothing in between.
var Paged = map[string]string{"paged": "yes"}

// Command makes a command of its page. What is given for a flag goes into the field of into's struct that has its name:
// --dry-run's is DryRun.
func Command(name string, into any, run func(cmd *cobra.Command, args []string) error) *cobra.Command {
	text, err := pages.ReadFile("help/" + name + ".txt")
	if err != nil {
		panic(err) // a command without a page
	}
	head, rest, _ := strings.Cut(string(text), "\n\n")
	rest, examples, _ := strings.Cut("\n"+rest, "\nExamples:\n")
	long, flags, _ := strings.Cut(rest, "\nFlags:\n")
	lines := strings.Split(strings.TrimSpace(head), "\n")
	cmd := &cobra.Command{Use: lines[0], Short: lines[1], Long: strings.TrimSpace(long),
		Example: strings.TrimRight(examples, "\n"), RunE: run}
	for _, line := range lines[2:] {
		switch what, words, _ := strings.Cut(line, ": "); what {
		case "also":
			cmd.Aliases = strings.Fields(words)
		case "meant by":
			cmd.SuggestFor = strings.Fields(words)
		case "group":
			cmd.GroupID = words
		case "paged":
			cmd.Annotations = Paged
		case "hidden":
			cmd.Hidden = true
		}
	}
	for line := range strings.Lines(strings.ReplaceAll(flags, "\n      ", " ")) {
		if names, ok := strings.CutPrefix(line, "  apart: "); ok {
			cmd.MarkFlagsMutuallyExclusive(strings.Fields(names)...)
		} else {
			addFlag(cmd, strings.TrimSpace(line), into)
		}
	}
	return cmd
}

func addFlag(cmd *cobra.Command, line string, into any) {
	spec, about, _ := strings.Cut(line, "  ")
	name, short, takes, preset, key := "", "", "", "", ""
	for _, word := range strings.Fields(spec) {
		switch {
		case strings.HasPrefix(word, "--"):
			name = word[2:]
		case strings.HasPrefix(word, "-"):
			short = word[1:2]
		case strings.HasPrefix(word, "@"):
			key = word[1:]
		default:
			takes, preset, _ = strings.Cut(word, "=")
		}
	}
	var field any // nil: it is read otherwise
	if into != nil {
		f := reflect.ValueOf(into).Elem().FieldByNameFunc(func(field string) bool {
			return strings.EqualFold(field, strings.ReplaceAll(name, "-", ""))
		})
		if f.IsValid() {
			field = f.Addr().Interface()
		}
	}
	if field == nil && key == "" && name != "json" { // Result reads that one
		panic(cmd.Name() + ": no field for --" + name)
	}
	flags := cmd.Flags()
	var words []string // that it takes
	switch takes {
	case "":
		flags.BoolVarP(place[bool](field), name, short, false, about)
	case "TEXT", "FOLDER":
		flags.StringVarP(place[string](field), name, short, preset, about)
	case "NUMBER":
		flags.VarP(number(place[int](field), preset), name, short, about)
	case "TITLE":
		flags.Var(title(place[string](field)), name, about)
	case "TAGS":
		flags.Var(tags(place[[]string](field)), name, about)
	case "LIST", "FOLDERS":
		flags.StringArrayVarP(place[[]string](field), name, short, nil, about)
	case "SINCE":
		flags.Var(day(place[Day](field), answer.ParseWhen), name, about)
	case "DAY":
		flags.Var(day(place[Day](field), answer.ParseDay), name, about)
	case "KINDS":
		words = txt.Strings(payload.Kinds)
		flags.VarP(kinds(place[[]payload.Kind](field)), name, short, about)
	default:
		words = strings.Split(takes, "|")
		flags.Var(word(place[string](field), preset, words), name, about)
	}
	if words != nil {
		cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
	}
	if strings.HasPrefix(takes, "FOLDER") {
		cmd.MarkFlagDirname(name)
	}
	if key != "" {
		config.SetsKey(flags, name, key)
	}
}

// place is a field, or a place of its own.
func place[T any](field any) *T {
	if field == nil {
		return new(T)
	}
	return field.(*T)
}
