package redact

import (
	"slices"
	"strings"

	"recall/internal/text"
)

// A table's head names what is below it: in Markdown, CSV and TSV, and in the output of databases and other programs,
// with a bar, tab, comma, semicolon or blanks between columns.

const (
	tableRows  = 100 // examined below a head
	tableWidth = 600 // bytes of a row
)

// column masks the secrets below text[from:end] if that is the head of a column.
func (s *scan) column(n secretName, from, end int) {
	begin := strings.LastIndexByte(s.text[max(0, from-tableWidth):from], '\n') + 1 + max(0, from-tableWidth)
	head, rest, ok := strings.Cut(s.text[begin:min(len(s.text), begin+tableWidth)], "\n")
	if !ok || rest == "" || begin > 0 && s.text[begin-1] != '\n' {
		return
	}
	if strings.ContainsAny(head, "(){}[]=<>\\$:") || strings.Contains(head, "→") {
		return // code
	}
	by := separator(head)
	if by == "" {
		return
	}
	heads := cells(head, by)
	at := slices.IndexFunc(heads, func(c cell) bool { return c.from <= from-begin && end-begin <= c.to })
	if at < 0 || !headCells(head, heads) {
		return
	}
	for row, line := begin+len(head)+1, 0; row < len(s.text) && line < tableRows; line++ {
		text, _, _ := strings.Cut(s.text[row:min(len(s.text), row+tableWidth)], "\n")
		if strings.Trim(text, "-+=:|─│┼├┤ \t\r") != "" {
			c, ok := cellBelow(text, by, at, heads)
			if !ok {
				return
			}
			if user := cellUser().FindString(text[c.from:c.to]); user != "" {
				c.from += len(user)
			}
			if cell := text[c.from:c.to]; len(cell) < 6 || strings.ContainsAny(cell, " \t()<>") {
				row += len(text) + 1
				continue
			}
			v := value{from: row + c.from, to: row + c.to, text: text[c.from:c.to], op: "head", strength: n.strength,
				kind: n.kind}
			v.tell(spaced, by == "  ")
			s.addIfSecret(v)
		}
		row += len(text) + 1
	}
}

// cell is the place of a cell's text in its row, without blanks and quotes.
type cell struct{ from, to int }

// separator returns the column separator of a head, "" if there is none.
func separator(head string) string {
	for _, by := range [...]string{"|", "│", "\t", ",", ";", "  "} {
		if strings.Contains(strings.TrimSpace(head), by) {
			return by
		}
	}
	return ""
}

func cells(row, by string) (all []cell) {
	at := 0
	for text := range strings.SplitSeq(row, by) {
		if c := trimCell(row, at, at+len(text)); by != "  " || c.from < c.to {
			all = append(all, c)
		}
		at += len(text) + len(by)
	}
	return all
}

func trimCell(row string, from, to int) cell {
	const around = " \t\r\"'`*"
	text := strings.TrimLeft(row[from:to], around)
	return cell{to - len(text), to - len(text) + len(strings.TrimRight(text, around))}
}

// headCells reports whether cells look like a head: two or more, each a few words.
func headCells(row string, all []cell) bool {
	n := 0
	for _, c := range all {
		text := row[c.from:c.to]
		if strings.Count(text, " ") > 3 {
			return false
		}
		if text != "" {
			n++
		}
	}
	return n >= 2
}

// cellBelow returns a row's cell below head number at; not ok at the end of the table.
func cellBelow(row, by string, at int, heads []cell) (c cell, ok bool) {
	if by == "  " { // columns are aligned
		from := heads[at].from
		if strings.TrimSpace(row) == "" || len(row) <= from {
			return cell{}, strings.TrimSpace(row) != ""
		}
		if from > 0 && row[from-1] != ' ' {
			return cell{from, from}, true
		}
		to := from
		for to < len(row) && !is(row[to], blank) {
			to++
		}
		return trimCell(row, from, to), true
	}
	all := cells(row, by)
	if len(all) != len(heads) {
		return cell{}, false
	}
	return all[at], true
}

// cellUser matches a user's name before the password in one cell.
var cellUser = text.Pattern(`\A[\w.@-]{2,40}(?: ?/ ?| : )`)
