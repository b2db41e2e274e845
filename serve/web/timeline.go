package web

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"recall/answer"
	"recall/answer/history"
	"recall/internal/text"
	"recall/payload"
)

// timeView is what was decided over time, as a chart and as a table.
type timeView struct {
	filters
	Items []history.Dated // newest first
	More  int             // older ones omitted from the table
	By    string          // what the lanes are if items are counted: "project" or "kind"
	Chart chart
}

// inTable is the number of items in the table below the chart.
const inTable = 100

// mostSessions is the number of sessions up to which each item is drawn; with more, items are counted.
const mostSessions = 250

// drawn lists the kinds on a timeline.
var drawn = []payload.Kind{payload.Decision, payload.Eliminated, payload.Finding, payload.Deferred, payload.Question}

func (s *Server) timeline(r *http.Request, m *Memory) (any, error) {
	f, err := filter(r, m)
	if err != nil {
		return nil, err
	}
	return kept(&s.kept, m.Stamp, f.Today+" "+r.URL.RequestURI(), func() (timeView, error) { return lineOf(r, m, f) })
}

// lineOf makes the timeline for a page's filters.
func lineOf(r *http.Request, m *Memory, f filters) (v timeView, err error) {
	v.filters = f
	kinds := f.Kinds
	if len(kinds) == 0 {
		kinds = drawn
	}
	sessions, of := lately(f, 0, mostSessions)
	many := of > mostSessions
	if many { // only the table lists single items
		sessions = sessions[:inTable]
	}
	line, err := history.TimelineOf(r.Context(), m.Pipeline, f.catalog, sessions, kinds...)
	if err != nil {
		return v, err
	}
	line = slices.DeleteFunc(line, func(d history.Dated) bool {
		return d.Item.At.IsZero() || d.Item.At.Before(f.since) || !f.asOf.IsZero() && !d.Item.At.Before(f.asOf)
	})
	if !f.asOf.IsZero() { // ignore what superseded an item after that day
		for i := range line {
			if d := &line[i]; d.Until != nil && !d.Until.Before(f.asOf) {
				d.Until, d.By, d.Sure, d.Link = nil, "", false, payload.Link{}
			}
		}
	}
	all := len(line)
	if many {
		v.By = "project"
		if f.Project != "" {
			v.By = "kind"
		}
		if v.Chart, all, err = counted(r, m, f, kinds); err != nil {
			return v, err
		}
	} else {
		v.Chart = chartOf(line, r.URL)
	}
	slices.Reverse(line)
	v.Items, v.More = slices.Clone(line[:min(len(line), inTable)]), max(0, all-inTable)
	v.catalog = nil // don't cache it with the page
	return v, nil
}

// counted draws the number of items per project, or per kind within one, over time, and returns the total.
func counted(r *http.Request, m *Memory, f filters, kinds []payload.Kind) (c chart, all int, err error) {
	from, to := f.since, f.asOf
	for _, e := range f.catalog.Entries {
		if f.Project != "" && !f.catalog.WorkedIn(e, f.Project) {
			continue
		}
		if first := e.Start; !first.IsZero() && from.IsZero() {
			from = first
		}
		if f.asOf.IsZero() && !e.End.Before(to) {
			to = e.End.Add(time.Millisecond)
		}
	}
	if !to.After(from) {
		return c, 0, nil
	}
	const stretches = (chartWidth - column - gutter) / column
	counts, err := m.Pipeline.Index.Count(r.Context(), f.Project, from, to, stretches, kinds...)
	if err != nil {
		return c, 0, err
	}
	of := map[string]int{}
	for _, n := range counts {
		of[n.Of] += n.N
		all += n.N
	}
	names := slices.SortedFunc(maps.Keys(of), func(a, b string) int { return cmp.Or(of[b]-of[a], cmp.Compare(a, b)) })
	if len(names) > mostLanes {
		names = append(names[:mostLanes], "others")
	}
	c = emptyChart(names, from, to)
	cells := map[[2]int]*dot{}
	for _, n := range counts {
		lane := slices.Index(names, n.Of)
		if lane < 0 {
			lane = mostLanes
		}
		one := cells[[2]int{lane, n.In}]
		if one == nil {
			one = &dot{X: c.Left + n.In*column + column/2, Y: c.Lanes[lane].Y, Shape: "several"}
			cells[[2]int{lane, n.In}] = one
		}
		one.N += n.N
	}
	for at, one := range cells {
		begins := func(n int) time.Time { return from.Add(to.Sub(from) * time.Duration(n) / stretches).Local() }
		first, last := begins(at[1]).Format(time.DateOnly), begins(at[1]+1).Format(time.DateOnly)
		one.Href = but(r.URL, "since", first, "asof", last)
		if name := names[at[0]]; f.Project == "" && at[0] < mostLanes {
			one.Href = but(r.URL, "since", first, "asof", last, "project", name)
		}
		one.R = radius(one.N)
		one.Title = fmt.Sprintf("%s, %s, %s to %s", names[at[0]], answer.Count(one.N, "item"), first, last)
		c.Dots = append(c.Dots, *one)
	}
	slices.SortFunc(c.Dots, func(a, b dot) int { return cmp.Or(a.Y-b.Y, a.X-b.X) })
	return c, all, nil
}

