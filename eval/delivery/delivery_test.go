package delivery

import (
	"slices"
	"strings"
	"testing"
)

// What a task wants to be told stands in its project's sessions, and not in the last one alone.
func TestTasksAreAboutThePast(t *testing.T) {
	all, err := Read("../testdata/delivery")
	if err != nil {
		t.Fatal(err)
	}
	tasks, controls, innocent := 0, 0, 0
	for _, p := range all {
		tasks, innocent = tasks+len(p.Tasks), innocent+len(p.Innocent)
		for _, task := range p.Tasks {
			if task.Kind != "told" {
				controls++
			}
			for _, want := range append(slices.Clone(task.Want), task.Not...) {
				in := 0
				for _, text := range p.sessions {
					if holds(string(text), want) {
						in++
					}
				}
				if in == 0 || holds(task.Prompt, want) {
					t.Errorf("%s: %q: %q is said in %d sessions, or in the prompt", p.Name, task.Name, want, in)
				}
			}
			if (len(task.Want) == 0) != task.silent() {
				t.Errorf("%s: %q: a task of kind %q wants %q", p.Name, task.Name, task.Kind, task.Want)
			}
		}
	}
	if tasks < 12 || controls < 4 || innocent != 40 {
		t.Errorf("%d tasks, %d of them controls, and %d innocent prompts; want 12, 4 and 40", tasks, controls, innocent)
	}
	if one := Crowded(all); len(one[0].Tasks) != tasks || len(one[0].Innocent) != innocent {
		t.Errorf("all in one: %d tasks, %d prompts", len(one[0].Tasks), len(one[0].Innocent))
	}
	for name, text := range Crowded(all)[0].sessions {
		if strings.Contains(string(text), `"cwd":"/home/ann/bakery"`) {
			t.Errorf("%s stays in its own project", name)
		}
	}
}

func TestTold(t *testing.T) {
	task := Task{Want: []string{"ten  minutes|10 minutes", "at once"}, Not: []string{"an hour"}}
	for _, tt := range []struct {
		text         string
		told, misled bool
	}{
		{"Ten minutes.\nThen at\nonce.", false, false}, // what is wanted has one space a word
		{"10 minutes, later at once, not an hour", true, false},
		{"at once, or in an hour", false, true},
		{"", false, false},
	} {
		if told, misled := task.told(tt.text), task.misled(tt.text); told != tt.told || misled != tt.misled {
			t.Errorf("%q: told %v, misled %v, want %v, %v", tt.text, told, misled, tt.told, tt.misled)
		}
	}
}

func TestWorse(t *testing.T) {
	before, now := &Figures{Either: 9, Warned: 1}, &Figures{Either: 8, Warned: 2}
	if got := now.Worse(before); len(got) != 2 || len(before.Worse(now)) != 0 {
		t.Errorf("worse: %q, %q", got, before.Worse(now))
	}
}
