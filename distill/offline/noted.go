package offline

import "math/bits"

// A Feature is one thing known of a candidate or a file. Names are numbered, so
// that describing a statement and weighing it looks nothing up by name.
type Feature struct {
	number feature
	Value  float64
}

// Name is what the models call it.
func (f Feature) Name() string { return featureNames[f.number] }

type feature uint16

// mostFeatures is how many names of features there may be.
const mostFeatures = 640

// featureNames are the names by their numbers, numberOf the numbers by name.
// Variables of this package add to them as they are set.
var (
	featureNames []string
	numberOf     = map[string]feature{}
)

// numbered gives a feature's name its number.
func numbered(name string) feature {
	n, ok := numberOf[name]
	if !ok {
		n = feature(len(featureNames))
		numberOf[name] = n
		featureNames = append(featureNames, name)
	}
	return n
}

// sided is a feature that says one thing of the assistant's sentences and
// another of a person's.
type sided [2]feature

func eachSide(name string) sided { return sided{numbered("a:" + name), numbered("u:" + name)} }

// noted are features as they are found; of one noted twice the last counts.
type noted struct {
	values [mostFeatures]float64
	known  [mostFeatures / 64]uint64 // which are noted, as bits
	room   []Feature                 // for the next lists
	lists  int                       // made so far
}

func (n *noted) set(f feature, value float64) {
	n.values[f] = value
	n.known[f/64] |= 1 << (f % 64)
}

// on notes what holds.
func (n *noted) on(f feature, yes bool) {
	if yes {
		n.set(f, 1)
	}
}

// list gives those that aren't 0, in order, and forgets all.
func (n *noted) list() []Feature {
	size := 0
	for _, set := range n.known {
		size += bits.OnesCount64(set)
	}
	n.lists++
	if cap(n.room) < size {
		n.room = make([]Feature, 0, size*min(n.lists, 32)) // as many again as there were
	}
	out := n.room[:0:size]
	n.room = n.room[size:size]
	for i, set := range n.known {
		for ; set != 0; set &= set - 1 {
			f := feature(64*i + bits.TrailingZeros64(set))
			if x := n.values[f]; x != 0 {
				out = append(out, Feature{f, x})
			}
		}
		n.known[i] = 0
	}
	return out
}