// radius is that of a dot for several items: the next one still fits beside it.
func radius(n int) int { return min(column/2, 6+int(math.Log2(float64(n)))) }

// A chart is items drawn by time and topic. Lengths are in units of the drawing, which the browser scales.
type chart struct {
	Width, Height int
	Lanes         []lane
	Dots          []dot
	Elbows        []elbow
	Ticks         []tick
	From, To      int64 // of the axis, Unix seconds
	Left, Right   int   // where the axis begins and ends
}

type lane struct {
	Name string
	Y    int
}

// A dot is one item, or several that fall together.
type dot struct {
	X, Y, R int
	N       int
	Shape   string // see stands
	Href    string
	Title   string
}

// An elbow leads from an item to the one that superseded it.
type elbow struct {
	Path, Title string
	Sure        bool
}

type tick struct {
	X    int
	Name string
}

const (
	chartWidth = 1000
	gutter     = 150 // for the names of lanes
	laneHeight = 40
	column     = 24 // within a column, dots of a lane are stacked
	mostLanes  = 12
	few        = 6 // so few can all share one topic

	mostStacked = 3   // more become one dot with their number
	mostApart   = 300 // with more items, nothing is stacked
	titled      = 80  // characters of a title
)

// became classifies an item on the timeline for its mark, see stands.
func became(d history.Dated) string {
	if d.Until != nil && d.Sure {
		return "past"
	}
	return stands(d.Item)
}

// emptyChart makes a chart with named lanes and an axis for a period of at least an hour.
func emptyChart(names []string, first, last time.Time) chart {
	c := chart{Width: chartWidth, Left: gutter, Right: chartWidth - column, Height: 56 + len(names)*laneHeight}
	for i, name := range names {
		c.Lanes = append(c.Lanes, lane{name, 20 + i*laneHeight + laneHeight/2})
	}
	span := max(last.Sub(first), time.Hour)
	c.From, c.To = first.Unix(), first.Add(span).Unix()
	c.Ticks = ticks(first, span, c.x)
	return c
}

// x returns the position of a time.
func (c *chart) x(t time.Time) int {
	return c.Left + int(float64(c.Right-c.Left)*t.Sub(time.Unix(c.From, 0)).Seconds()/float64(c.To-c.From))
}

