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

// List is what a person picks from on the whole screen: it is searched as they type, with a preview of the row that
// the cursor is on.
type List struct {
	Rows    []Row
	Keys    []Choice                            // that end it
	Preview func(row, width int) (lines string) // asked once a row and width
	St      Style
}

// Choice is a key as Bubble Tea names it ("enter", "ctrl+o"), and what it does.
type Choice struct{ Key, Does string }

// Row is a line to pick from. Tab shows the rows of one group after the other.
type Row struct{ Text, Group string }

// Pick shows the list until a key of its own, or one that leaves it: Esc and Ctrl-C, which give key "".
func (l List) Pick(ctx context.Context, in io.Reader, out io.Writer) (row int, key string, err error) {
	m := &picking{List: l, seen: map[[2]int]string{}}
	m.filter()
	_, err = tea.NewProgram(m, tea.WithContext(ctx), tea.WithInput(in), tea.WithOutput(Own(out))).Run()
	if err != nil || m.key == "" {
		return 0, "", err
	}
	return m.found[m.at], m.key, nil
}

// picking is a list on the screen: Bubble Tea's model.
type picking struct {
	List
	typed         string
	group         string // "" for all
	found         []int  // rows that match, the best first
	at            int    // the cursor, in found
	top           int    // the first of found that is shown
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

// groups are "" for all, and the rows' own in their order.
func (m *picking) groups() []string {
	all := []string{""}
	for _, r := range m.Rows {
		if !slices.Contains(all, r.Group) {
			all = append(all, r.Group)
		}
	}
	return all
}

// whole is what a row gains that has a word as it was typed: more than fuzzy gives for letters apart.
const whole = 1000

// filter finds the rows that have every word that was typed, letters left out between.
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

// rowsOf is some of the rows, to be searched.
type rowsOf struct {
	rows []Row
	some []int
}

func (r rowsOf) String(i int) string { return r.rows[r.some[i]].Text }
func (r rowsOf) Len() int            { return len(r.some) }

// listed is how many rows the screen has room for: half of it is the preview's.
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

// help names the keys.
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

// preview is what is told of the row that the cursor is on.
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
