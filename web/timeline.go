package web

import (
	"cmp"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"recall/answer"
	"recall/history"
	"recall/payload"
	"recall/text"
)

// timeView is what was decided over time, as a picture and as a table.
type timeView struct {
	filters
	Items []history.Dated // the newest first
	More  int             // older ones that the table leaves out
	Older bool            // and sessions that all of it does, see mostSessions
	Chart chart
}

// inTable is how many items the table below the picture has.
const inTable = 100

// mostSessions is of how many sessions a time line tells.
const mostSessions = 100

// drawn are the kinds on a time line.
var drawn = []payload.Kind{payload.Decision, payload.Eliminated, payload.Finding, payload.Deferred, payload.Question}

func (s *Server) timeline(r *http.Request, m *Memory) (any, error) {
	f, err := filter(r, m)
	if err != nil {
		return nil, err
	}
	kinds := f.Kinds
	if len(kinds) == 0 {
		kinds = drawn
	}
	shelf, err := m.Library.Shelf()
	if err != nil {
		return nil, err
	}
	sessions, of := lately(shelf, f, 0, mostSessions)
	line, err := history.TimelineOf(r.Context(), m.Pipeline, shelf, sessions, kinds...)
	if err != nil {
		return nil, err
	}
	line = slices.DeleteFunc(line, func(d history.Dated) bool {
		return d.Item.At.IsZero() || d.Item.At.Before(f.since) || !f.asOf.IsZero() && !d.Item.At.Before(f.asOf)
	})
	if !f.asOf.IsZero() { // what took an item's place after that day hadn't yet
		for i := range line {
			if d := &line[i]; d.Until != nil && !d.Until.Before(f.asOf) {
				d.Until, d.By, d.Sure, d.Link = nil, "", false, payload.Link{}
			}
		}
	}
	v := timeView{filters: f, Older: of > len(sessions), Chart: chartOf(line, r.URL)}
	slices.Reverse(line)
	v.Items, v.More = line[:min(len(line), inTable)], max(0, len(line)-inTable)
	return v, nil
}

// A chart is items drawn by time and topic. Lengths are in units of the picture, which the browser scales.
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

// A dot is an item, or as many as fall together.
type dot struct {
	X, Y, R int
	N       int
	Shape   string // see stands
	Href    string
	Title   string
}

// An elbow leads from an item to what took its place.
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
	gutter     = 150 // where lanes are named
	laneHeight = 40
	column     = 24 // in which dots of a lane stand one above the other
	mostLanes  = 12
	few        = 6 // that may all be of one topic

	mostStacked = 3   // more become one, with their number
	mostApart   = 300 // of more items, any that stand together
	titled      = 80  // characters of a title
)

// became is how a mark shows what became of an item over time, see stands.
func became(d history.Dated) string {
	if d.Until != nil && d.Sure {
		return "past"
	}
	return stands(d.Item)
}

func chartOf(line []history.Dated, page *url.URL) chart {
	c := chart{Width: chartWidth, Left: gutter, Right: chartWidth - column}
	if len(line) == 0 {
		return c
	}
	names, in := topics(line)
	first, last := line[0].Item.At, line[len(line)-1].Item.At
	span := max(last.Sub(first), time.Hour)
	c.From, c.To = first.Unix(), first.Add(span).Unix()
	x := func(t time.Time) int {
		return c.Left + int(float64(c.Right-c.Left)*float64(t.Sub(first))/float64(span))
	}
	y := func(lane int) int { return 20 + lane*laneHeight + laneHeight/2 }
	for i, name := range names {
		c.Lanes = append(c.Lanes, lane{name, y(i)})
	}
	c.Height = y(len(names)-1) + laneHeight + 16
	days := func(first, last time.Time) string { // the page of these alone
		const form = time.DateOnly
		return but(page, "since", first.Local().Format(form), "asof", last.Local().Format(form))
	}
	type cell struct{ lane, column int }
	cells := map[cell][]int{}
	for i, d := range line {
		at := cell{in[i], x(d.Item.At) / column}
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
			one := dot{X: at.column*column + column/2, Y: y(at.lane), R: 5, N: 1, Shape: became(d),
				Href:  "#" + string(d.Item.ID),
				Title: answer.Day(d.Item.At) + " " + text.Clip(voice.Sentence(d.Item), titled)}
			if i < len(line)-inTable { // the table lacks it
				one.Href = days(d.Item.At, d.Item.At)
			}
			switch {
			case len(items) <= stacked:
				one.Y += (2*k - len(items) + 1) * (one.R + 1)
			case k == 0:
				one.Href = days(d.Item.At, line[items[len(items)-1]].Item.At)
				one.N, one.Shape = len(items), "several"
				one.R = min(column/2, 6+int(math.Log2(float64(len(items)))))
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
	c.Ticks = ticks(first, span, x)
	return c
}

// ticks are days, months or years on an axis, some six.
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

// topics puts items into lanes: those that share what they are about, or else a word, the most widely shared first, but
// none that more than half of them share; what took another's place goes with it.
func topics(line []history.Dated) (names []string, in []int) {
	at := map[payload.ItemID]int{}
	for i, d := range line {
		at[d.Item.ID] = i
	}
	chains := text.Apart(len(line))
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
	common := map[string]bool{} // words that tell nothing apart here
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
