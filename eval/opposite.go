package eval

import "strings"

// An opposite is one end of an axis.
type opposite struct {
	axis string
	sign int
}

var opposites = axes(
	"enable enables enabled enabling on / disable disables disabled disabling off",
	"allow allows allowed accept accepts accepted permit permits permitted / refuse refuses refused forbid forbids forbidden deny denies denied disallow disallows block blocks blocked",
	"keep keeps kept chosen picked adopted agreed stay stays remain remains retain retains preserve preserves add adds added / drop drops dropped rejected declined abandoned withdrawn remove removes removed delete deletes deleted omit omits omitted discard discards discarded skip skips skipped",
	"always / never",
	"required mandatory / optional",
	"public / private",
	"open opened / closed close",
	"first / last",
	"earliest oldest / latest newest",
	"maximum / minimum",
	"above / below under",
	"increase increases increased raise raises raised raising / decrease decreases decreased lower lowers lowered lowering reduce reduces reduced",
	"lazy lazily / eager eagerly",
	"synchronous synchronously / asynchronous asynchronously async",
	"stdout / stderr",
	"inside / outside",
	"passes passed succeeds succeeded works / fails failed breaks",
	"faster / slower",
	"right correct valid / wrong invalid",
	"ascending / descending",
	"automatic automatically / manual manually",
	"safe / unsafe",
	"true / false",
)

// axes reads lists of opposites, the two ends parted by a stroke.
func axes(lines ...string) map[string]opposite {
	m := map[string]opposite{}
	for _, line := range lines {
		yes, no, _ := strings.Cut(line, "/")
		name := strings.Fields(yes)[0]
		for _, w := range strings.Fields(yes) {
			m[w] = opposite{name, 1}
		}
		for _, w := range strings.Fields(no) {
			m[w] = opposite{name, -1}
		}
	}
	return m
}

// opposed looks for two opposites, one in each statement, in the same company.
func opposed(a, b stance) bool {
	as, bs := a.axes(), b.axes()
	for axis, x := range as {
		y, ok := bs[axis]
		if ok && a.lean(x)*b.lean(y) < 0 && beside(a, x, b, y) {
			return true
		}
	}
	return false
}

// axes are the places of each axis' words.
func (s stance) axes() map[string][]int {
	m := map[string][]int{}
	for i, t := range s.tokens {
		if t.axis != "" {
			m[t.axis] = append(m[t.axis], i)
		}
	}
	return m
}

// lean is to which end of an axis its words go; 0 for both.
func (s stance) lean(at []int) int {
	sum := 0
	for _, i := range at {
		sum += s.tokens[i].end * s.tokens[i].sign
	}
	switch sum {
	case len(at):
		return 1
	case -len(at):
		return -1
	}
	return 0
}
