package text

import "testing"

// What leaves things as they are is told from what agrees, goes on or asks for something.
func TestLeavesIt(t *testing.T) {
	for reply, want := range map[string]bool{
		"not now": true, "skip it": true, "no": true, "I know, leave that until Maren is back": true,
		"don't touch it": true, "that can stay as it is": true, "we live with that for now": true, "that's wanted": true,
		"hold off on that": true, "lass das": true, "bleibt so": true,
		"right, leave": true, "skip.": true, "leave room for the date": false,
		"no problem, go on": false, "no idea": false, "not sure": false, "we can do that": false, "keep going on": false,
		"push it": false, "fix it": false, "never mind the tests": false, "use the other one": false, "lasso": false,
	} {
		if got := LeavesIt(reply); got != want {
			t.Errorf("%q leaves it: %v", reply, got)
		}
	}
}
