// Package option holds what commands share on the command line: help pages, flags that check their values when parsed,
// completion, and readable errors about arguments.
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
	"recall/cmd/recall/config"
	"recall/cmd/recall/terminal"
	"recall/internal/hint"
	txt "recall/internal/text"
	"recall/payload"
)

// checked is a pflag.Value that checks its value while the command line is parsed: before a library is opened or
// anything is synced.
type checked struct {
	text string // as given
	kind string // as shown in the help
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

// Day is a day given as a flag, and the time when it begins or ends; zero if none was given.
type Day struct {
	Text string
	At   time.Time
}

// day reads a Day with answer.ParseWhen or answer.ParseDay.
func day(into *Day, parse func(string, time.Time) (time.Time, error)) *checked {
	return &checked{kind: "string", read: func(text string) (err error) {
		*into = Day{Text: text}
		if text != "" {
			into.At, err = parse(text, time.Now())
		}
		return err
	}}
}

// number reads a number, 0 or more.
func number(into *int, preset string) *checked {
	*into, _ = strconv.Atoi(preset)
	return &checked{preset, "int", func(text string) error {
		n, err := strconv.ParseUint(text, 10, 31)
		*into = int(n)
		return err
	}}
}

// title reads a non-empty line.
func title(into *string) *checked {
	return &checked{kind: "string", read: func(text string) error {
		if *into = strings.TrimSpace(terminal.Line(text)); *into == "" {
			return hint.With(errors.New("the title is empty"), "omit it to keep the present one")
		}
		return nil
	}}
}

// tags reads a tag and adds it to those given before.
func tags(into *[]string) *checked {
	return &checked{kind: "string", read: func(text string) error {
		tag := payload.Tag(text)
		if tag == "" {
			return hint.With(fmt.Errorf("%q is not a tag", text), "a tag is one word of letters, digits, -, _, . and /")
		}
		*into = append(*into, tag)
		return nil
	}}
}

// word reads one of a few words; preset is the default.
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

// kinds reads item kinds, separated by commas or given one by one.
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
	return hint.With(fmt.Errorf("there is no %q", text), "use one of %s", strings.Join(words, ", "))
}

// pages holds the help page of each command: that of recall hooks status is hooks-status.txt. A page begins with the
// usage line and a short description, followed by lines such as its group in recall help all, "hidden" for commands
// meant for scripts and other programs, and "paged" if its output can be long. After a blank line comes the long
// description, after "Flags:" the flags and after "Examples:" the examples. A flag is one line, continued by lines
// indented more:
//
//	-n, --limit NUMBER=40 @query.limit  most answers
//
// After its name come the type of its value, if it takes one, a default, and the configuration key that it sets. Types
// are TEXT, TITLE (not empty), NUMBER (0 or more), LIST of texts, TAGS, FOLDER, FOLDERS, SINCE (the start of a day),
// DAY (its end), KINDS of items, or one of the words a|b|c. A line "apart: quick repair" names flags that exclude one
// another.
//
//go:embed help/*.txt
var pages embed.FS

// Paged annotates a command whose output can be long and that asks nothing while it runs.
var Paged = map[string]string{"paged": "yes"}

// Command makes a command from its page. The value of a flag goes into the field of the struct into with the same
// name: --dry-run sets DryRun.
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
	var field any // nil: not read from a field
	if into != nil {
		f := reflect.ValueOf(into).Elem().FieldByNameFunc(func(field string) bool {
			return strings.EqualFold(field, strings.ReplaceAll(name, "-", ""))
		})
		if f.IsValid() {
			field = f.Addr().Interface()
		}
	}
	if field == nil && key == "" && name != "json" { // which Result reads
		panic(cmd.Name() + ": no field for --" + name)
	}
	flags := cmd.Flags()
	var words []string // the accepted values
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

// place returns the field, or a new variable if it is nil.
func place[T any](field any) *T {
	if field == nil {
		return new(T)
	}
	return field.(*T)
}
