package terminal

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/sahilm/fuzzy"
)

// List is a full-screen list to pick from: it filters as the person types and previews the row under the cursor.
type List struct {
	Rows    []Row
	Keys    []Choice                            // keys that end it
	Preview func(row, width int) (lines string) // called once for each row and width
	St      Style
}

// Choice is a key by its Bubble Tea name ("enter", "ctrl+o"), and what it does.
type Choice struct{ Key, Does string }

// Row is a line to pick from. Tab cycles through the groups.
type Row struct{ Text, Group string }

// Pick shows the list until one of its keys, or Esc or Ctrl-C, which return key "".
func (l List) Pick(ctx context.Context, in io.Reader, out io.Writer) (row int, key string, err error) {
	m := &picking{List: l, seen: map[[2]int]string{}}
	m.filter()
	_, err = tea.NewProgram(m, tea.WithContext(ctx), tea.WithInput(in), tea.WithOutput(Own(out))).Run()
	if err != nil || m.key == "" {
		return 0, "", err
	}
	return m.found[m.at], m.key, nil
}

// picking is the Bubble Tea model of a List.
type picking struct {
	List
	typed         string
	group         string // "" for all
	found         []int  // matching rows, best first
	at            int    // the cursor, an index of found
	top           int    // the first visible index of found
	key           string // that ended it
	width, height int
	seen          map[[2]int]string // previews by row and width
}

func (m *picking) Init() tea.Cmd { return nil }

func (m *picking) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case tea.PasteMsg:
		m.typed += strings.Join(strings.Fields(msg.Content), " ")
		m.filter()
	case tea.KeyPressMsg:
		return m, m.pressed(msg)
	}
	return m, nil
}

func (m *picking) pressed(msg tea.KeyPressMsg) tea.Cmd {
	key := msg.String()
	switch ends := slices.ContainsFunc(m.Keys, func(c Choice) bool { return c.Key == key }); {
	case key == "esc" || key == "ctrl+c":
		return tea.Quit
	case ends && len(m.found) > 0:
		m.key = key
		return tea.Quit
	case key == "up" || key == "ctrl+p":
		m.at--
	case key == "down" || key == "ctrl+n":
		m.at++
	case key == "pgup":
		m.at -= m.listed()
	case key == "pgdown":
		m.at += m.listed()
	case key == "tab":
		groups := m.groups()
		m.group = groups[(slices.Index(groups, m.group)+1)%len(groups)]
		m.filter()
	case key == "backspace" && m.typed != "":
		letters := []rune(m.typed)
		m.typed = string(letters[:len(letters)-1])
		m.filter()
	case key == "ctrl+u":
		m.typed = ""
		m.filter()
	case msg.Text != "":
		m.typed += msg.Text
		m.filter()
	}
	m.at = max(0, min(m.at, len(m.found)-1))
	return nil
}

// groups returns "" (all rows) and the rows' groups in order of appearance.
func (m *picking) groups() []string {
	all := []string{""}
	for _, r := range m.Rows {
		if !slices.Contains(all, r.Group) {
			all = append(all, r.Group)
		}
	}
	return all
}

// whole is the bonus of a row that contains a word exactly as typed: more than fuzzy gives for scattered letters.
const whole = 1000

// filter finds the rows that fuzzily match every typed word.
func (m *picking) filter() {
	m.at, m.top, m.found = 0, 0, nil
	for i, r := range m.Rows {
		if m.group == "" || r.Group == m.group {
			m.found = append(m.found, i)
		}
	}
	scores := map[int]int{}
	for _, word := range strings.Fields(m.typed) {
		var left []int
		for _, hit := range fuzzy.FindFrom(word, rowsOf{m.Rows, m.found}) {
			row := m.found[hit.Index]
			left = append(left, row)
			scores[row] += hit.Score
			if strings.Contains(strings.ToLower(hit.Str), strings.ToLower(word)) {
				scores[row] += whole
			}
		}
		m.found = left
	}
	slices.SortFunc(m.found, func(a, b int) int { return cmp.Or(scores[b]-scores[a], a-b) })
}

// rowsOf is a subset of the rows, as a fuzzy.Source.
type rowsOf struct {
	rows []Row
	some []int
}

func (r rowsOf) String(i int) string { return r.rows[r.some[i]].Text }
func (r rowsOf) Len() int            { return len(r.some) }

// listed returns how many rows the screen has room for: the preview takes half of it.
func (m *picking) listed() int { return max(1, (m.height-4)/2) }

func (m *picking) View() tea.View {
	var b strings.Builder
	fmt.Fprintf(&b, "%s> %s%s%s▏%s  %d of %d %s%s\n", m.St.Green, m.St.Reset, Line(m.typed), m.St.Green, m.St.Dim,
		len(m.found), len(m.Rows), m.group, m.St.Reset)
	rows := m.listed()
	m.top = max(min(m.top, m.at), m.at-rows+1)
	for i := m.top; i < m.top+rows; i++ {
		switch {
		case i >= len(m.found):
			fmt.Fprintln(&b)
		case i == m.at:
			fmt.Fprintf(&b, "%s▸ %s%s\n", m.St.Bold, Clip(m.Rows[m.found[i]].Text, m.width-3), m.St.Reset)
		default:
			fmt.Fprintf(&b, "  %s\n", Clip(m.Rows[m.found[i]].Text, m.width-3))
		}
	}
	fmt.Fprintf(&b, "%s%s%s\n", m.St.Dim, strings.Repeat("─", max(0, m.width)), m.St.Reset)
	lines := strings.Split(m.preview(), "\n")
	room := max(0, m.height-rows-3)
	for i := range room {
		if i < len(lines) {
			b.WriteString(lines[i])
		}
		b.WriteByte('\n')
	}
	b.WriteString(m.St.Dim + Clip(m.help(), m.width-1) + m.St.Reset)
	v := tea.NewView(b.String())
	v.AltScreen = true
	return v
}

// help returns the line that names the keys.
func (m *picking) help() string {
	var parts []string
	for _, c := range m.Keys {
		parts = append(parts, c.Key+" "+c.Does)
	}
	if len(m.groups()) > 2 {
		parts = append(parts, "tab next kind")
	}
	return strings.Join(append(parts, "esc leave"), " · ")
}

// preview returns the preview of the row under the cursor.
func (m *picking) preview() string {
	if len(m.found) == 0 || m.width == 0 {
		return ""
	}
	at := [2]int{m.found[m.at], m.width}
	text, ok := m.seen[at]
	if !ok {
		text = m.Preview(at[0], at[1])
		m.seen[at] = text
	}
	return text
}
