package redact_test

import (
	_ "embed"
	"strings"
	"testing"

	"recall/internal/redact/plantedtest"
)

var (
	// heldOut are kinds that no rule was made with.
	//go:embed plantedtest/heldout.txt
	heldOut string

	// grid are credentials by name, each in every way in which they are written down;
	// rules were mended after they were measured with it.
	//go:embed plantedtest/grid.txt
	grid string

	// contact are kinds that rules were mended after, each after it was first measured.
	//go:embed plantedtest/contact.txt
	contact string

	// services are keys of services, by names and shapes that others know them by. No
	// rule was made with them or mended after they were measured.
	//go:embed plantedtest/services.txt
	services string
)

// crossed makes a kind of each name in each way of a list.
func crossed(t *testing.T, class, list string) []plantedtest.Kind {
	var names, ways [][2]string
	into := &names
	for line := range strings.Lines(list) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || line[0] == '#' || line == "[names]" {
			continue
		}
		if line == "[ways]" {
			into = &ways
			continue
		}
		key, text, ok := strings.Cut(line, "\t")
		if !ok {
			t.Fatalf("%q is neither a name nor a way", line)
		}
		*into = append(*into, [2]string{key, text})
	}
	var b strings.Builder
	for _, way := range ways {
		for _, name := range names {
			text := strings.NewReplacer(append(written(name[0]), "{value}", name[1])...).Replace(way[1])
			b.WriteString(class + "/" + way[0] + "/" + strings.ReplaceAll(name[0], " ", "-") + "\t" + text + "\n")
		}
	}
	return plantedtest.Parse(b.String())
}

// written pairs the fields of a way with a name as it is written there.
func written(name string) []string {
	words := strings.Fields(name)
	titles := make([]string, len(words))
	for i, w := range words {
		titles[i] = strings.ToUpper(w[:1]) + w[1:]
	}
	pascal, rest := strings.Join(titles, ""), strings.Join(words[1:], "_")
	return []string{
		"{UPPER}", strings.ToUpper(strings.Join(words, "_")), "{snake}", strings.Join(words, "_"),
		"{kebab}", strings.Join(words, "-"), "{Kebab}", strings.Join(titles, "-"),
		"{camel}", words[0] + strings.Join(titles[1:], ""), "{Pascal}", pascal,
		"{words}", name, "{Words}", titles[0] + name[len(words[0]):],
		"{first}", words[0], "{First}", titles[0], "{rest}", rest, "{Rest}", strings.Join(titles[1:], ""),
	}
}
