package model

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"recall/prompts"
)

// The forms that models are held to and what is read of their answers are one.
func TestSchemasFitTheirAnswers(t *testing.T) {
	first, form := prompts.Extraction(false, false)
	for _, of := range []string{"earlier", "bearing", "closed"} {
		if strings.Contains(string(form), `"`+of+`"`) || strings.Contains(first, of+":") {
			t.Errorf("where nothing is known from before, %q is asked for", of)
		}
	}
	for name, tt := range map[string]struct {
		schema json.RawMessage
		answer any
	}{
		"extract, later": {prompts.Extract.Schema(), answer{}},
		"extract, first": {form, struct {
			Items []firstFound `json:"items"`
		}{}},
		"reconcile": {prompts.Reconcile.Schema(), struct {
			Pairs []ruling `json:"pairs"`
		}{}},
	} {
		var schema map[string]any
		if err := json.Unmarshal(tt.schema, &schema); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		checkForm(t, name, schema, reflect.TypeOf(tt.answer))
	}
}

// firstFound is what may be found where nothing is known from before.
type firstFound struct {
	Kind         word        `json:"kind"`
	Evidence     many[cited] `json:"evidence"`
	Text         word        `json:"text"`
	Why          word        `json:"why"`
	By           word        `json:"by"`
	Scope        word        `json:"scope"`
	Alternatives many[word]  `json:"alternatives"`
	About        many[word]  `json:"about"`
	Path         word        `json:"path"`
	Status       word        `json:"status"`
	Confidence   word        `json:"confidence"`
	Aliases      many[word]  `json:"aliases"`
	Asks         many[word]  `json:"asks"`
}

// checkForm holds a schema to a type, and to the rules that all services share: every
// object closed, nothing but types, enums and descriptions.
func checkForm(t *testing.T, at string, schema map[string]any, typ reflect.Type) {
	t.Helper()
	for key := range schema {
		if !slices.Contains([]string{"type", "enum", "description", "properties", "required", "additionalProperties",
			"items"}, key) {
			t.Errorf("%s: %q isn't taken by all strict modes", at, key)
		}
	}
	kinds := map[reflect.Kind]string{reflect.String: "string", reflect.Int: "integer", reflect.Slice: "array",
		reflect.Struct: "object"}
	if want := kinds[typ.Kind()]; schema["type"] != want {
		t.Fatalf("%s: type %v in the schema, %s in Go", at, schema["type"], want)
	}
	switch typ.Kind() {
	case reflect.Slice:
		items, ok := schema["items"].(map[string]any)
		if !ok {
			t.Fatalf("%s: no items", at)
		}
		checkForm(t, at+"[]", items, typ.Elem())
	case reflect.Struct:
		properties, _ := schema["properties"].(map[string]any)
		fields := map[string]reflect.Type{}
		for _, f := range reflect.VisibleFields(typ) {
			if tag, _, _ := strings.Cut(f.Tag.Get("json"), ","); !f.Anonymous && f.IsExported() {
				fields[tag] = f.Type
			}
		}
		var required []string
		for _, r := range schema["required"].([]any) {
			required = append(required, r.(string))
		}
		if schema["additionalProperties"] != false || len(properties) != len(fields) {
			t.Errorf("%s: %d keys, closed %v; Go has %d", at, len(properties), schema["additionalProperties"], len(fields))
		}
		for _, key := range required {
			if fields[key] == nil {
				t.Errorf("%s: %s is required and no field", at, key)
			}
		}
		for key, typ := range fields {
			if property, ok := properties[key].(map[string]any); !ok {
				t.Errorf("%s.%s: not in the schema", at, key)
			} else {
				checkForm(t, at+"."+key, property, typ)
			}
		}
	}
}

// The examples for small models are answers as they are read, of quotes that stand.
func TestExamplesHold(t *testing.T) {
	text, _ := prompts.Extraction(true, true)
	_, rest, _ := strings.Cut(text, "# Examples")
	turn, items, worded, shown := "", 0, 0, map[string]string{}
	for line := range strings.Lines(rest) {
		switch line[0] {
		case '#':
			turn, _, _ = strings.Cut(strings.TrimPrefix(line, "## "), " ")
		case '|':
			shown[turn] += line
		case '{':
			a, err := decodeAnswer(line)
			if err != nil || a.bad > 0 {
				t.Fatalf("%v: %s", err, line)
			}
			for i := range a.Items {
				f := &a.Items[i]
				it, drop := itemOf(f)
				if drop != "" {
					t.Errorf("%s: %s", f.Text, drop)
				}
				if n := len(f.Aliases) + len(f.Asks); n != len(it.Aliases) {
					t.Errorf("%s: %d other words of %v, %v are kept", f.Text, len(it.Aliases), f.Aliases, f.Asks)
				} else if n > 0 {
					worded++
				}
				for _, c := range a.Items[i].Evidence {
					if !strings.Contains(shown[string(c.Turn)], string(c.Quote)) {
						t.Errorf("%q isn't of %s", c.Quote, c.Turn)
					}
				}
			}
			items += len(a.Items)
		}
	}
	if _, form, _ := strings.Cut(prompts.Extract.Text(), "\n{"); strings.Contains(form, `"aliases":["`) {
		worded++
	}
	if items < 10 || worded < 3 || strings.Count(text, "# Examples") != 1 || !strings.Contains(text, "\nclosed: ") {
		t.Errorf("%d items, %d examples of other words in\n%s", items, worded, text)
	}
}

func TestPromptsSayWhatIsAskedFor(t *testing.T) {
	extract := prompts.Extract.Text()
	for _, want := range []string{
		`"Before we close this session, write a rehydration payload for the next session. Include: current goal, decisions made and why, decisions deferred, the next concrete action, files currently in play, and anything you'd flag as 'don't forget.' Keep it under 1,000 tokens."`,
		"\ngoal: ", "\ndecision: ", "\neliminated: ", "\nfinding: ", "\nhypothesis: ", "\nflag: ", "\nnext: ",
		"\ndeferred: ", "\nquestion: ", "\nfile: ", "\nstatus: ",
	} {
		if !strings.Contains(extract, want) {
			t.Errorf("the prompt to extract lacks %q", want)
		}
	}
	var schema struct {
		Properties struct {
			Items struct {
				Items struct{ Properties map[string]any }
			}
		}
	}
	if err := json.Unmarshal(prompts.Extract.Schema(), &schema); err != nil {
		t.Fatal(err)
	}
	for key := range schema.Properties.Items.Items.Properties {
		if !strings.Contains(extract, key) {
			t.Errorf("the prompt to extract doesn't speak of %q", key)
		}
	}
	if n := tokens(extract); n > 3500 {
		t.Errorf("the prompt to extract has %d tokens: too many for small models", n)
	}
	versions := map[string]bool{}
	for _, p := range []string{extract, prompts.Reconcile.Text()} {
		versions[prompts.Version(p)] = true
	}
	if len(versions) != 2 {
		t.Errorf("got %d versions of 2 prompts", len(versions))
	}
}
