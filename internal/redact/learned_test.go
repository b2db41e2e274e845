package redact_test

import (
	"strings"
	"testing"

	"recall/ingest"
	"recall/internal/redact"
)

// What a command prints alone is a secret if the command says so, although command and result are two texts.
func TestPrintedSecretIsMasked(t *testing.T) {
	for command, printed := range map[string]string{
		"pass show forge/admin":                       "4c1d5a7e2f4a6b8c0d1e3f5a7b9c1d3e5f7a9b1c",
		"vault kv get -field=password secret/shop":    "Winter2031ok",
		"security find-generic-password -w -s shop":   "redMoon77x",
		"cat config/master.key":                       "d203c8129661ece1aef48de0530acfa1",
		"op read 'op://Private/Router/password'":      "Copper5717#",
		"aws ecr get-login-password --region eu-1":    "eyJ" + strings.Repeat("Q2xvdWQ3", 300),
		"kubectl get secret x -o json | base64 -d":    "canyon_Meadow54",
		"passwd bob <<EOF\ntunnel_Ginger63\nEOF":      "",
		"terraform output -raw db_password; echo":     "Pebble-harbor-19river",
		"gcloud secrets versions access 3 --secret=x": "8XweaFFl3P506Xx7CxZ%8y",
	} {
		s := &ingest.Session{Turns: []ingest.Turn{{Calls: []ingest.ToolCall{{Name: "Bash", Command: command,
			Result: printed + "\n"}}}, {Text: "The old one was " + printed + ", revoke it."}}}
		r := redact.New()
		s.MapText(r.Text)
		s.MapText(r.Known)
		call := s.Turns[0].Calls[0]
		if all := call.Command + call.Result + s.Turns[1].Text; printed != "" && strings.Contains(all, printed) ||
			strings.Contains(all, "Ginger63") {
			t.Errorf("%q printed %q: left in %.300q", command, printed, all)
		}
	}
}

// What answers a question for a secret is one.
func TestAnswerIsMasked(t *testing.T) {
	s := &ingest.Session{Turns: []ingest.Turn{{Role: ingest.Assistant, Text: "Please send me the SFTP password."},
		{Role: ingest.User, Text: "tanaka\n93sierra7"}, {Role: ingest.Assistant, Text: "Where is the password kept?"},
		{Role: ingest.User, Text: "vault-prod2"}}}
	s.MapText(redact.New().Text)
	if s.Turns[1].Text != "tanaka\n‹password 1›" || s.Turns[3].Text != "vault-prod2" {
		t.Errorf("got %q and %q", s.Turns[1].Text, s.Turns[3].Text)
	}
}

// A password that was told once is masked wherever it stands, also before, with and without the mark at its end.
func TestToldPasswordIsMaskedEverywhere(t *testing.T) {
	for _, password := range []string{"Copper9897!", "WillowRiver290!", "Comet5957?", "meadow_Pebble89", "Harbor7774#"} {
		for _, texts := range [][]string{
			{"the admin password is " + password, "./login.sh admin " + password + " --host db", "as admin with " + password + "."},
			{"./login.sh admin " + password + " --host db", "so the password is " + password + "!"},
			{"the admin password is " + password, "log in as admin:" + strings.TrimRight(password, "!?#") + ","},
		} {
			r := redact.New()
			var got strings.Builder
			for _, x := range texts {
				r.Text(x)
			}
			for _, x := range texts {
				got.WriteString(r.Known(r.Text(x)) + "\n")
			}
			if strings.Contains(got.String(), strings.TrimRight(password, "!?#")) {
				t.Errorf("%q is left in %q", password, got.String())
			}
		}
	}
}

// A password that was told is masked where a program encoded all but its letters and digits, too.
func TestToldPasswordIsMaskedEncoded(t *testing.T) {
	r := redact.New()
	r.Text("the admin password is meadow_Pebble89-gate")
	if got := r.Known("GET /login?u=admin&x=meadow%5FPebble89%2Dgate"); strings.Contains(got, "Pebble89") {
		t.Errorf("it is left in %s", got)
	}
}

// In an object with both, the value of a name is its own, and a "value" stays.
func TestValueBesideAPassword(t *testing.T) {
	got := redact.New().Text(`{"password": "Maple4276!x", "value": "green-leaf-42"}`)
	if want := `{"password": "‹password 1›", "value": "green-leaf-42"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A working directory is no password, and the name under which something is stored no key.
func TestWorkingDirectoryIsKept(t *testing.T) {
	for _, text := range []string{`"pwd": "osc99"`, "PWD: kiosk2", "Pwd: web-shop-2", "pwd=/home/ann/x9", "OLDPWD=../shop24",
		`const STORAGE_KEY = "side-panel-state"`} {
		if got := redact.New().Text(text); got != text {
			t.Errorf("%s became %s", text, got)
		}
	}
}
