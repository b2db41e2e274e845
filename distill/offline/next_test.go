package offline

import (
	"slices"
	"strings"
	"testing"

	"recall/ingest"
	"recall/payload"
)

// What was said last to come next is the next action, also if only a good-bye follows.
func TestToldNext(t *testing.T) {
	for _, c := range []struct{ last, bye, want string }{
		{"The picker shows both shops. Next: keep the choice, in picker.ts lines 18 to 26.", "yep. bye",
			"Next: keep the choice, in picker.ts lines 18 to 26."},
		{"Both shops are shown.", "I have to stop. next time first the choice in the picker, then the headings",
			"next time first the choice in the picker, then the headings"},
		{"Both shops are shown.", "ok. on monday we start with the headings", "on monday we start with the headings"},
		{"Both shops are shown.", "watch it over the weekend and then close the ticket",
			"watch it over the weekend and then close the ticket"},
		{"Both shops are shown.", "cool. then only the headings are left for friday",
			"then only the headings are left for friday"},
		{"Both shops are shown.", "enough. first thing monday: the headings of both", "first thing monday: the headings of both"},
		{"Both shops are shown.", "let's pick this up in the morning with the headings",
			"let's pick this up in the morning with the headings"},
		{"Both shops are shown.", "lunch. this afternoon the headings of both", "this afternoon the headings of both"},
		{"Both shops are shown.", "cool, the headings can be next", "cool, the headings can be next"},
		{"The lists are sorted. Beide Listen haben noch Lücken. Das wäre als Nächstes dran.", "gut. bis morgen",
			"Beide Listen haben noch Lücken. Das wäre als Nächstes dran."},
		{"列表已经排好了。下一步：加上两家店的标题。", "好的，先这样，明天继续", "下一步：加上两家店的标题。"},
		{"一覧はできました。次は両方の店の見出しです。", "了解です", "次は両方の店の見出しです。"},
		{"Les deux boutiques sont là.", "bien. demain on fait les titres", "demain on fait les titres"},
		{"Les deux boutiques sont là.", "on fera les titres lundi", "on fera les titres lundi"},
		{"Se muestran las dos tiendas.", "el jueves hacemos los títulos", "el jueves hacemos los títulos"},
		{"Beide Läden sind da.", "die titel klären wir am donnerstag", "die titel klären wir am donnerstag"},
		{"Beide Läden sind da.", "das ist seit donnerstag so", ""},
		{"Les deux boutiques sont là.", "merci, bonne soirée, à demain", ""},
		{"Se muestran las dos tiendas.", "vale. mañana hacemos los títulos", "mañana hacemos los títulos"},
		{"Se muestran las dos tiendas.", "gracias, hasta mañana", ""},
		{"As duas lojas estão na lista. Próximos passos: os títulos.", "valeu, até amanhã",
			"Próximos passos: os títulos."},
		{"두 가게가 보입니다.", "좋아요. 내일은 두 가게의 제목을 합시다", "내일은 두 가게의 제목을 합시다"},
		{"두 가게가 보입니다.", "고마워요. 내일 봐요", ""},
		{"The lists are sorted. Next: the captions.", "I'm off for today, let's continue tomorrow",
			"Next: the captions."},
		{"Both shops are shown, the captions are done.", "gotta run, go on tomorrow", ""},
		{"Both shops are shown, the captions are left.", "stop showing both", ""},
		{"Both shops are shown.", "no, 3 in the morning is when the shops order", ""},
		{"Both shops are shown.", "keep in mind that the old list is still online", ""},
		{"Both shops are shown.", "good. remember that the demo account resets every sunday", ""},
		{"Both shops are shown, the next() call is fast.", "great, thanks", ""},
	} {
		all, _ := items(talkOf([]string{"Sort the list by shop.", "Sorted.", "And the picker?", c.last, c.bye}, nil))
		got := ""
		for _, it := range all {
			if it.Rule == payload.ToldNextRule {
				got = it.Text
			}
		}
		if got != c.want {
			t.Errorf("%q, %q: next %q, want %q", c.last, c.bye, got, c.want)
		}
	}
}

// What was ordered along with it, and done at once, isn't next.
func TestDoneAtOnceIsNotNext(t *testing.T) {
	s := talkOf([]string{"Sort the list by shop.", "Sorted.", "ines checks it tomorrow. commit it now", "Done."}, nil)
	s.Turns[3].Calls = []ingest.ToolCall{{Name: "Bash", Command: "git commit -m x", Done: true, Commit: "76b7d178"}}
	all, _ := items(s)
	if at := slices.IndexFunc(all, func(it payload.Item) bool { return it.Rule == payload.ToldNextRule }); at < 0 ||
		all[at].Text != "ines checks it tomorrow." {
		t.Errorf("next is %+v", all)
	}
}

