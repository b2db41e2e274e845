package web

import (
	"cmp"
	"maps"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"

	"recall/answer/history"
	"recall/internal/text"
	"recall/payload"
)

// timeView is what was decided over time, topic by topic.
type timeView struct {
	filters
	span
	Topics []topic // the one last spoken about first
	More   int     // older items omitted
}

// A topic is what was said about one subject, oldest first.
type topic struct {
	Name string
	Told []told
}

// told is an item and, if that is on the page too, the place of what became of it.
type told struct {
	history.Dated
	To string
}

// Chip says what became of an item, "" if it stands, and leads there.
func (t told) Chip() leading { return leading{t.To, strings.TrimPrefix(t.Became(), " → ")} }

// inStory is the number of items on a page.
const inStory = 300

// inTime lists the kinds on a timeline.
var inTime = []payload.Kind{payload.Decision, payload.Eliminated, payload.Finding, payload.Deferred, payload.Question}

func (s *Server) timeline(r *http.Request, m *Memory) (any, error) {
	f, err := filter(r, m)
	if err != nil {
		return nil, err
	}
	return kept(&s.kept, m.Stamp, f.Today+" "+r.URL.RequestURI(), func() (v timeView, err error) {
		from, _ := strconv.Atoi(r.URL.Query().Get("from"))
		entries, span := lately(f, from)
		kinds := f.Kinds
		if len(kinds) == 0 {
			kinds = inTime
		}
		line, err := history.TimelineOf(r.Context(), m.Pipeline, entries, kinds...)
		v = storyOf(line, f)
		v.span = span
		return v, err
	})
}

// storyOf arranges a timeline within the filters.
func storyOf(line []history.Dated, f filters) timeView {
	line = slices.DeleteFunc(line, func(d history.Dated) bool {
		return d.Item.At.IsZero() || d.Item.At.Before(f.since) || !f.asOf.IsZero() && !d.Item.At.Before(f.asOf)
	})
	v := timeView{filters: f, More: max(0, len(line)-inStory)}
	v.catalog = nil // don't cache it with the page
	line = line[v.More:]
	shown := map[payload.ItemID]bool{}
	for i := range line {
		d := &line[i]
		if d.Until != nil && !f.asOf.IsZero() && !d.Until.Before(f.asOf) { // it was superseded after that day
			*d = history.Dated{Placed: d.Placed}
		}
		shown[d.Item.ID] = true
	}
	names, in := topics(line)
	v.Topics = make([]topic, len(names))
	for i, d := range line {
		t := &v.Topics[in[i]]
		one := told{Dated: d}
		if shown[d.By] {
			one.To = "#" + string(d.By)
		}
		t.Name, t.Told = names[in[i]], append(t.Told, one)
	}
	v.Topics = slices.DeleteFunc(v.Topics, func(t topic) bool { return t.Told == nil })
	slices.SortStableFunc(v.Topics, func(a, b topic) int {
		switch otherTopic {
		case a.Name:
			return 1
		case b.Name:
			return -1
		}
		return b.Told[len(b.Told)-1].Item.At.Compare(a.Told[len(a.Told)-1].Item.At)
	})
	return v
}

// became classifies an item on the timeline for its mark, see stands.
func became(d told) string {
	if d.Until != nil && d.Sure {
		return "past"
	}
	return stands(d.Item)
}

// otherTopic has what shares nothing; it comes last.
const otherTopic = "other"

// Limits of topics.
const (
	mostTopics = 12
	few        = 6 // so few can all share one topic
)

// componentsOf returns what an item is about: names, and the folders of files, in lower case.
func componentsOf(it payload.Item) (all []string) {
	for _, name := range it.About {
		name = strings.ToLower(strings.Trim(name, "./ "))
		if dir := path.Dir(name); strings.Contains(name, "/") {
			name = dir
		}
		if len(name) > 2 {
			all = append(all, name)
		}
	}
	return all
}

// topics assigns items to topics: each to the most widely shared of the components that it is about, except those that
// more than half share; or else to one that its text names. What was replaced stands with what replaced it.
func topics(line []history.Dated) (names []string, in []int) {
	at, count := map[payload.ItemID]int{}, map[string]int{}
	for i, d := range line {
		at[d.Item.ID] = i
		for _, name := range componentsOf(d.Item) {
			count[name]++
		}
	}
	shared := slices.SortedFunc(maps.Keys(count), func(a, b string) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(len(b), len(a)), cmp.Compare(a, b))
	})
	shared = slices.DeleteFunc(shared, func(name string) bool {
		return count[name] < 2 || count[name] > max(few, len(line)/2)
	})
	shared = shared[:min(len(shared), mostTopics)]
	in = make([]int, len(line))
	for i, d := range slices.Backward(line) {
		if k, ok := at[d.By]; ok && k > i {
			in[i] = in[k]
			continue
		}
		about, said := componentsOf(d.Item), text.Content(strings.ToLower(d.Item.Text))
		if in[i] = slices.IndexFunc(shared, func(name string) bool { return slices.Contains(about, name) }); in[i] < 0 {
			in[i] = slices.IndexFunc(shared, func(name string) bool { return slices.Contains(said, path.Base(name)) })
		}
		if in[i] < 0 {
			in[i] = len(shared)
		}
	}
	return append(shared, otherTopic), in
}