func chartOf(line []history.Dated, page *url.URL) chart {
	if len(line) == 0 {
		return emptyChart(nil, time.Time{}, time.Time{})
	}
	names, in := topics(line)
	c := emptyChart(names, line[0].Item.At, line[len(line)-1].Item.At)
	days := func(first, last time.Time) string { // the page of just these days
		const form = time.DateOnly
		return but(page, "since", first.Local().Format(form), "asof", last.Local().Format(form))
	}
	type cell struct{ lane, column int }
	cells := map[cell][]int{}
	for i, d := range line {
		at := cell{in[i], c.x(d.Item.At) / column}
		cells[at] = append(cells[at], i)
	}
	stacked := mostStacked
	if len(line) > mostApart {
		stacked = 1
	}
	place := map[payload.ItemID]dot{}
	for at, items := range cells {
		for k, i := range items {
			d := line[i]
			one := dot{X: at.column*column + column/2, Y: c.Lanes[at.lane].Y, R: 5, N: 1, Shape: became(d),
				Href:  "#" + string(d.Item.ID),
				Title: answer.Day(d.Item.At) + " " + text.Clip(voice.Sentence(d.Item), titled)}
			if i < len(line)-inTable { // not in the table
				one.Href = days(d.Item.At, d.Item.At)
			}
			switch {
			case len(items) <= stacked:
				one.Y += (2*k - len(items) + 1) * (one.R + 1)
			case k == 0:
				one.Href = days(d.Item.At, line[items[len(items)-1]].Item.At)
				one.N, one.Shape = len(items), "several"
				one.R = radius(len(items))
				one.Title = answer.Count(one.N, "item") + ", the first: " + one.Title
			default:
				place[d.Item.ID] = place[line[items[0]].Item.ID]
				continue
			}
			place[d.Item.ID] = one
			c.Dots = append(c.Dots, one)
		}
	}
	slices.SortFunc(c.Dots, func(a, b dot) int { return cmp.Or(a.Y-b.Y, a.X-b.X, cmp.Compare(a.Href, b.Href)) })
	quotes, drawn := map[payload.ItemID]string{}, map[string]bool{}
	for _, d := range line {
		quotes[d.Item.ID] = d.Item.First().Quote
	}
	for _, d := range line {
		from, ok := place[d.Item.ID]
		to, there := place[d.By]
		path := fmt.Sprintf("M%d %dH%dV%d", from.X, from.Y, to.X, to.Y)
		if !ok || !there || from == to || drawn[path] {
			continue
		}
		drawn[path] = true
		title := voice.Past(d.Placed) + d.Became()
		if quote := text.Clip(quotes[d.By], titled); quote != "" {
			title += ": “" + quote + "”"
		}
		c.Elbows = append(c.Elbows, elbow{path, title, d.Sure})
	}
	return c
}

// ticks returns about six labels for an axis.
func ticks(first time.Time, span time.Duration, x func(time.Time) int) (all []tick) {
	for i := range 6 {
		t := first.Add(span * time.Duration(i) / 6).Local()
		name := t.Format("Jan 2006")
		if span < 100*24*time.Hour {
			name = t.Format("2 Jan")
		}
		if len(all) == 0 || all[len(all)-1].Name != name {
			all = append(all, tick{x(t), name})
		}
	}
	return all
}

// topics assigns items to lanes: by what they are about, or else by a shared word, the most widely shared first,
// except words that more than half share. Items that supersede one another stay together.
func topics(line []history.Dated) (names []string, in []int) {
	at := map[payload.ItemID]int{}
	for i, d := range line {
		at[d.Item.ID] = i
	}
	chains := text.NewGroups(len(line))
	for i, d := range line {
		if k, ok := at[d.By]; ok {
			chains.Join(i, k)
		}
	}
	about := make([]map[string]bool, len(line)) // by chain
	for i, d := range line {
		k := chains.Find(i)
		if about[k] == nil {
			about[k] = map[string]bool{}
		}
		for _, word := range slices.Concat(d.Item.About, text.Content(d.Item.Text)) {
			if word = strings.ToLower(word); len(word) > 3 && !text.Stop(word) {
				about[k][word] = true
			}
		}
	}
	lanes := make([]int, len(line)) // by chain; -1: none yet
	for i := range lanes {
		lanes[i] = -1
	}
	common := map[string]bool{} // words too common to distinguish items
	for len(names) < mostLanes {
		count := map[string]int{}
		for i := range line {
			if k := chains.Find(i); lanes[k] < 0 {
				for word := range about[k] {
					count[word]++
				}
			}
		}
		best := ""
		for word, n := range count {
			if len(names) == 0 && n > max(few, len(line)/2) {
				common[word] = true
			}
			better := best == "" || cmp.Or(cmp.Compare(n, count[best]), cmp.Compare(len(word), len(best)),
				cmp.Compare(best, word)) > 0
			if n >= 2 && !common[word] && better {
				best = word
			}
		}
		if best == "" {
			break
		}
		for i := range line {
			if k := chains.Find(i); lanes[k] < 0 && about[k][best] {
				lanes[k] = len(names)
			}
		}
		names = append(names, best)
	}
	in = make([]int, len(line))
	others := false
	for i := range line {
		if in[i] = lanes[chains.Find(i)]; in[i] < 0 {
			in[i], others = len(names), true
		}
	}
	if others {
		names = append(names, "other")
	}
	return names, in
}
