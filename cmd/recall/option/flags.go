package option

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"recall/answer"
	"recall/cmd/recall/config"
	"recall/cmd/recall/terminal"
	"recall/internal/hint"
	txt "recall/internal/text"
	"recall/payload"
)

// Flags declares a command's flags. Values are checked while the command line is parsed: before a library is opened or
// anything is synced.
type Flags struct {
	*pflag.FlagSet
	cmd *cobra.Command
}

// FlagsOf declares flags of a command that isn't one of recall's.
func FlagsOf(cmd *cobra.Command) *Flags { return &Flags{cmd.Flags(), cmd} }

// checked is a pflag.Value that checks its value.
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

// Sets makes a flag set a configuration key when it is given: see config.SetsKey.
func (f *Flags) Sets(name, key string) { config.SetsKey(f.FlagSet, name, key) }

// NoSync declares the flag for a command that takes in nothing new.
func (f *Flags) NoSync() {
	f.BoolVar(new(bool), "no-sync", false, "use only what is already indexed")
	f.Sets("no-sync", "!query.sync")
}

// Apart names flags that exclude one another.
func (f *Flags) Apart(names ...string) { f.cmd.MarkFlagsMutuallyExclusive(names...) }

// Day is a day given as a flag, and the time when it begins or ends; zero if none was given.
type Day struct {
	Text string
	At   time.Time
}

// Since declares a flag for the start of a day, and Day for its end.
func (f *Flags) Since(into *Day, name, usage string) { f.day(into, name, usage, answer.ParseWhen) }
func (f *Flags) Day(into *Day, name, usage string)   { f.day(into, name, usage, answer.ParseDay) }

func (f *Flags) day(into *Day, name, usage string, parse func(string, time.Time) (time.Time, error)) {
	f.Var(&checked{kind: "string", read: func(text string) (err error) {
		*into = Day{Text: text}
		if text != "" {
			into.At, err = parse(text, time.Now())
		}
		return err
	}}, name, usage)
}

// Number declares a flag for a number, 0 or more.
func (f *Flags) Number(into *int, name, short string, preset int, usage string) {
	*into = preset
	text := ""
	if preset > 0 {
		text = strconv.Itoa(preset)
	}
	f.VarP(&checked{text, "int", func(text string) error {
		n, err := strconv.ParseUint(text, 10, 31)
		if err != nil {
			return fmt.Errorf("%q isn't a whole number, 0 or more", text)
		}
		*into = int(n)
		return nil
	}}, name, short, usage)
}

// Title declares a flag for a line that isn't empty.
func (f *Flags) Title(into *string, name, usage string) {
	f.Var(&checked{kind: "string", read: func(text string) error {
		if *into = strings.TrimSpace(terminal.Line(text)); *into == "" {
			return hint.With(errors.New("the title is empty"), "omit it to keep the present one")
		}
		return nil
	}}, name, usage)
}

// Tags declares a flag for a tag, which can be given several times.
func (f *Flags) Tags(into *[]string, name, usage string) {
	f.Var(&checked{kind: "string", read: func(text string) error {
		tag := payload.Tag(text)
		if tag == "" {
			return hint.With(fmt.Errorf("%q is not a tag", text), "a tag is one word of letters, digits, -, _, . and /")
		}
		*into = append(*into, tag)
		return nil
	}}, name, usage)
}

// OneOf declares a flag for one of a few words.
func (f *Flags) OneOf(into *string, name, preset, usage string, words ...string) {
	*into = preset
	f.Var(&checked{preset, "string", func(text string) error {
		if text != preset && !slices.Contains(words, text) {
			return noSuchWord(text, words)
		}
		*into = text
		return nil
	}}, name, usage)
	f.complete(name, words)
}

// Kinds declares a flag for item kinds, separated by commas or given one by one.
func (f *Flags) Kinds(into *[]payload.Kind, name, short, usage string) {
	words := txt.Strings(payload.Kinds)
	f.VarP(&checked{kind: "strings", read: func(text string) error {
		for kind := range strings.SplitSeq(text, ",") {
			kind := payload.Kind(strings.ToLower(strings.TrimSpace(kind)))
			switch {
			case slices.Contains(payload.Kinds, kind):
				*into = append(*into, kind)
			case text != "":
				return noSuchWord(string(kind), words)
			}
		}
		return nil
	}}, name, short, usage)
	f.complete(name, words)
}

func (f *Flags) complete(name string, words []string) {
	f.cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}

func noSuchWord(text string, words []string) error {
	return hint.With(fmt.Errorf("there is no %q", text), "use one of %s", strings.Join(words, ", "))
}
