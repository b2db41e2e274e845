package synthtest

import "strings"

// ask has the assistant put a question with options and the person answer it:
// mostly the option that the project takes, now and then in their own words.
func (g *session) ask(message string) {
	c := g.choice()
	question := "Which way for " + c.about + "?"
	var b object
	b.reset()
	b.open("questions", `[{`)
	b.str("question", question)
	b.str("header", capital(g.one(g.p.parts)))
	b.raw("multiSelect", "false")
	b.open("options", "[{")
	b.str("label", capital(c.taken))
	b.str("description", "Since "+c.why)
	b.shut("},{")
	b.str("label", capital(c.left))
	b.str("description", "As it is now")
	b.shut("}]}]")
	questions := string(b.b[1:])
	answer := capital(c.taken)
	if g.chance(5) {
		answer = c.taken + ", but only for the " + g.word()
	}
	id := g.call(message, "AskUserQuestion", func(o *object) { o.b = append(o.b, questions...) })
	g.tick(20, 200)
	text := `Your questions have been answered: "` + question + `"="` + answer +
		`". You can now continue with these answers in mind.`
	g.result(id, text, false, func(o *object) {
		o.b = append(append(o.b, '{'), questions...)
		o.open("answers", "{")
		o.str(question, answer)
		o.shut("}")
		o.raw("annotations", "{}")
		o.shut("}")
	})
}

// refuse has the person refuse a change and say why.
func (g *session) refuse(message string) {
	item := g.item("eliminated")
	path := g.path()
	id := g.call(message, "Edit", func(o *object) {
		o.str("file_path", path)
		o.str("old_string", strings.Join(g.function(), "\n"))
		o.str("new_string", strings.Join(g.function(), "\n"))
	})
	g.tick(5, 60)
	text := "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). " +
		"To tell you how to proceed, the user said:\n" + item.Quote
	g.result(id, text, true, func(o *object) {
		o.b = append(o.b, `"User rejected tool use"`...)
		o.raw("toolDenialKind", `"user-rejected"`)
	})
}
