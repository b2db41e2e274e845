package synthtest

import (
	"fmt"
	"strconv"
	"strings"
)

// poolLines is how much code a session's project has: the same files are read
// again and again in a session.
const poolLines = 3000

// code returns n lines of source, fewer than poolLines. It needn't compile; it
// is as repetitive as code is.
func (g *session) code(n int) []string {
	if len(g.pool) < poolLines {
		from := len(g.pool)
		for len(g.pool) < from+n {
			g.pool = append(g.pool, g.function()...)
		}
		return g.pool[from : from+n]
	}
	from := g.IntN(len(g.pool) - n)
	return g.pool[from : from+n]
}

// fresh returns n functions that were in no file before.
func (t talk) fresh(n int) (lines []string) {
	for range n {
		lines = append(lines, t.function()...)
	}
	return lines
}

func (t talk) function() []string {
	name, thing := t.p.identifier(t.source), t.one(t.p.things)
	other := t.p.identifier(t.source)
	k := strconv.Itoa(t.IntN(900))
	switch t.p.lang {
	case "py":
		return []string{"def " + name + "(self, " + thing + ", limit=" + k + "):", `    """` + capital(t.word()) +
			" of the " + t.word() + `."""`,
			"    rows = self." + other + "(" + thing + ")", "    if not rows:", "        return None",
			"    for row in rows[:limit]:",
			"        self.log.debug(\"" + thing + " %s\", row." + t.one(t.p.things) + ")", "    return rows", "", ""}
	case "rs":
		return []string{"/// The " + t.word() + " of a " + thing + ".", "pub fn " + name + "(&mut self, " + thing +
			": &Fragment) -> Result<usize> {",
			"    let width = self." + other + "(" + thing + ".span, " + k + ")?;", "    if width > self.limit {",
			"        return Err(Error::Overfull { width });", "    }",
			"    self." + t.one(t.p.parts) + ".push(width);", "    Ok(width)", "}", ""}
	case "ts":
		return []string{"export function " + name + "(" + thing + ": Block, limit = " + k + "): Patch | null {",
			"  const rows = " + other + "(" + thing + ".id);",
			"  if (rows.length === 0) return null; // no " + t.word(), "  for (const row of rows.slice(0, limit)) {", "    " +
				t.one(t.p.parts) + ".apply(row);", "  }",
			"  return { " + thing + ", rows };", "}", ""}
	}
	return []string{"// " + name + " takes the " + t.word() + " of a " + thing + ".", "func (s *Store) " + name +
		"(ctx context.Context, " + thing + " Reading) (int, error) {",
		"\trows, err := s." + other + "(ctx, " + thing + ".ID, " + k + ")", "\tif err != nil {",
		"\t\treturn 0, fmt.Errorf(\"" + thing + " %s: %w\", " + thing + ".ID, err)", "\t}",
		"\tfor _, row := range rows {", "\t\ts." + t.one(t.p.parts) + ".Add(row." + capital(t.one(t.p.things)) + ")", "\t}",
		"\treturn len(rows), nil", "}", ""}
}

// numbered puts line numbers before lines, as the Read tool shows them.
func numbered(lines []string, from int) string {
	var b strings.Builder
	for i, l := range lines {
		b.WriteString(strconv.Itoa(from + i))
		b.WriteByte('\t')
		b.WriteString(l)
		b.WriteByte('\n')
	}
	return b.String()
}

// testRun makes up what a test command prints.
func (t talk) testRun(fails bool) string {
	var b strings.Builder
	for range 4 + t.IntN(8) {
		fmt.Fprintf(&b, "=== RUN   Test%s\n--- PASS: Test%[1]s (0.%02ds)\n",
			capital(t.one(t.p.parts))+capital(t.one(t.p.things)), t.IntN(99))
	}
	if fails {
		file := t.p.file(t.source)
		fmt.Fprintf(&b, "--- FAIL: Test%s (0.%02ds)\n    %s:%d: %s: got %d, want %d\nFAIL\n", capital(t.one(t.p.things)),
			t.IntN(99), file, 20+t.IntN(300), t.p.identifier(t.source), t.IntN(50), t.IntN(50))
		return b.String()
	}
	fmt.Fprintf(&b, "PASS\nok  \t%s/internal/%s\t%d.%03ds\n", t.p.name, t.one(t.p.parts), t.IntN(9), t.IntN(999))
	return b.String()
}

// grep makes up lines of a search.
func (t talk) grep(n int) string {
	var b strings.Builder
	for range n {
		fmt.Fprintf(&b, "%s:%d:%s\n", t.p.file(t.source), 1+t.IntN(600), t.function()[1])
	}
	return b.String()
}
