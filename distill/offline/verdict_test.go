package offline

import (
	"strings"
	"testing"

	"recall/payload"
)

// What a person rules on in few words stands before what they asked at length, and shows the option that it takes.
func TestVerdicts(t *testing.T) {
	const offer = "Two ways to store them:\n\n**Option A: one table** for all the seats\n\n" +
		"**Option B: a file a hall** in the repository\n\nYour call - which path?"
	long := "how is it that the halls of the old theatre have seats without a number, and " +
		strings.Repeat("where would somebody who sits there find out which door to take, ", 3) + "do you know?"
	for reply, want := range map[string]string{
		"I like option B": "“I like option B” — user, turn 3, to “Option B: a file a hall in the repository”",
		"B":               "“Option B: a file a hall in the repository” — assistant, turn 2; answered “B”",
		"A with B as the export": "“Option A: one table for all the seats” — assistant, turn 2; " +
			"answered “A with B as the export”",
		"change in plan: all in memory": "“change in plan: all in memory” — user, turn 3, to “Your call - which path?”",
		"the halls aren't alike, I don't want one table": "“the halls aren't alike, I don't want one table” — " +
			"user, turn 3, to “Your call - which path?”",
	} {
		items, _ := items(talkOf([]string{"Make the seat plan.", offer, reply, "Done.", long, "At the door."}, nil))
		line, weight, asked := "", 0.0, 0.0
		for _, it := range items {
			switch l := payload.LineOf(&it); {
			case it.Kind != payload.Lead:
			case strings.HasPrefix(l, "“how is it"):
				asked = it.Confidence
			case it.Evidence[len(it.Evidence)-1].N == 3 || it.Evidence[0].N == 3:
				line, weight = l, it.Confidence
			}
		}
		if line != want || asked == 0 || weight <= asked {
			t.Errorf("%q: %s, weight %.2f, a question's %.2f; want %s", reply, line, weight, asked, want)
		}
	}
}
