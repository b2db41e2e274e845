package text

import "testing"

// A reply is to the option whose label it names, else to the question; to neither if the label is of several lines.
func TestReplied(t *testing.T) {
	offer := "There are two ways:\n\n**Option A — quieter**\n**Option B — none at all**\n\n" +
		"Which of the two do you prefer?"
	steps := "1. Read the clock\n2. Set it\n\nOr:\n1. Leave the clock\n\nShall I set the harbour clock?"
	for _, c := range []struct{ said, reply, want string }{
		{offer, "I like B", "**Option B — none at all**"},
		{offer, "ok option A please", "**Option A — quieter**"},
		{offer, "B. but it has to be quiet at night, and show the tide of the harbour next door",
			"**Option B — none at all**"},
		{offer, "neither", "Which of the two do you prefer?"},
		{steps, "not before noon, the mayor sleeps until then and the bells are loud, but #2", "2. Set it"},
		{steps, "do 1", "Shall I set the harbour clock?"},
		{"两个方案：\n1. 缩短到5秒\n2. 主动清缓存\n我建议方案2。", "我选方案2", "2. 主动清缓存"},
		{"Done. What's next?", "a sign at the gate", ""},
	} {
		if got := Replied(c.said, c.reply); got != c.want {
			t.Errorf("%q: got %q, want %q", c.reply, got, c.want)
		}
	}
}