// What nobody answered any more is next if it asks for something, not if it says to leave things as they are.
func TestUnanswered(t *testing.T) {
	for said, want := range map[string]bool{
		"no, nobody sorts by price yet. leave": false, "ah right, the old list. skip it": false,
		"good. dont touch the captions btw, they are printed": false, "ok, never sort by shelf": false,
		"dont sort by price, use the shelf":              true,
		"no, nobody sorts by price yet. drop the picker": true, "nice picker. push": true,
		"skip that and print the captions of the shops instead":        true,
		"please leave it out of the list and write the shops a letter": true,
	} {
		all, _ := items(talkOf([]string{"Sort the list by shop.", "Sorted. Shall I sort by price, too?", said}, nil))
		next := slices.ContainsFunc(all, func(it payload.Item) bool { return it.Rule == payload.UnansweredRule })
		if next != want {
			t.Errorf("%q: next %v, want %v", said, next, want)
		}
	}
}

// What was typed last and only begun on, as nobody said how far, is marked as worked on.
func TestBegunOn(t *testing.T) {
	for wrote, want := range map[string]string{"picker.ts": payload.WorkedOn, "": ""} {
		all, _ := items(talkOf([]string{"Sort the list by shop.", "Sorted.", "make the picker wide, too", ""},
			map[int]string{3: wrote}))
		at := slices.IndexFunc(all, func(it payload.Item) bool { return it.Rule == payload.UnansweredRule })
		if at < 0 && wrote != "" || at >= 0 && all[at].Since != want {
			t.Errorf("wrote %q: %+v, want it next and %q", wrote, all, want)
		}
	}
}

// What was said to come next has come where the person took it up or declined it, and the session went on.
func TestNextThatCame(t *testing.T) {
	for reply, left := range map[string]bool{"go": false, "yes please": false, "no, the shop does that": false,
		"skip the captions": false, "what does the printer cost?": true} {
		all, _ := items(talkOf([]string{"Sort the list, then the captions.", "The list is sorted. Next: the captions.",
			reply, "That is done."}, nil))
		next := slices.ContainsFunc(all, func(it payload.Item) bool { return it.Rule == payload.ToldNextRule })
		if next != left {
			t.Errorf("%q: left %v, want %v", reply, next, left)
		}
	}
}

// A list below "Next steps" at the end is what comes next, and so is what the assistant asked last of all; what was
// asked and is answered isn't. A heading ends the list before it.
func TestLeftAtTheEnd(t *testing.T) {
	for last, want := range map[string][]string{
		"Out now:\n- the list of shops\n- the list of prices\n\n### Next steps\n\n1. Print the list\n2. Send it to all": {
			"Next steps: Print the list · Send it to all"},
		"The list is out.\n\n### Next steps\n\n1. Print the list\n2. Send it to the shops\n\nHave a nice day!": {
			"Next steps: Print the list · Send it to the shops"},
		"Committed. Next up:\n- Print the list\n- Send it to the shops\n\nShall I print it?": {
			"Committed. Next up: Print the list · Send it to the shops"},
		"Sorted by shop.\n\nShould I print the list on paper?": {"Should I print the list on paper?"},
		"The paper is blue. Which printer should take it?":     {"The paper is blue. Which printer should take it?"},
		"Two things are open:\n\n1. Who prints the list?\n2. When does it go to the shops?": {
			"Two things are open: Who prints the list? · When does it go to the shops?"},
		"Sorted by shop. Can I help you with anything else?": nil,
	} {
		for _, answered := range []bool{false, true} {
			said := []string{"Name the shops.", "They are named.", "Sort the list by shop.", last}
			if answered {
				said = append(said, "No, leave it as it is", "The list stays.")
			}
			p, err := Distiller{}.Distill(t.Context(), talkOf(said, nil))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, it := range p.Items {
				if it.Rule == payload.ToldNextRule {
					got = append(got, it.Text)
				}
			}
			if wants := map[bool][]string{false: want}[answered]; !slices.Equal(got, wants) {
				t.Errorf("%q, answered %v: next %q, want %q", last, answered, got, wants)
			}
			page := payload.Render(p, payload.Options{}).Text
			if len(want) > 0 && strings.Count(page, strings.TrimPrefix(want[0], "Next steps: ")) != 1 {
				t.Errorf("%q should stand there once:\n%s", want[0], page)
			}
		}
	}
}

// A list of what is open stays next though its person said a word on it, unless something was done thereupon.
func TestListedAsOpen(t *testing.T) {
	for _, c := range []struct {
		head, said string
		calls      []ingest.ToolCall
		want       bool
	}{
		{"## Open", "the captions i get from ines", nil, true},
		{"**Still to do before friday**", "the captions i get from ines", nil, true},
		{"## Open", "no, drop the captions and the prices", nil, false},
		{"## Open", "write the captions", []ingest.ToolCall{{Name: "Write", Path: "captions.md", Done: true}}, false},
	} {
		listed := "Sorted.\n\n" + c.head + "\n- captions of both shops\n- prices of the list"
		s := talkOf([]string{"Sort the list by shop.", listed, c.said, "All right."}, nil)
		s.Turns[3].Calls = c.calls
		all, _ := items(s)
		next := slices.ContainsFunc(all, func(it payload.Item) bool {
			return it.Rule == payload.ToldNextRule && strings.Contains(it.Text, "prices of the list")
		})
		if next != c.want {
			t.Errorf("%s, %q: next %v, want %v", c.head, c.said, next, c.want)
		}
	}
}
