package offline

import "testing"

func TestStatement(t *testing.T) {
	for _, c := range []struct{ question, choice, want string }{
		{"Where do the previews run?", "Inside the staging cluster", "The previews run inside the staging cluster"},
		{"When does the workshop start?", "12 May", "The workshop starts on 12 May"},
		{"Which font do we use?", "Inter", "Font: we use Inter"},
		{"Which browsers?", "Firefox and Safari", "Browsers: Firefox and Safari"},
		{"How many reviewers should a change have?", "Two", "Number of reviewers: two"},
		{"Who may publish?", "Editors", "Editors may publish"},
		{"Should we keep the old endpoint?", "Yes, until June", "Keep the old endpoint (until June)"},
		{"Should we keep the old endpoint?", "No", "Do not keep the old endpoint"},
		{"How does the notebook read the data?", "From the parquet files", "The notebook reads the data from the parquet files"},
		{"The form has no owner. Which team takes it?", "Growth", "Which team takes it: Growth"},
	} {
		if got := statement(c.question, c.choice); got != c.want {
			t.Errorf("%q, %q: got %q, want %q", c.question, c.choice, got, c.want)
		}
	}
}

func TestAlternatives(t *testing.T) {
	for text, want := range map[string]string{
		"Use Vite instead of webpack because builds are slow": "webpack",
		"We drop Heroku and go with Fly":                      "Heroku",
		"Dates are stored as UTC, not as local time":          "as local time",
		"Renamed the button":                                  "",
		"Moved the jobs from cron to Airflow":                 "cron",
	} {
		got := ""
		if a := alternatives(text); len(a) > 0 {
			got = a[0]
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestSinceIsATimeToo(t *testing.T) {
	if text, why := splitWhy("List all the changes since 2.4.0 of the editor"); why != "" {
		t.Errorf("%q is no reason for %q", why, text)
	}
	if _, why := splitWhy("Keep the queue in Postgres since staging has it already"); why == "" {
		t.Error("no reason read from a sentence that gives one")
	}
}
