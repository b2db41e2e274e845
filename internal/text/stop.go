package text

// Stop reports whether a lower-case word says nothing about a question's topic: function
// words, and those that occur in every question to recall ("what did we decide about …").
func Stop(w string) bool { return stopWords[w] }

var stopWords = Set(`a about again all also am an and any anything are as at be because been before being both but by
	can could d did do does doing don each either else ever every few for from further get gets got had has have having
	he her here hers him his how i if in into is isn it its itself just ll let m may me might more most much must my no
	nor not now of on once one only or other our ours out over own re s same she should so some something still such t
	than that the their them then there these they thing things this those to too under until up us ve very was wasn we
	were what whats when where which while who whom whose why will with won would you your yours yet decide decided
	decides choose chose chosen pick picked try tried`)
