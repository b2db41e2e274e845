// Package option is what commands have in common on the command line: flags whose values are checked as they are read,
// completions, and complaints about arguments in the words of a person.
package option

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"recall/cmd/recall/terminal"
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
